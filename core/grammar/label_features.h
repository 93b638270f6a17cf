// What a label (events/stack_labels.h) goes by: an item and the words around it.
//
//   LabelKeys keys;
//   place_keys(sentence, begin, end, templates, keys);     all but the target side's
//   keys[LabelTemplate::target] = target_key(target);
//
// A key is 64 bits of the template and of the words it looks at; 0 where a template is not asked
// for.  A side of several words is one symbol.  "Previous" and "next" are words of the sentence,
// however it is cut into items.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>

#include "io/checksum.h"

namespace demotic::grammar {

// The first four are the paper's, with a bias.
enum LabelTemplate : uint32_t {
  kBias,
  kSourceSide,
  kPreviousWord,
  kTargetSide,
  kNextWord,
  kSourceAndNext,
  kSecondNext,
  kNextTwo,
  kPreviousAndSource,
};
inline constexpr uint32_t kPaperTemplates = 4;
inline constexpr uint32_t kLabelTemplates = 9;

inline constexpr uint32_t kNoWord = UINT32_MAX;  // beyond the sentence's borders

using LabelKeys = std::array<uint64_t, kLabelTemplates>;

class LabelKey {
 public:
  explicit LabelKey(uint32_t which) : hash_(io::mix64(which + 1)) {}
  LabelKey& operator()(uint32_t word) {
    hash_ = io::mix64(hash_ * 0x9e3779b97f4a7c15ull + word);
    return *this;
  }
  template <class Words>
  LabelKey& all(const Words& words) {
    for (const auto word : words) (*this)(static_cast<uint32_t>(word));
    return (*this)(kNoWord);
  }
  uint64_t value() const { return hash_ == 0 ? 1 : hash_; }

 private:
  uint64_t hash_;
};

template <class Words>
uint64_t target_key(const Words& target) {
  return LabelKey(kTargetSide).all(target).value();
}

inline void place_keys(std::span<const uint32_t> sentence, size_t begin, size_t end,
                       uint32_t templates, LabelKeys& keys) {
  keys.fill(0);
  const auto word = [&](size_t at) { return at < sentence.size() ? sentence[at] : kNoWord; };
  const std::span<const uint32_t> side = sentence.subspan(begin, end - begin);
  const uint32_t previous = begin == 0 ? kNoWord : sentence[begin - 1];
  keys[kBias] = LabelKey(kBias).value();
  keys[kSourceSide] = LabelKey(kSourceSide).all(side).value();
  keys[kPreviousWord] = LabelKey(kPreviousWord)(previous).value();
  if (templates <= kPaperTemplates) return;
  keys[kNextWord] = LabelKey(kNextWord)(word(end)).value();
  keys[kSourceAndNext] = LabelKey(kSourceAndNext).all(side)(word(end)).value();
  keys[kSecondNext] = LabelKey(kSecondNext)(word(end + 1)).value();
  keys[kNextTwo] = LabelKey(kNextTwo)(word(end))(word(end + 1)).value();
  keys[kPreviousAndSource] = LabelKey(kPreviousAndSource).all(side)(previous).value();
}

}  // namespace demotic::grammar
