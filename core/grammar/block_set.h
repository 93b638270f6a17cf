// Blocks counted as they are extracted, and made into a table.
//
//   BlockSet set;
//   set.add(set.shard_of(source_words), source_words, target_words, sentence);
//   BlockTable table = set.finish(source_vocab, target_vocab, {.min_count = 1}, threads);
//
// The set has parts that grow independently, by source phrase; what comes out does not depend on
// them.  N(b) is the number of occurrences added.  BlockOrientation counts come later
// (block_events.h).
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "grammar/block_table.h"
#include "hash_index.h"

namespace demotic::grammar {

struct BlockSetOptions {
  uint32_t min_count = 1;  // rarer blocks are dropped, but not those of one word on each side
  bool keep_lone = false;  // and not those whose source phrase has no other
  LexicalKind lexical = LexicalKind::literal;
};

class BlockSet {
 public:
  static constexpr uint32_t kOrigins = 3;  // training sentences remembered for each block
  static constexpr uint32_t kShards = 16;

  static uint32_t shard_of(std::span<const uint32_t> source);
  // Different shards may be added to at the same time; the sentences of each ascend.
  void add(uint32_t shard, std::span<const uint32_t> source, std::span<const uint32_t> target,
           uint32_t sentence);
  uint64_t occurrences() const;

  // Empties the set.
  BlockTable finish(const text::Vocab& source, const text::Vocab& target,
                    const BlockSetOptions& options, unsigned threads);

 private:
  struct Row {
    uint64_t begin;  // in words: source, then target
    uint32_t count;
    uint16_t source_size, target_size;
    uint32_t origins;
    std::array<uint32_t, kOrigins> origin;
  };
  // All blocks of some source phrases.
  struct Shard {
    std::vector<Row> rows;
    std::vector<uint32_t> words;
    HashIndex index;              // of rows
    std::vector<uint32_t> order;  // of rows, when they are sorted
    uint64_t occurrences = 0;

    std::span<const uint32_t> source_of(const Row& row) const {
      return std::span(words).subspan(row.begin, row.source_size);
    }
    std::span<const uint32_t> target_of(const Row& row) const {
      return std::span(words).subspan(row.begin + row.source_size, row.target_size);
    }
    void add(std::span<const uint32_t> source, std::span<const uint32_t> target, uint32_t sentence);
    void sort(const BlockSetOptions& options);
  };

  std::array<Shard, kShards> shards_;
};

// Open addressing over the phrases, as BlockTable::find walks it.
std::vector<uint32_t> phrase_slots(const BlockTable::Parts& parts);
uint64_t fingerprint(const BlockTable::Parts& parts);

}  // namespace demotic::grammar
