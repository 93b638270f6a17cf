// n-grams packed into fixed-width keys, and a radix sort for records that carry such a key.
//
//   NgramPacking packing(vocabulary, order);          bits per word follow from the vocabulary
//   PackedNgram<2> key{};  packing.set(key, 0, word); position 0 is the most significant
//   radix_sort(records, scratch, packing, order, threads);
//
// A limb of 64 bits holds as many whole words as fit, so that no word straddles two limbs: a 5-gram
// over 10,000 words takes two limbs, over 4,000 words one.  Keys compare like the sequence of words
// at positions 0, 1, 2, ...; who wants suffix order puts the last word at position 0.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "parallel.h"

namespace demotic::lm {

template <size_t Limbs>
struct PackedNgram {
  std::array<uint64_t, Limbs> limb;

  friend bool operator==(const PackedNgram&, const PackedNgram&) = default;
  friend auto operator<=>(const PackedNgram&, const PackedNgram&) = default;
};

// A record is sorted by its `key`; a bare key is its own record.
template <class Record>
const auto& key_of(const Record& record) {
  return record.key;
}
template <size_t Limbs>
const PackedNgram<Limbs>& key_of(const PackedNgram<Limbs>& key) {
  return key;
}

class NgramPacking {
 public:
  NgramPacking(uint32_t vocabulary, unsigned order)
      : order_(order),
        bits_(std::max(1u, static_cast<unsigned>(std::bit_width(vocabulary - 1)))),
        per_limb_(64 / bits_) {}

  unsigned order() const { return order_; }
  unsigned limbs() const { return (order_ + per_limb_ - 1) / per_limb_; }

  template <size_t Limbs>
  uint32_t word(const PackedNgram<Limbs>& key, unsigned position) const {
    return static_cast<uint32_t>((key.limb[position / per_limb_] >> shift(position)) & mask());
  }

  // Writes into a position that is still zero.
  template <size_t Limbs>
  void set(PackedNgram<Limbs>& key, unsigned position, uint32_t word) const {
    key.limb[position / per_limb_] |= static_cast<uint64_t>(word) << shift(position);
  }

  // The key with everything from `length` on cleared.
  template <size_t Limbs>
  PackedNgram<Limbs> head(const PackedNgram<Limbs>& key, unsigned length) const {
    PackedNgram<Limbs> out{};
    for (unsigned position = 0; position < length; ++position)
      set(out, position, word(key, position));
    return out;
  }

  // How many of the first `length` positions two keys share before they differ.
  template <size_t Limbs>
  unsigned common(const PackedNgram<Limbs>& a, const PackedNgram<Limbs>& b, unsigned length) const {
    for (unsigned limb = 0; limb < Limbs; ++limb) {
      const uint64_t difference = a.limb[limb] ^ b.limb[limb];
      if (difference == 0) continue;
      const auto width = static_cast<unsigned>(std::bit_width(difference));
      const unsigned same = (per_limb_ * bits_ - width) / bits_;
      return std::min(length, limb * per_limb_ + same);
    }
    return length;
  }

  // A slice of a key that one pass of the radix sort looks at.
  struct Digit {
    unsigned limb, shift, width;
    template <size_t Limbs>
    size_t of(const PackedNgram<Limbs>& key) const {
      return (key.limb[limb] >> shift) & ((uint64_t{1} << width) - 1);
    }
  };

  // The digits of the first `length` positions, the most significant first.
  std::vector<Digit> digits(unsigned length) const {
    constexpr unsigned kWidest = 11;  // 2,048 counters stay in the first-level cache
    std::vector<Digit> out;
    for (unsigned limb = 0; limb * per_limb_ < length; ++limb) {
      const unsigned words = std::min(per_limb_, length - limb * per_limb_);
      unsigned top = per_limb_ * bits_;
      const unsigned bottom = top - words * bits_;
      while (top > bottom) {
        const unsigned width = std::min(kWidest, top - bottom);
        top -= width;
        out.push_back({limb, top, width});
      }
    }
    return out;
  }

 private:
  unsigned shift(unsigned position) const { return (per_limb_ - 1 - position % per_limb_) * bits_; }
  uint64_t mask() const { return (uint64_t{1} << bits_) - 1; }

  unsigned order_, bits_, per_limb_;
};

namespace detail {

// Least significant digit first, between two equally long buffers; the result ends up in `records`.
template <class Record>
void sort_bucket(std::span<Record> records, std::span<Record> scratch,
                 std::span<const NgramPacking::Digit> digits) {
  constexpr size_t kFew = 1024;  // below, clearing the counters costs more than comparing
  if (records.size() < kFew) {
    std::sort(records.begin(), records.end(),
              [](const Record& a, const Record& b) { return key_of(a) < key_of(b); });
    return;
  }
  std::span<Record> from = records, to = scratch;
  for (size_t pass = digits.size(); pass-- > 0;) {
    const NgramPacking::Digit digit = digits[pass];
    std::array<size_t, 2048> at{};
    for (const Record& record : from) ++at[digit.of(key_of(record))];
    if (at[digit.of(key_of(from[0]))] == from.size()) continue;  // all alike: nothing moves
    size_t sum = 0;
    for (size_t& slot : at) sum += std::exchange(slot, sum);
    for (const Record& record : from) to[at[digit.of(key_of(record))]++] = record;
    std::swap(from, to);
  }
  if (from.data() != records.data()) std::copy(from.begin(), from.end(), records.begin());
}

}  // namespace detail

// Sorts by the first `length` positions of the key.  `scratch` grows to the same size.  Threads
// share out the values of the first digit, so the result does not depend on their number.
template <class Record>
void radix_sort(std::vector<Record>& records, std::vector<Record>& scratch,
                const NgramPacking& packing, unsigned length, unsigned threads) {
  const std::vector<NgramPacking::Digit> digits = packing.digits(length);
  if (digits.empty() || records.size() < 2) return;
  scratch.resize(records.size());
  const NgramPacking::Digit first = digits.front();
  std::array<size_t, 2049> border{};
  for (const Record& record : records) ++border[first.of(key_of(record)) + 1];
  for (size_t i = 1; i < border.size(); ++i) border[i] += border[i - 1];
  std::array<size_t, 2049> at = border;
  for (const Record& record : records) scratch[at[first.of(key_of(record))]++] = record;
  records.swap(scratch);
  const std::span<const NgramPacking::Digit> rest(digits.begin() + 1, digits.end());
  parallel_for(size_t{1} << first.width, threads, [&](size_t bucket, unsigned) {
    const size_t begin = border[bucket], size = border[bucket + 1] - begin;
    if (size < 2) return;
    detail::sort_bucket(std::span(records).subspan(begin, size),
                        std::span(scratch).subspan(begin, size), rest);
  });
}

}  // namespace demotic::lm
