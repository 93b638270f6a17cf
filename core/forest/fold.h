// Equal nodes and edges of a forest made one, so that no derivation is there twice.
//
//   Forest all = fold(unite(forests));       of forests whose nodes have contexts (context.h) of at
//                                            least the language model's words
//
// Nodes are equal that have the same label, span and context; rules that have the same sides and
// sparse features, whatever their origin; edges that have equal rules over the same tails.  What an
// edge adds must follow from these, and the first of equal edges stays.  Parts of different
// derivations that fit together make new ones.
#pragma once

#include "forest/forest.h"

namespace demotic::forest {

// Throws Error(argument) where nodes have no contexts.
Forest fold(const Forest& f);

}  // namespace demotic::forest
