// The hierarchical decoder: sentences in, derivations or forests out, over threads.
//
//   HieroDecoder decoder(table, &model, weights, parsing, pruning, further);
//   decoder.decode(sentences, threads)          one derivation each, in order
//   decoder.lists(sentences, best_listed(k, unique), threads)
//   decoder.forests(sentences, threads)         what cube pruning kept
//   decoder.parses(sentences, threads)          every derivation, without the language model
#pragma once

#include <span>
#include <vector>

#include "decode/derivation.h"
#include "decode/hiero/workspace.h"
#include "decode/scored_grammar.h"
#include "decode/sentence_decoder.h"
#include "forest/forest.h"

namespace demotic::decode::hiero {

class HieroDecoder : public SentenceDecoder<HieroWorkspace> {
 public:
  HieroDecoder(const grammar::RuleTable& table, const lm::Model* lm, const GrammarWeights& weights,
               const ParseOptions& parsing, const CubePruningOptions& pruning,
               std::span<const lm::FurtherModel> further = {},
               const grammar::WordChoices* choices = nullptr);

  std::vector<Derivation> decode(std::span<const Tokens> sentences, unsigned threads);
  std::vector<std::vector<Derivation>> lists(std::span<const Tokens> sentences,
                                             const Listing& listing, unsigned threads);
  std::vector<forest::Forest> forests(std::span<const Tokens> sentences, unsigned threads);
  std::vector<forest::Forest> parses(std::span<const Tokens> sentences, unsigned threads);

  const ScoredGrammar& grammar() const { return grammar_; }
  const ParsePlan& plan() const { return plan_; }

 private:
  Derivation underived(const Tokens& tokens, const HieroWorkspace& space) const;
  forest::Forest nothing() const;
  forest::Forest forest(const Tokens& tokens, HieroWorkspace& space) const;

  ScoredGrammar grammar_;
  ParsePlan plan_;
  CubePruningOptions pruning_;
};

}  // namespace demotic::decode::hiero
