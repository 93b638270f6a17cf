// What the decoder considered, as a Forest (forest/forest.h) that stands on its own.
//
//   Forest f = packed_forest(forest, pruner, plan, grammar, tokens, sentence);   with the LM: one
//                                             node for each entry, alternatives kept as edges
//   Forest f = packed_forest(forest, plan, grammar, tokens, sentence);           without it: every
//                                             derivation, the language model's feature being 0
//
// Rules are those of forest_packer.h, their origins numbers in the rule table.
#pragma once

#include <span>
#include <string>

#include "decode/hiero/cube_pruning.h"
#include "decode/scored_grammar.h"
#include "forest/forest.h"

namespace demotic::decode::hiero {

forest::Forest packed_forest(const ContextFreeForest& forest, const CubePruner& pruner,
                             const ParsePlan& plan, const ScoredGrammar& grammar,
                             std::span<const std::string> tokens, const SourceSentence& sentence);

forest::Forest packed_forest(const ContextFreeForest& forest, const ParsePlan& plan,
                             const ScoredGrammar& grammar, std::span<const std::string> tokens,
                             const SourceSentence& sentence);

}  // namespace demotic::decode::hiero
