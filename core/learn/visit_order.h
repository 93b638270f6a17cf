// The order in which a pass visits n events: random, and kind to memory.
//
//   VisitOrder order(n, seed, pass);
//   for (uint64_t i = 0; i < n; ++i) visit(order(i));        each of 0 ... n - 1 once
//
// A few events are visited in an order that is random throughout.  Where they are too many for the
// caches, neighbours are visited together: chunks of them in random order, and those of a chunk in
// random order, so that memory (or a mapped file) is read a chunk at a time.  Chunks begin
// elsewhere in every pass.
#pragma once

#include <cstdint>

#include "events/permutation.h"
#include "io/checksum.h"

namespace demotic::learn {

class VisitOrder {
 public:
  static constexpr uint64_t kChunk = 1024;
  static constexpr uint64_t kFew = uint64_t{1} << 16;

  VisitOrder(uint64_t size, uint64_t seed, uint64_t pass)
      : size_(size),
        chunked_(size > kFew ? size / kChunk * kChunk : 0),
        shift_(chunked_ > 0 ? io::mix64(io::mix64(seed) + pass) % size : 0),
        chunks_(chunked_ / kChunk, seed, pass),
        inside_(kChunk, seed, pass),
        rest_(size - chunked_, seed, pass) {}

  uint64_t operator()(uint64_t i) const {
    if (chunked_ == 0) return rest_(i);
    uint64_t place = 0;
    if (i < chunked_) {
      const uint64_t chunk = chunks_(i / kChunk);
      place = chunk * kChunk + inside_(i % kChunk, io::mix64(chunk));
    } else {
      place = chunked_ + rest_(i - chunked_);
    }
    place += shift_;
    return place < size_ ? place : place - size_;
  }

 private:
  uint64_t size_, chunked_, shift_;  // how many; how many in whole chunks; where the first begins
  events::Permutation chunks_, inside_, rest_;
};

}  // namespace demotic::learn
