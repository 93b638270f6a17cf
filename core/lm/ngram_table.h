// n-grams of one order behind 64-bit hashes: open addressing over buckets of one cache line each.
//
//   1. uint64_t key = ngram_key(newest);  key = extend_key(key, word_before);  ...
//   2. NgramTable<MiddleBucket> table(buckets, spill);
//   3. table.prefetch(key);  ...  if (const Hit hit = table.find(key)) hit.bucket->probs[hit.slot]
//
// A key stands for its n-gram: two n-grams of a model share one with probability 2^-64 per pair.
// A bucket is filled from its first slot; an n-gram whose bucket is full goes to the next one.
// `spill`, the farthest that any n-gram of the table went, bounds each search, so that no content
// of a damaged file can make it long or leave the memory.
#pragma once

#include <bit>
#include <cstdint>
#include <span>

namespace demotic::lm {

// Keys are built from the newest word to the oldest, so that a longer match is one step away from a
// shorter one.  Each step can be undone (see oldest words in model_builder.h).
inline constexpr uint64_t kKeyFactor = 0x9fb21c651e98df25ull;
inline constexpr uint64_t kWordFactor = 0xd6e8feb86659fd93ull;

inline uint64_t ngram_key(uint32_t word) { return (uint64_t{word} + 1) * kWordFactor; }
inline uint64_t extend_key(uint64_t key, uint32_t older) {
  return (key * kKeyFactor) ^ ((uint64_t{older} + 1) * kWordFactor);
}

constexpr uint64_t inverse_mod_2_64(uint64_t odd) {
  uint64_t inverse = odd;  // Newton's iteration doubles the number of right bits, from 3
  for (int round = 0; round < 5; ++round) inverse *= 2 - odd * inverse;
  return inverse;
}
inline uint64_t shorten_key(uint64_t key, uint32_t oldest) {
  return (key ^ ((uint64_t{oldest} + 1) * kWordFactor)) * inverse_mod_2_64(kKeyFactor);
}
inline uint32_t word_of_key(uint64_t unigram_key) {
  return static_cast<uint32_t>(unigram_key * inverse_mod_2_64(kWordFactor) - 1);
}

// Orders below the highest.
struct alignas(64) MiddleBucket {
  static constexpr unsigned kSlots = 4;
  uint64_t keys[kSlots];
  float probs[kSlots];
  float backoffs[kSlots];
};

// The highest order, which has no back-offs.
struct alignas(64) LongestBucket {
  static constexpr unsigned kSlots = 5;
  uint64_t keys[kSlots];
  float probs[kSlots];
  uint32_t zero;
};
static_assert(sizeof(MiddleBucket) == 64 && sizeof(LongestBucket) == 64);

template <class Bucket>
class NgramTable {
 public:
  struct Hit {
    Bucket* bucket = nullptr;
    unsigned slot = 0;
    explicit operator bool() const { return bucket != nullptr; }
  };

  NgramTable() = default;
  // All buckets; a search begins in one of the first `buckets.size() - spill`.
  NgramTable(std::span<Bucket> buckets, size_t spill)
      : buckets_(buckets.data()), homes_(buckets.size() - spill), spill_(spill) {}

  std::span<Bucket> buckets() const { return {buckets_, homes_ + spill_}; }
  size_t index(const Hit& hit) const {  // of the slot, counted over all buckets
    return static_cast<size_t>(hit.bucket - buckets_) * Bucket::kSlots + hit.slot;
  }

  size_t home(uint64_t key) const {
    return static_cast<size_t>((static_cast<unsigned __int128>(key) * homes_) >> 64);
  }
  void prefetch(uint64_t key) const { __builtin_prefetch(buckets_ + home(key)); }

  Hit find(uint64_t key) const {
    Bucket* bucket = buckets_ + home(key);
    for (Bucket* const last = bucket + spill_;; ++bucket) {
      unsigned found = 0;
      for (unsigned slot = 0; slot < Bucket::kSlots; ++slot)
        found |= static_cast<unsigned>(bucket->keys[slot] == key) << slot;
      if (found != 0) return {bucket, static_cast<unsigned>(std::countr_zero(found))};
      if (bucket->keys[Bucket::kSlots - 1] == 0 || bucket == last) return {};
    }
  }

 private:
  Bucket* buckets_ = nullptr;
  size_t homes_ = 0;
  size_t spill_ = 0;
};

}  // namespace demotic::lm
