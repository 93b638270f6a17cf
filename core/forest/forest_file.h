// Forests on disk: a container of kind "forest" that is read where it lies in memory.
//
//   save(f, path);               only words, labels, rules and sparse features that the forest uses
//                                are written
//   Forest g = load(path);       validated: damaged or hostile content throws, never crashes
#pragma once

#include <string>

#include "forest/forest.h"

namespace demotic::forest {

void save(const Forest& f, const std::string& path);
Forest load(const std::string& path);

// The same forest with tables that hold only what it uses, in order of first use.  All dense
// features stay, so that they keep their numbers; of the sparse ones those that it has.
Forest compact(const Forest& f);

}  // namespace demotic::forest
