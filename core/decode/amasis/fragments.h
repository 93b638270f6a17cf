// Target fragments of one sentence as language models see them, each once, and how they join.
//
//   FragmentTable fragments(model, borders);       borders: first and last words count, too
//   fragments.clear();                             of the next sentence
//   uint32_t f = fragments.add(parts, border);     one lm::Fragment for each language model
//   const Joined& ab = fragments.join(a, b);       remembered: joins recur across hypotheses
//   fragments.logs(ab)                             log10 that each model adds by the join
//
// Fragments of the same number get the same scores whatever comes around them.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "decode/amasis/model.h"
#include "events/label_state.h"
#include "hash_index.h"
#include "lm/chart.h"

namespace demotic::decode::amasis {

// The words at a fragment's ends.
struct Border {
  uint32_t first = events::kNoWord, last = events::kNoWord;
  bool operator==(const Border&) const = default;
};

struct Joined {
  uint32_t left, right;
  uint32_t fragment;
  uint32_t first_log;
  double score;  // weighted
};

class FragmentTable {
 public:
  static constexpr uint32_t kEmpty = 0;  // no words

  FragmentTable(const AmasisModel& model, bool borders);

  void clear();
  uint32_t add(std::span<const lm::Fragment> parts, const Border& border) {
    return add(parts, true, border);
  }
  const Joined& join(uint32_t left, uint32_t right);

  uint32_t size() const { return static_cast<uint32_t>(words_.size()); }
  bool has_words(uint32_t fragment) const { return words_[fragment] != 0; }
  // Known where fragments with other borders are others.
  const Border& border(uint32_t fragment) const { return borders_[fragment]; }
  const lm::Fragment& part(uint32_t fragment, uint32_t model) const {
    return parts_[size_t{fragment} * models_ + model];
  }
  std::span<const float> logs(const Joined& joined) const {
    return std::span(logs_).subspan(joined.first_log, models_);
  }
  uint64_t joins() const { return joined_.size(); }

 private:
  uint32_t add(std::span<const lm::Fragment> parts, bool words, const Border& border);

  const AmasisModel& model_;
  uint32_t models_;
  bool sees_borders_;
  std::vector<lm::Fragment> parts_;  // of each fragment one for each model
  std::vector<uint8_t> words_;
  std::vector<Border> borders_;
  HashIndex index_;  // of fragments
  std::vector<Joined> joined_;
  HashIndex joined_index_;
  std::vector<float> logs_;
  std::vector<lm::Fragment> made_;
};

}  // namespace demotic::decode::amasis
