// Sentences whose items have labels (stack_labels.h), as flat arrays: what learners of labels take.
//
//   corpus.sentence(s)                 the items of a sentence: first, last
//   corpus.rows_of(item)               rows of weights that are active there; kNoRow: none
//
// Labels that follow from the items alone are forced: nobody learns or chooses them.  Where labels
// look at the stack, or are judged by the sentence that comes out, the items' target words are
// there, too, and `rows` finds the rows of keys that come up on the way.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "hash_index.h"

namespace demotic::events {

inline constexpr uint32_t kNoRow = UINT32_MAX;

// Rows by their keys.
class LabelRows {
 public:
  explicit LabelRows(std::vector<uint64_t> keys) : keys_(std::move(keys)) {
    index_.reserve(keys_.size());
    for (uint32_t i = 0; i < keys_.size(); ++i) index_.add(keys_[i], i);
  }
  uint32_t operator()(uint64_t key) const {  // kNoRow: none
    return index_.find(key, [&](uint32_t i) { return keys_[i] == key; });
  }

 private:
  std::vector<uint64_t> keys_;
  HashIndex index_;
};
static_assert(HashIndex::kNone == kNoRow);

struct LabelCorpus {
  uint32_t width = 0;                  // rows of an item
  uint32_t features = 0;               // rows that there are
  std::vector<uint32_t> rows;          // `width` of each item
  std::vector<uint8_t> gold;           // label of each item
  std::vector<uint8_t> forced;         // 1: an item without target words, or the first behind those
  std::vector<uint8_t> empty;          // 1: an item without target words
  std::vector<uint64_t> ends;          // of sentences, in items
  std::vector<uint64_t> label_counts;  // of labels that are not forced, in training
  // Only where they were asked for:
  std::vector<uint64_t> sides;                  // by item: the key of its source side
  std::vector<uint32_t> words;                  // target words of all items
  std::vector<uint64_t> word_ends;              // of items, in words
  std::vector<uint32_t> places;                 // of items' first words in the target sentence
  std::shared_ptr<const LabelRows> state_rows;  // of label_state.h's keys

  bool has_words() const { return word_ends.size() == gold.size(); }
  std::span<const uint32_t> words_of(size_t item) const {
    const uint64_t begin = item == 0 ? 0 : word_ends[item - 1];
    return std::span(words).subspan(begin, word_ends[item] - begin);
  }
  uint32_t labels() const { return static_cast<uint32_t>(label_counts.size()); }
  size_t sentences() const { return ends.size(); }
  size_t items() const { return gold.size(); }
  std::pair<size_t, size_t> sentence(size_t s) const { return {s == 0 ? 0 : ends[s - 1], ends[s]}; }
  std::span<const uint32_t> rows_of(size_t item) const {
    return std::span(rows).subspan(item * width, width);
  }
};

}  // namespace demotic::events
