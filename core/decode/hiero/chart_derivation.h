// One derivation as it leaves the decoder: rules and spans, the words they make, where each word
// comes from, features.
//
//   HieroDerivation d = chart_derivation(forest, pruner);             steps of the best entry, or
//   HieroDerivation d = forest_derivation(packed, ...);                 of a k-best result
//   complete(d, tokens, sentence, grammar);                           everything that follows
//
// Steps stand in depth-first order, a step before its children, these in source order.  A
// derivation without nonterminals (phrase_derivation.h) has its goal first, then all phrases in
// target order.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "decode/hiero/cube_pruning.h"
#include "decode/scored_grammar.h"
#include "forest/derivation.h"
#include "forest/forest.h"

namespace demotic::decode::hiero {

inline constexpr uint32_t kNoStep = UINT32_MAX;

struct DerivationStep {
  uint32_t rule;      // of the table, or kGlueFirst, ...
  uint32_t category;  // of ParsePlan::labels()
  uint32_t begin;
  uint32_t end;
  std::array<uint32_t, grammar::kMaxArity> children{kNoStep, kNoStep};  // steps
  double lm = 0;                                                        // log10 added here
  double score = 0;                                                     // added here
};

struct HieroDerivation {
  std::vector<DerivationStep> steps;  // none for an empty sentence, or if there is no derivation
  std::vector<std::string> tokens;
  std::vector<uint32_t> word_steps;                // by token: the step whose rule wrote it
  std::vector<std::array<uint32_t, 2>> alignment;  // source and target positions, sorted
  std::vector<double> features;
  double score = 0;
  uint32_t span_limit = 0;
  bool flat = false;  // all steps but the first are the first one's children
};

HieroDerivation chart_derivation(const ContextFreeForest& forest, const CubePruner& pruner);
// `heads` are those of the forest's edges.
HieroDerivation forest_derivation(const forest::Forest& packed, std::span<const uint32_t> heads,
                                  std::span<const uint32_t> edges, const ParsePlan& plan,
                                  const ScoredGrammar& grammar);

// Fills in everything but steps' rules, spans and language model scores.
void complete(HieroDerivation& derivation, std::span<const std::string> tokens,
              const SourceSentence& sentence, const ScoredGrammar& grammar);

}  // namespace demotic::decode::hiero
