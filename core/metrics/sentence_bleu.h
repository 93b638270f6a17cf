// BLEU statistics of single sentences, for the inner loops of tuning, oracles and rewards.
//
//   1. BleuReference reference(references);     once per sentence: n-gram counts in one flat table
//   2. BleuScratch scratch;                     once per thread, grows to what is needed and stays
//   3. BleuStats s = reference.stats(hypothesis_ids, scratch);      no allocation
//   4. bleu(s, options)                                             (metrics/bleu.h)
//
// `SentenceBleu` does the same for tokens in strings.  `sentence_statistics` does it for corpora.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "hash_index.h"
#include "io/checksum.h"
#include "metrics/bleu.h"
#include "text/token_lines.h"
#include "text/vocab.h"

namespace demotic::metrics {

struct BleuScratch {
  std::vector<uint32_t> used;     // by n-gram: matches already counted, zero between calls
  std::vector<uint32_t> touched;  // n-grams whose `used` must return to zero
  std::vector<uint32_t> ids;      // of a hypothesis given as a string
};

// The n-grams of a sentence's references form a trie whose edges (n-gram, next word) -> longer
// n-gram stand in an open-addressing table: lookups are exact and an n-gram is only looked up when
// its prefix was found.
class BleuReference {
 public:
  BleuReference() = default;
  explicit BleuReference(std::span<const std::span<const uint32_t>> references);

  BleuStats stats(std::span<const uint32_t> hypothesis, BleuScratch& scratch) const;

 private:
  struct Edge {
    uint64_t key;   // prefix n-gram << 32 | word
    uint32_t next;  // 0 = free slot; n-gram 0 is the empty one, which no edge leads to
  };

  static uint64_t key(uint32_t prefix, uint32_t word) { return uint64_t{prefix} << 32 | word; }
  size_t slot(uint64_t key) const {
    return probe(edges_.size(), io::mix64(key),
                 [&](size_t at) { return edges_[at].next == 0 || edges_[at].key == key; });
  }
  int64_t closest_length(int64_t length) const;

  std::vector<Edge> edges_;
  std::vector<uint32_t> most_;  // by n-gram: the largest count in one reference
  std::vector<int64_t> lengths_;
};

// One sentence's references as strings of tokens separated by spaces.
class SentenceBleu {
 public:
  SentenceBleu(std::span<const std::string> references, BleuOptions options);

  BleuStats stats(std::string_view hypothesis, BleuScratch& scratch) const;
  double score(std::string_view hypothesis, BleuScratch& scratch) const {
    return bleu(stats(hypothesis, scratch), options_);
  }

 private:
  static constexpr uint32_t kForeign = UINT32_MAX;  // a word of no reference

  text::Vocab vocab_;
  BleuReference reference_;
  BleuOptions options_;
};

// Statistics of every line of `hypothesis`; each of `references` has as many lines.
std::vector<BleuStats> sentence_statistics(const text::TokenLines& hypothesis,
                                           std::span<const text::TokenLines* const> references,
                                           unsigned threads);

}  // namespace demotic::metrics
