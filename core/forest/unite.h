// One forest out of several: its root has all edges of their roots.
//
//   Forest both = unite({&a, &b});
//
// A derivation that is in both is there twice afterwards, as the forests' nodes are not merged.
// Words, labels and features are matched by name; rules are kept apart unless they are shared.
// Where the forests' dense features differ, all of them become sparse features of the edges.
// Contexts are kept where all forests have them, of the same width.
#pragma once

#include <span>

#include "forest/forest.h"

namespace demotic::forest {

Forest unite(std::span<const Forest* const> forests);

}  // namespace demotic::forest
