// The decoder by labels: sentences in, derivations or search graphs out, over threads.
//
//   AmasisDecoder decoder(table, &lm, &labels, weights, settings, further);
//   decoder.decode(sentences, threads)          one derivation each, in order
//   decoder.lists(sentences, best_listed(k, unique), threads)
//   decoder.forests(sentences, threads)         what the search kept
#pragma once

#include <span>
#include <vector>

#include "decode/amasis/model.h"
#include "decode/amasis/workspace.h"
#include "decode/derivation.h"
#include "decode/sentence_decoder.h"
#include "forest/forest.h"

namespace demotic::decode::amasis {

class AmasisDecoder : public SentenceDecoder<AmasisWorkspace> {
 public:
  // Throws Error(argument) where settings and labels do not fit each other.
  AmasisDecoder(const grammar::RuleTable& table, const lm::Model* lm,
                const grammar::LabelModel* labels, const GrammarWeights& weights,
                const AmasisSettings& settings, std::span<const lm::FurtherModel> further = {},
                const grammar::WordChoices* choices = nullptr);

  std::vector<Derivation> decode(std::span<const Tokens> sentences, unsigned threads);
  std::vector<std::vector<Derivation>> lists(std::span<const Tokens> sentences,
                                             const Listing& listing, unsigned threads);
  std::vector<forest::Forest> forests(std::span<const Tokens> sentences, unsigned threads);

 private:
  AmasisModel model_;
  AmasisSettings settings_;
};

}  // namespace demotic::decode::amasis
