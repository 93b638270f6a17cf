// What a label can see of the stack that its item comes to: the labels before it, and the words at
// the borders of the top fragments.
//
//   LabelState state;                            an empty stack
//   state.taken(label);                          the next item got this label
//   StateKeys keys;
//   state_keys(state, side, first, last, keys);  of an item with these words at its borders
//
// A key is 64 bits of a template and of what it looks at (LabelKey); which keys have a row of
// weights is the affair of others.
#pragma once

#include <array>
#include <cstdint>

#include "io/checksum.h"

namespace demotic::events {

inline constexpr uint32_t kNoWord = UINT32_MAX;           // beyond a border
inline constexpr uint32_t kForeignWord = UINT32_MAX - 1;  // of no vocabulary
inline constexpr uint8_t kNoLabelYet = UINT8_MAX;

class LabelKey {
 public:
  explicit LabelKey(uint32_t which) : hash_(io::mix64(which + 1)) {}
  LabelKey& operator()(uint32_t word) {
    hash_ = io::mix64(hash_ * 0x9e3779b97f4a7c15ull + word);
    return *this;
  }
  LabelKey& key(uint64_t other) {
    return (*this)(static_cast<uint32_t>(other))(static_cast<uint32_t>(other >> 32));
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

struct LabelState {
  uint8_t last = kNoLabelYet, before = kNoLabelYet;  // labels, forced ones left out
  uint32_t top_first = kNoWord, top_last = kNoWord;  // target words of the top fragment
  uint32_t below_last = kNoWord;                     // of the fragment below it

  void taken(uint32_t label) {
    before = last;
    last = static_cast<uint8_t>(label);
  }
  bool operator==(const LabelState&) const = default;
};

// Those that do not look at the item come first.
enum StateTemplate : uint32_t {
  kLastLabel = 64,  // apart from the templates of items
  kLastLabels,
  kTopFirst,
  kTopLast,
  kBelowAndTop,
  kLastLabelAndSide,
  kTopAndSide,
  kTopAndItem,
  kItemAndTop,
};
inline constexpr uint32_t kStateTemplates = 9;
inline constexpr uint32_t kOwnStateTemplates = 5;

using StateKeys = std::array<uint64_t, kStateTemplates>;

inline void own_state_keys(const LabelState& state, StateKeys& keys) {
  keys[0] = LabelKey(kLastLabel)(state.last).value();
  keys[1] = LabelKey(kLastLabels)(state.last)(state.before).value();
  keys[2] = LabelKey(kTopFirst)(state.top_first).value();
  keys[3] = LabelKey(kTopLast)(state.top_last).value();
  keys[4] = LabelKey(kBelowAndTop)(state.below_last)(state.top_first).value();
}

// `side`: the key of the item's source side.
inline void item_state_keys(const LabelState& state, uint64_t side, uint32_t first, uint32_t last,
                            StateKeys& keys) {
  keys[5] = LabelKey(kLastLabelAndSide)(state.last).key(side).value();
  keys[6] = LabelKey(kTopAndSide)(state.top_first).key(side).value();
  keys[7] = LabelKey(kTopAndItem)(state.top_last)(first).value();
  keys[8] = LabelKey(kItemAndTop)(last)(state.top_first).value();
}

inline void state_keys(const LabelState& state, uint64_t side, uint32_t first, uint32_t last,
                       StateKeys& keys) {
  own_state_keys(state, keys);
  item_state_keys(state, side, first, last, keys);
}

}  // namespace demotic::events
