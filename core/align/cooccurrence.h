// Which source words meet which target words in a corpus, as sparse rows, and for every sentence
// pair the number of the cell of each of its word pairs.
//
//   Cooccurrence cells(source, target, words, max_length, folder, memory, threads);
//   cells.targets(s)             sorted target words that share a sentence pair with source word s
//   cells.of(begin, end, buffer) of sentence pairs one after the other, the cell of source word i
//                                and target word j of each at [i * J + j]
//   cells.keep(kept, threads)    drops cells; pairs that lose theirs point at the spare cell
//
// Cells are numbered row by row.  The spare cell has the last number, `size()`.  Pairs with an
// empty side or a side longer than max_length have no cells.  Memory: 4 bytes per cell, and 4 per
// word pair of the corpus; where these would take more than half of `memory` they go to a temporary
// file in `folder`, with the same result.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "io/temp_file.h"
#include "text/token_lines.h"

namespace demotic::align {

class Cooccurrence {
 public:
  Cooccurrence(const text::TokenLines& source, const text::TokenLines& target, uint32_t words,
               uint32_t max_length, std::string folder, uint64_t memory, unsigned threads);
  // Cells of a text that is elsewhere; throws Error(argument) where they are no sorted rows.
  Cooccurrence(std::vector<uint32_t> row_ends, std::vector<uint32_t> targets);

  uint32_t size() const { return static_cast<uint32_t>(targets_.size()); }
  uint32_t words() const { return static_cast<uint32_t>(row_ends_.size()); }
  uint32_t row_begin(uint32_t word) const { return word == 0 ? 0 : row_ends_[word - 1]; }
  uint32_t row_end(uint32_t word) const { return row_ends_[word]; }
  uint32_t target(uint32_t cell) const { return targets_[cell]; }
  std::span<const uint32_t> targets() const { return targets_; }
  std::span<const uint32_t> row_ends() const { return row_ends_; }

  size_t word_pairs(size_t pair) const { return pair_ends_[pair] - pair_begin(pair); }
  // `buffer` holds what is read from the file.
  std::span<const uint32_t> of(size_t begin, size_t end, std::vector<uint32_t>& buffer) const;

  void keep(const std::vector<bool>& kept, unsigned threads);

 private:
  uint64_t pair_begin(size_t pair) const { return pair == 0 ? 0 : pair_ends_[pair - 1]; }
  uint64_t all_word_pairs() const { return pair_ends_.empty() ? 0 : pair_ends_.back(); }
  uint64_t at_once() const;  // word pairs on their way to the file
  void collect(const text::TokenLines& source, const text::TokenLines& target, unsigned threads);
  void number(const text::TokenLines& source, const text::TokenLines& target, unsigned threads);

  std::string folder_;
  uint64_t memory_ = 0;
  std::vector<uint32_t> row_ends_;      // by source word
  std::vector<uint32_t> targets_;       // by cell
  std::vector<uint64_t> pair_ends_;     // by sentence pair, into the cells of all word pairs:
  std::vector<uint32_t> index_;         // these, or
  std::unique_ptr<io::TempFile> file_;  // where they are
};

}  // namespace demotic::align
