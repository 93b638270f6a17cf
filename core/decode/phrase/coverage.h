// The source words that phrase-based hypotheses have translated, each set stored once.
//
//   CoverageTable table;
//   table.start(limit);                            a new sentence; the empty set is number 0
//   uint32_t c = table.add(0, begin, end);         ... with one span more
//   table.first_gap(c);  table.next_covered(c, i);  table.next_free(c, i);
//
// Below its first gap a set holds everything.  From there a window of bits tells which words are in
// it: 64 of them, or as many words of 64 bits as a limit of more than 64 needs.  Nobody may ask to
// cover a span that ends more than `limit` words behind the first gap, unless it begins there.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <vector>

#include "hash_index.h"
#include "io/checksum.h"

namespace demotic::decode::phrase {

class CoverageTable {
 public:
  void start(uint32_t limit) {
    width_ = limit / 64 + 1;
    gaps_.assign(1, 0);
    bits_.assign(width_, 0);
    index_.clear();
    insert(0);
  }

  uint32_t size() const { return static_cast<uint32_t>(gaps_.size()); }
  uint32_t first_gap(uint32_t set) const { return gaps_[set]; }

  // The first word from `at` on that is in the set, or kEnd; `at` is not below the first gap.
  static constexpr uint32_t kEnd = UINT32_MAX;
  uint32_t next_covered(uint32_t set, uint32_t at) const { return next(set, at, 0); }
  // The first that is not in it.
  uint32_t next_free(uint32_t set, uint32_t at) const {
    const uint32_t found = next(set, at, ~uint64_t{0});
    return found == kEnd ? std::max(at, gaps_[set] + 64 * width_) : found;
  }

  uint32_t add(uint32_t set, uint32_t begin, uint32_t end) {
    const uint32_t made = size();
    bits_.resize(bits_.size() + width_);
    uint64_t* out = bits_.data() + size_t{made} * width_;
    const uint64_t* in = bits_.data() + size_t{set} * width_;
    const uint32_t gap = gaps_[set];
    if (begin == gap) {  // all up to the next gap leaves the window
      const uint32_t next_gap = next_free(set, end);
      const uint32_t shift = next_gap - gap;
      for (uint32_t i = 0; i < width_; ++i) {
        const uint64_t from = i + uint64_t{shift} / 64;
        const uint64_t low = from < width_ ? in[from] : 0;
        const uint64_t high = from + 1 < width_ ? in[from + 1] : 0;
        out[i] = shift % 64 == 0 ? low : low >> (shift % 64) | high << (64 - shift % 64);
      }
      gaps_.push_back(next_gap);
    } else {
      for (uint32_t i = 0; i < width_; ++i) out[i] = in[i];
      for (uint32_t i = begin - gap; i < end - gap; ++i) out[i / 64] |= uint64_t{1} << (i % 64);
      gaps_.push_back(gap);
    }
    const uint32_t found = insert(made);
    if (found != made) {
      gaps_.pop_back();
      bits_.resize(bits_.size() - width_);
    }
    return found;
  }

 private:
  const uint64_t* window(uint32_t set) const { return bits_.data() + size_t{set} * width_; }

  uint32_t next(uint32_t set, uint32_t at, uint64_t flip) const {
    const uint64_t* bits = window(set);
    const uint32_t gap = gaps_[set];
    uint32_t i = (at - gap) / 64;
    if (i >= width_) return kEnd;
    uint64_t rest = (bits[i] ^ flip) & (~uint64_t{0} << ((at - gap) % 64));
    while (rest == 0)
      if (++i == width_)
        return kEnd;
      else
        rest = bits[i] ^ flip;
    return gap + 64 * i + static_cast<uint32_t>(std::countr_zero(rest));
  }

  uint32_t insert(uint32_t set) {
    const uint64_t* bits = window(set);
    uint64_t hash = gaps_[set];
    for (uint32_t i = 0; i < width_; ++i) hash = io::mix64(hash ^ bits[i]);
    return index_.find_or_add(hash, set, [&](uint32_t other) {
      return gaps_[other] == gaps_[set] && std::equal(bits, bits + width_, window(other));
    });
  }

  uint32_t width_ = 1;
  std::vector<uint32_t> gaps_;
  std::vector<uint64_t> bits_;  // width_ words for each set
  HashIndex index_;
};

}  // namespace demotic::decode::phrase
