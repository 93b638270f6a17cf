// The block decoder: sentences in, derivations or translation graphs out, over threads.
//
//   BlockDecoder decoder(table, &model, pairs, weights, options);
//   decoder.decode(sentences, threads)          one derivation each, in order
//   decoder.kbest(sentences, k, unique, threads)
//   decoder.forests(sentences, pairs, threads)  what the search kept
//   decoder.oracles(sentences, references, k, threads)    the best of each list by sentence BLEU
//
// Results do not depend on the number of threads.  A call adds to counters() when it is over.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "decode/blocks/graph.h"
#include "decode/blocks/model.h"
#include "decode/blocks/search.h"

namespace demotic::decode::blocks {

struct BlockCounters {
  uint64_t sentences = 0;
  BlockSearchCounters search;
  double seconds = 0;  // of CPU time

  BlockCounters& operator+=(const BlockCounters& other) {
    sentences += other.sentences;
    search += other.search;
    seconds += other.seconds;
    return *this;
  }
};

// The derivation whose words are closest to the references, among the k best.
struct BlockOracle {
  Derivation first, best;
  std::vector<std::array<uint32_t, 3>> listed;  // block, begin, end: of the whole list, sorted
};

class BlockDecoder {
 public:
  using Sentence = std::vector<std::string>;

  BlockDecoder(const grammar::BlockTable& table, const lm::Model* lm,
               const grammar::BlockPairs& pairs, std::span<const double> weights,
               const BlockDecoderOptions& options);
  ~BlockDecoder();

  std::vector<Derivation> decode(std::span<const Sentence> sentences, unsigned threads);
  std::vector<std::vector<Derivation>> kbest(std::span<const Sentence> sentences, size_t k,
                                             bool unique, unsigned threads);
  // `pairs`: each pair is a feature of its own.
  std::vector<forest::Forest> forests(std::span<const Sentence> sentences, bool pairs,
                                      unsigned threads);

  // By BLEU with one added to matches and totals; ties go to the better score.
  std::vector<BlockOracle> oracles(std::span<const Sentence> sentences,
                                   std::span<const std::vector<std::string>> references, size_t k,
                                   unsigned threads);

  BlockCounters counters() const;
  void reset_counters();

 private:
  struct Workspace;
  struct Pool;

  template <class Result, class Work>
  std::vector<Result> each(std::span<const Sentence> sentences, unsigned threads, bool all,
                           Work work);

  BlockModel model_;
  std::unique_ptr<Pool> pool_;
};

}  // namespace demotic::decode::blocks
