// A random order of n things that is computed place by place, never stored: a Feistel network over
// as many bits as n needs, walked until it lands below n (Black and Rogaway 2002).
//
//   Permutation order(n, seed, pass);
//   for (uint64_t i = 0; i < n; ++i) visit(order(i));        each of 0 ... n - 1 once
//   order(i, tweak)                                          another order for each tweak
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>

#include "io/checksum.h"

namespace demotic::events {

class Permutation {
 public:
  Permutation(uint64_t size, uint64_t seed, uint64_t pass) : size_(size) {
    const auto bits = static_cast<unsigned>(std::bit_width(std::max<uint64_t>(size, 3) - 1));
    low_bits_ = bits / 2;
    high_bits_ = bits - low_bits_;
    uint64_t state = io::mix64(seed + 0x9e3779b185ebca87ull) ^ io::mix64(~pass);
    for (uint64_t& key : keys_) key = state = io::mix64(state + 0x9e3779b185ebca87ull);
  }

  uint64_t operator()(uint64_t i, uint64_t tweak = 0) const {
    do {
      i = shuffle(i, tweak);
    } while (i >= size_);
    return i;
  }

 private:
  // Each half in turn is changed by what the other one says.
  uint64_t shuffle(uint64_t i, uint64_t tweak) const {
    uint64_t high = i >> low_bits_;
    uint64_t low = i & ((uint64_t{1} << low_bits_) - 1);
    for (int round = 0; round < kRounds; round += 2) {
      high ^= noise(low, keys_[round] ^ tweak) >> (64 - high_bits_);
      low ^= noise(high, keys_[round + 1] ^ tweak) >> (64 - low_bits_);
    }
    return high << low_bits_ | low;
  }
  static uint64_t noise(uint64_t half, uint64_t key) {
    const uint64_t product = (half ^ key) * 0x9e3779b185ebca87ull;
    return (product ^ product >> 29) * 0xd6e8feb86659fd93ull;
  }

  static constexpr int kRounds = 4;
  uint64_t size_;
  unsigned low_bits_, high_bits_;
  uint64_t keys_[kRounds];
};

}  // namespace demotic::events
