// Expected counts as 64-bit fixed-point numbers.  Integer addition is associative, so that a sum
// does not depend on the order in which threads add to it: the same bytes on every run.
//
//   Fixed total = 0;  add<false>(total, to_fixed(0.25f));   from_fixed(total) == 0.25
#pragma once

#include <atomic>
#include <cstdint>

namespace demotic::align {

using Fixed = int64_t;

// Room for 2^31 whole counts at a resolution of 2^-32.
inline constexpr double kFixedOne = 4294967296.0;

inline Fixed to_fixed(float value) {
  return static_cast<Fixed>(value * static_cast<float>(kFixedOne));
}
inline Fixed to_fixed(double value) { return static_cast<Fixed>(value * kFixedOne); }
inline double from_fixed(Fixed value) { return static_cast<double>(value) / kFixedOne; }

// Adds to a sum that other threads may (`shared`) add to as well.
template <bool shared>
inline void add(Fixed& sum, Fixed value) {
  if constexpr (shared) {
    std::atomic_ref(sum).fetch_add(value, std::memory_order_relaxed);
  } else {
    sum += value;
  }
}

}  // namespace demotic::align
