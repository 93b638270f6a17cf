// Blocks, pairs (S, T) of a source and a target phrase without inner alignment, with what is known
// of each (Tillmann and Zhang 2005, section 2).
//
//   BlockTable table = BlockTable::open("blocks.bin");     mapped; or BlockSet::finish()
//   uint32_t phrase = table.find(source_words);            kNoPhrase if no block begins with it
//   for (uint32_t b : table.alternatives(phrase, 9)) ...   its most frequent blocks
//   table.count(b), table.left(b), table.right(b), table.lexical(b), table.target(b)
//
// Blocks are sorted by (source phrase, count descending, target ids), so that the alternatives of a
// block are the first ids of its phrase.  Word ids are those of the table's own vocabularies; id 0,
// the unknown word, is in no block that can be found.
#pragma once

#include <cmath>
#include <cstdint>
#include <memory>
#include <optional>
#include <ranges>
#include <span>
#include <string>

#include "io/array.h"
#include "io/checksum.h"
#include "io/container.h"
#include "text/vocab.h"

namespace demotic::grammar {

inline constexpr uint32_t kNoPhrase = UINT32_MAX;
inline constexpr uint32_t kNoBlock = UINT32_MAX;
inline constexpr uint32_t kBeginBlock = UINT32_MAX - 1;  // <s>, the block before the first

enum class LexicalKind : uint32_t { literal, koehn };

struct BlockTotals {
  uint64_t fingerprint = 0;  // of the blocks: phrases, targets and counts
  uint64_t count = 0;        // sum of N(b)
  uint64_t left = 0;         // sum of N_L(b)
  uint64_t right = 0;        // sum of N_R(b)
  uint32_t max_words = 0;    // of a phrase, either side
  LexicalKind lexical = LexicalKind::literal;
};

class BlockTable {
 public:
  static constexpr uint32_t kVersion = 1;
  static constexpr size_t kSmallFile = size_t{64} << 20;  // verified unless told otherwise
  static constexpr uint32_t kMostWords = UINT16_MAX;      // of a phrase

  struct Parts {
    text::VocabView source_vocab, target_vocab;
    std::shared_ptr<const void> vocab_owner;
    io::Array<uint32_t> phrase_words;  // source phrases, one after the other
    io::Array<uint64_t> phrase_ends;   // by phrase
    io::Array<uint32_t> block_ends;    // by phrase: one past its last block
    io::Array<uint32_t> phrase_slots;  // open addressing: phrase + 1; 0 is free
    io::Array<uint32_t> target_words;
    io::Array<uint64_t> target_ends;  // by block
    io::Array<uint32_t> count, left, right;
    io::Array<float> lexical;     // -ln p(S|T)
    io::Array<uint32_t> origins;  // a few training sentences of each block, ascending
    io::Array<uint64_t> origin_ends;
    BlockTotals totals;
  };

  explicit BlockTable(Parts parts);  // throws Error(corrupt) unless they fit together
  static BlockTable open(const std::string& path, std::optional<bool> verify = {});
  void save(const std::string& path) const;
  BlockTable with_orientation(std::vector<uint32_t> left, std::vector<uint32_t> right) const;
  // The blocks whose source phrase is in some sentence; `kept` gets the old number of each.
  BlockTable filtered(std::span<const std::string> sentences, std::vector<uint32_t>& kept) const;

  uint32_t blocks() const { return static_cast<uint32_t>(parts_.count.size()); }
  uint32_t phrases() const { return static_cast<uint32_t>(parts_.phrase_ends.size()); }
  const BlockTotals& totals() const { return parts_.totals; }
  text::VocabView source_vocab() const { return parts_.source_vocab; }
  text::VocabView target_vocab() const { return parts_.target_vocab; }

  static uint64_t hash_of_phrase(std::span<const uint32_t> source) {
    return io::checksum64(source.data(), source.size_bytes());
  }
  uint32_t find(std::span<const uint32_t> source) const;                   // a phrase
  uint32_t find(uint32_t phrase, std::span<const uint32_t> target) const;  // a block of it
  uint32_t first_block(uint32_t phrase) const {
    return phrase == 0 ? 0 : parts_.block_ends[phrase - 1];
  }
  uint32_t last_block(uint32_t phrase) const { return parts_.block_ends[phrase]; }
  auto blocks_of(uint32_t phrase) const {
    return std::views::iota(first_block(phrase), last_block(phrase));
  }
  auto alternatives(uint32_t phrase, uint32_t most) const {
    const uint32_t first = first_block(phrase);
    return std::views::iota(first, first + std::min(last_block(phrase) - first, most));
  }

  uint32_t phrase_of(uint32_t block) const;
  std::span<const uint32_t> source(uint32_t phrase) const {
    return io::row_until(parts_.phrase_words.view(), parts_.phrase_ends, phrase);
  }
  std::span<const uint32_t> target(uint32_t block) const {
    return io::row_until(parts_.target_words.view(), parts_.target_ends, block);
  }
  std::span<const uint32_t> origins(uint32_t block) const {
    return io::row_until(parts_.origins.view(), parts_.origin_ends, block);
  }
  uint32_t count(uint32_t block) const { return parts_.count[block]; }
  uint32_t left(uint32_t block) const { return parts_.left[block]; }
  uint32_t right(uint32_t block) const { return parts_.right[block]; }
  float lexical(uint32_t block) const {  // a finite number, whatever the bytes say
    const float cost = parts_.lexical[block];
    return std::isfinite(cost) ? cost : 0.0f;
  }

 private:
  void check_blocks() const;

  Parts parts_;
};

}  // namespace demotic::grammar
