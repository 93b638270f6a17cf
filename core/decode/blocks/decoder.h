// The block decoder: sentences in, derivations or translation graphs out, over threads.
//
//   BlockDecoder decoder(table, &model, pairs, weights, options);
//   decoder.decode(sentences, threads)          one derivation each, in order
//   decoder.lists(sentences, best_listed(k, unique), threads)
//   decoder.forests(sentences, pairs, threads)  what the search kept
//   decoder.oracles(sentences, references, k, threads)    the best of each list by sentence BLEU
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "counters.h"
#include "decode/blocks/graph.h"
#include "decode/blocks/model.h"
#include "decode/blocks/search.h"
#include "decode/sentence_decoder.h"

namespace demotic::decode::blocks {

struct BlockCounters : BlockSearchCounters {
  uint64_t sentences = 0;
  double seconds = 0;  // of CPU time

  static constexpr auto kFields = std::tuple_cat(
      BlockSearchCounters::kFields, std::tuple{CounterField{"sentences", &BlockCounters::sentences},
                                               CounterField{"seconds", &BlockCounters::seconds}});
};

// What one thread works with.
struct BlockWorkspace {
  explicit BlockWorkspace(const BlockModel& model) : search(model) {}
  bool large() const { return search.arcs() > 4'000'000; }

  BlockSearch search;
  BlockCounters counters;
};

// The derivation whose words are closest to the references, among the k best.
struct BlockOracle {
  Derivation first, best;
  std::vector<std::array<uint32_t, 3>> listed;  // block, begin, end: of the whole list, sorted
};

class BlockDecoder : public SentenceDecoder<BlockWorkspace> {
 public:
  BlockDecoder(const grammar::BlockTable& table, const lm::Model* lm,
               const grammar::BlockPairs& pairs, std::span<const double> weights,
               const BlockDecoderOptions& options);

  std::vector<Derivation> decode(std::span<const Tokens> sentences, unsigned threads);
  std::vector<std::vector<Derivation>> lists(std::span<const Tokens> sentences,
                                             const Listing& listing, unsigned threads);
  // `pairs`: each pair is a feature of its own.
  std::vector<forest::Forest> forests(std::span<const Tokens> sentences, bool pairs,
                                      unsigned threads);

  // By BLEU with one added to matches and totals; ties go to the better score.
  std::vector<BlockOracle> oracles(std::span<const Tokens> sentences,
                                   std::span<const std::vector<std::string>> references, size_t k,
                                   unsigned threads);

 private:
  template <class Work>
  auto each_searched(std::span<const Tokens> sentences, unsigned threads, bool all, Work work);
  BlockOracle oracle(const Tokens& tokens, const BlockSearch& search,
                     const std::vector<std::string>& references, size_t k) const;

  BlockModel model_;
};

}  // namespace demotic::decode::blocks
