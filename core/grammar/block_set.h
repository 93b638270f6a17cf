// Blocks counted as they are extracted, and made into a table.
//
//   BlockSet set;
//   set.add(source_words, target_words, sentence);          sentences ascend
//   BlockTable table = set.finish(source_vocab, target_vocab, {.min_count = 1});
//
// N(b) is the number of occurrences added.  BlockOrientation counts come later (block_events.h).
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "grammar/block_table.h"

namespace demotic {

struct BlockSetOptions {
  uint32_t min_count = 1;  // rarer blocks are dropped, but not those of one word on each side
  LexicalKind lexical = LexicalKind::literal;
};

class BlockSet {
 public:
  static constexpr uint32_t kOrigins = 3;  // training sentences remembered for each block

  void add(std::span<const uint32_t> source, std::span<const uint32_t> target, uint32_t sentence);
  size_t blocks() const { return rows_.size(); }
  uint64_t occurrences() const { return occurrences_; }

  BlockTable finish(const Vocab& source, const Vocab& target, const BlockSetOptions& options);

 private:
  struct Row {
    uint64_t hash;
    uint64_t begin;  // in words_: source, then target
    uint32_t count;
    uint16_t source_size, target_size;
    uint32_t origins;
    std::array<uint32_t, kOrigins> origin;
  };

  std::span<const uint32_t> source_of(const Row& row) const {
    return std::span(words_).subspan(row.begin, row.source_size);
  }
  std::span<const uint32_t> target_of(const Row& row) const {
    return std::span(words_).subspan(row.begin + row.source_size, row.target_size);
  }
  void rehash(size_t slots);

  std::vector<Row> rows_;
  std::vector<uint32_t> words_;
  std::vector<uint32_t> slots_;  // index of a row + 1; 0 is free
  uint64_t occurrences_ = 0;
};

// -ln p(S|T) of each block from the blocks of one word on each side.  `literal` normalises
// p(s|t) over the targets of s, as the paper's formula prints it; `koehn` over the sources of t.
std::vector<float> lexical_costs(const BlockTable::Parts& parts, LexicalKind kind);
inline constexpr double kFloor = 1e-7;  // of probabilities

// Open addressing over the phrases, as BlockTable::find walks it.
std::vector<uint32_t> phrase_slots(const BlockTable::Parts& parts);
uint64_t fingerprint(const BlockTable::Parts& parts);

}  // namespace demotic
