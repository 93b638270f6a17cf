// What a language model must remember of the words so far.
//
// A State is plain data of 64 bytes, one cache line.  It holds the longest suffix of the history
// that some n-gram of the model extends to the right; two histories with equal States get equal
// scores for whatever follows, so a decoder may recombine them (Li and Khudanpur 2008).
//
// Entries beyond `length` are zero: States may be compared and hashed as bytes.
#pragma once

#include <cstdint>
#include <cstring>
#include <type_traits>

#include "io/checksum.h"

namespace demotic::lm {

inline constexpr unsigned kMaxOrder = 8;

struct State {
  uint32_t length;
  uint32_t words[kMaxOrder - 1];  // newest first
  float backoffs[kMaxOrder - 1];  // of the suffixes of 1, 2, ... words, log10
  uint32_t zero;

  // The back-offs follow from the words, so the first half decides.
  bool operator==(const State& other) const {
    return std::memcmp(this, &other, offsetof(State, backoffs)) == 0;
  }
  uint64_t hash() const {
    uint64_t halves[offsetof(State, backoffs) / sizeof(uint64_t)];
    std::memcpy(halves, this, sizeof halves);
    uint64_t hash = 0;
    for (const uint64_t half : halves) hash = (hash ^ half) * 0x9e3779b97f4a7c15ull;
    return io::mix64(hash);
  }
};
static_assert(sizeof(State) == 64 && std::is_trivially_copyable_v<State>);

}  // namespace demotic::lm
