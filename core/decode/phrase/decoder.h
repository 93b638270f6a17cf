// The phrase-based decoder: sentences in, derivations or search graphs out, over threads.
//
//   PhraseDecoder decoder(table, &model, weights, options, true, further);
//   decoder.decode(sentences, threads)          one derivation each, in order
//   decoder.lists(sentences, best_listed(k, unique), threads)
//   decoder.forests(sentences, threads)         what the search kept
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "decode/derivation.h"
#include "decode/phrase/model.h"
#include "decode/phrase/workspace.h"
#include "decode/sentence_decoder.h"
#include "forest/forest.h"

namespace demotic::decode::phrase {

class PhraseDecoder : public SentenceDecoder<PhraseWorkspace> {
 public:
  // Without `reordering`, a table's columns of orientations count for nothing.
  PhraseDecoder(const grammar::RuleTable& table, const lm::Model* lm, const GrammarWeights& weights,
                const PhraseSearchOptions& options, bool reordering,
                std::span<const lm::FurtherModel> further = {},
                const grammar::WordChoices* choices = nullptr);

  std::vector<Derivation> decode(std::span<const Tokens> sentences, unsigned threads);
  std::vector<std::vector<Derivation>> lists(std::span<const Tokens> sentences,
                                             const Listing& listing, unsigned threads);
  std::vector<forest::Forest> forests(std::span<const Tokens> sentences, unsigned threads);

  // The most that the words from `begin` to `end` can add, as the search estimates it; the span is
  // no longer than the distortion limit, or goes up to the sentence's end.
  double future_cost(const Tokens& sentence, uint32_t begin, uint32_t end);

 private:
  PhraseModel model_;
  PhraseSearchOptions options_;
};

}  // namespace demotic::decode::phrase
