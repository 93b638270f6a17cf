// Sentences whose items have labels (stack_labels.h), as flat arrays: what learners of labels take.
//
//   corpus.sentence(s)                 the items of a sentence: first, last
//   corpus.rows_of(item)               rows of weights that are active there; kNoRow: none
//
// Labels that follow from the items alone are forced: nobody learns or chooses them.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace demotic::events {

inline constexpr uint32_t kNoRow = UINT32_MAX;

struct LabelCorpus {
  uint32_t width = 0;                  // rows of an item
  uint32_t features = 0;               // rows that there are
  std::vector<uint32_t> rows;          // `width` of each item
  std::vector<uint8_t> gold;           // label of each item
  std::vector<uint8_t> forced;         // 1: an item without target words, or the first behind those
  std::vector<uint8_t> empty;          // 1: an item without target words
  std::vector<uint64_t> ends;          // of sentences, in items
  std::vector<uint64_t> label_counts;  // of labels that are not forced, in training

  uint32_t labels() const { return static_cast<uint32_t>(label_counts.size()); }
  size_t sentences() const { return ends.size(); }
  size_t items() const { return gold.size(); }
  std::pair<size_t, size_t> sentence(size_t s) const { return {s == 0 ? 0 : ends[s - 1], ends[s]}; }
  std::span<const uint32_t> rows_of(size_t item) const {
    return std::span(rows).subspan(item * width, width);
  }
};

}  // namespace demotic::events
