// Labels of items: what a stack of target fragments does when the next item comes.
//
// A label shifts its item, then reduces the top two elements r times.  R+ puts the lower one before
// the upper one, R- behind it.  Where elements are reduced as soon as they touch, the signs in a
// label alternate (had two R+ followed each other, the lower two elements had touched before), so
// that r and the first sign say everything:
//
//   0 = S;  2r - 1 = S,R+,R-,... of r reductions;  2r = S,R-,R+,... of r
//
//   for (uint32_t k = 0; k < reductions_of(label); ++k) inverted(label, k) ? ... : ...
//
// Labels of at most r reductions are the ids 0 ... 2r.  LabelMask says which of them a stack allows
// if it is to end with one element.
#pragma once

#include <cstdint>

namespace demotic::events {

inline constexpr uint32_t kShift = 0;
inline constexpr uint32_t kShiftReduce = 1;  // S,R+
inline constexpr uint32_t kMaxDepth = 255;   // elements of a stack

constexpr uint32_t label_of(uint32_t reductions, bool inverted_first) {
  return reductions == 0 ? kShift : 2 * reductions - (inverted_first ? 0 : 1);
}
constexpr uint32_t reductions_of(uint32_t label) { return (label + 1) / 2; }
constexpr bool inverted(uint32_t label, uint32_t k) {
  const bool first = label != 0 && label % 2 == 0;
  return first != (k % 2 == 1);
}

// Reductions that are allowed on a stack of `depth` elements when `left` units come after this one,
// each of which can take `most` of them: from least() to depth.
struct LabelMask {
  uint32_t depth;
  uint32_t left;
  uint32_t most;  // K, at least 1

  uint32_t least() const {
    // What is left must be able to close the stack: depth + 1 - r <= 1 + left * (K - 1).
    const uint64_t closes = uint64_t{left} * (most - 1);
    return depth > closes ? depth - static_cast<uint32_t>(closes) : 0;
  }
  bool allows(uint32_t label) const {
    return reductions_of(label) <= depth && reductions_of(label) >= least();
  }
};

}  // namespace demotic::events
