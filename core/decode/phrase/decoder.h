// The phrase-based decoder: sentences in, derivations or search graphs out, over threads.
//
//   PhraseDecoder decoder(table, &model, weights, options, true);
//   decoder.decode(sentences, threads)          one derivation each, in order
//   decoder.kbest(sentences, k, unique, threads)
//   decoder.forests(sentences, threads)         what the search kept
//
// Results do not depend on the number of threads.  A call adds to counters() when it is over.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "decode/derivation.h"
#include "decode/phrase/model.h"
#include "decode/phrase/search.h"
#include "forest/forest.h"

namespace demotic::decode::phrase {

struct PhraseCounters {
  uint64_t sentences = 0;
  uint64_t shortened = 0;  // sentences so long that their distortion limit was lowered
  PhraseSearchCounters search;
  double option_seconds = 0;  // of CPU time
  double search_seconds = 0;  // likewise

  PhraseCounters& operator+=(const PhraseCounters& other);
};

class PhraseDecoder {
 public:
  // Without `reordering`, a table's columns of orientations count for nothing.
  PhraseDecoder(const grammar::RuleTable& table, const lm::Model* lm, const GrammarWeights& weights,
                const PhraseSearchOptions& options, bool reordering);
  ~PhraseDecoder();

  using Sentence = std::vector<std::string>;
  std::vector<Derivation> decode(std::span<const Sentence> sentences, unsigned threads);
  std::vector<std::vector<Derivation>> kbest(std::span<const Sentence> sentences, size_t k,
                                             bool unique, unsigned threads);
  std::vector<forest::Forest> forests(std::span<const Sentence> sentences, unsigned threads);

  // The most that the words from `begin` to `end` can add, as the search estimates it; the span is
  // no longer than the distortion limit, or goes up to the sentence's end.
  double future_cost(const Sentence& sentence, uint32_t begin, uint32_t end);

  PhraseCounters counters() const;
  void reset_counters();

 private:
  struct Workspace;
  struct Pool;

  template <class Result, class Work>
  std::vector<Result> each(std::span<const Sentence> sentences, unsigned threads, bool all,
                           Work work);

  PhraseModel model_;
  PhraseSearchOptions options_;
  std::unique_ptr<Pool> pool_;
};

}  // namespace demotic::decode::phrase
