// Which source words meet which target words in a corpus, as sparse rows, and for every sentence
// pair the number of the cell of each of its word pairs.
//
//   Cooccurrence cells(source, target, words, max_length, threads);
//   cells.targets(s)        sorted target words that share a sentence pair with source word s
//   cells.of(pair)          [i * J + j] = cell of source word i and target word j
//   cells.keep(kept, threads)  drops cells; pairs that lose theirs point at the spare cell
//
// Cells are numbered row by row.  The spare cell has the last number, `size()`.  Pairs with an
// empty side or a side longer than max_length have no cells.  Memory: 4 bytes per word pair of the
// corpus and 4 per cell.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "text/token_lines.h"

namespace demotic::align {

class Cooccurrence {
 public:
  Cooccurrence(const text::TokenLines& source, const text::TokenLines& target, uint32_t words,
               uint32_t max_length, unsigned threads);

  uint32_t size() const { return static_cast<uint32_t>(targets_.size()); }
  uint32_t words() const { return static_cast<uint32_t>(row_ends_.size()); }
  uint32_t row_begin(uint32_t word) const { return word == 0 ? 0 : row_ends_[word - 1]; }
  uint32_t row_end(uint32_t word) const { return row_ends_[word]; }
  uint32_t target(uint32_t cell) const { return targets_[cell]; }
  std::span<const uint32_t> targets() const { return targets_; }
  std::span<const uint32_t> row_ends() const { return row_ends_; }

  std::span<const uint32_t> of(size_t pair) const {
    const uint64_t begin = pair == 0 ? 0 : pair_ends_[pair - 1];
    return {index_.data() + begin, pair_ends_[pair] - begin};
  }

  void keep(const std::vector<bool>& kept, unsigned threads);

 private:
  std::vector<uint32_t> row_ends_;   // by source word
  std::vector<uint32_t> targets_;    // by cell
  std::vector<uint64_t> pair_ends_;  // by sentence pair, into index_
  std::vector<uint32_t> index_;
};

}  // namespace demotic::align
