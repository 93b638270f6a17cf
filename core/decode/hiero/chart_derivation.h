// A derivation out of what cube pruning kept: of the chart itself, or of the forest it was packed
// into.
//
//   Derivation d = chart_derivation(forest, pruner);             steps of the best entry, or
//   Derivation d = forest_derivation(packed, ...);               of a k-best result
//   complete(d, tokens, sentence, grammar);                      everything that follows
#pragma once

#include <cstdint>
#include <span>

#include "decode/derivation.h"
#include "decode/hiero/cube_pruning.h"
#include "forest/forest.h"

namespace demotic::decode::hiero {

Derivation chart_derivation(const ContextFreeForest& forest, const CubePruner& pruner);
// `heads` are those of the forest's edges.
Derivation forest_derivation(const forest::Forest& packed, std::span<const uint32_t> heads,
                             std::span<const uint32_t> edges, const ParsePlan& plan,
                             const ScoredGrammar& grammar);

}  // namespace demotic::decode::hiero
