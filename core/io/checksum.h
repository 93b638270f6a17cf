// A fast 64-bit checksum for binary parts: eight independent lanes, so that it runs at the speed of
// memory.  It detects damage; it is no defence against a forger.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace demotic::io {

static_assert(std::endian::native == std::endian::little, "binary parts are little-endian");

inline uint64_t mix64(uint64_t x) {
  x ^= x >> 32;
  x *= 0xd6e8feb86659fd93ull;
  x ^= x >> 29;
  x *= 0xd6e8feb86659fd93ull;
  return x ^ (x >> 32);
}

inline uint64_t checksum64(const void* data, size_t size) {
  constexpr uint64_t kPrime = 0x9e3779b185ebca87ull;
  const auto* p = static_cast<const unsigned char*>(data);
  uint64_t lane[8];
  for (int i = 0; i < 8; ++i) lane[i] = kPrime * static_cast<uint64_t>(2 * i + 1);
  size_t left = size;
  for (; left >= 64; left -= 64, p += 64) {
    uint64_t word[8];
    std::memcpy(word, p, 64);
    for (int i = 0; i < 8; ++i) lane[i] = std::rotl((lane[i] ^ word[i]) * kPrime, 31);
  }
  uint64_t h = mix64(size + 1);
  for (int i = 0; i < 8; ++i) h = mix64(h ^ lane[i]) + kPrime;
  for (; left >= 8; left -= 8, p += 8) {
    uint64_t word;
    std::memcpy(&word, p, 8);
    h = mix64(h ^ word) + kPrime;
  }
  uint64_t rest = 0;
  if (left > 0) std::memcpy(&rest, p, left);  // p may be null when there is nothing
  return mix64(h ^ rest);
}

}  // namespace demotic::io
