// What a decoder considered, as a Forest (forest/forest.h) that stands on its own: names, rules and
// one dense block of features for each edge.
//
//   Forest f = packed_forest(forest, pruner, plan, grammar, tokens, sentence);   with the LM: one
//                                             node for each entry, alternatives kept as edges
//   Forest f = packed_forest(forest, plan, grammar, tokens, sentence);           without it: every
//                                             derivation, the language model's feature being 0
//
// A rule's origin is its number in the table; rules that are not in the table have none.
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

// Of a sentence without words: Goal over nothing, all features 0.
forest::Forest empty_forest(const ParsePlan& plan, const ScoredGrammar& grammar);

}  // namespace demotic::decode::hiero
