// Modified Kneser-Ney smoothing as arithmetic: discounts, interpolation weights, probabilities
// (Chen and Goodman 1998, section 3 and equation 26; Heafield et al. 2013).
//
//   CountsOfCounts seen;  seen.add(adjusted_count) ...
//   Discounts d = estimate_discounts(seen, order, fallback);
//   ContextSum sum;  sum.add(count, kept) for each n-gram of the context
//   float prob = interpolate(uninterpolated(count, d, sum), interpolation_weight(d, sum), lower);
//
// Both ways of estimating (in memory and on disk) round to float at the same places, here, so that
// they agree bit by bit.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>

namespace demotic::lm {

// n_1 ... n_4: how many n-grams of an order have that adjusted count.
struct CountsOfCounts {
  std::array<uint64_t, 5> n{};
  void add(uint64_t count) {
    if (count < n.size()) ++n[count];
  }
};

// What is taken from a count of 1, 2, and 3 or more; amount[0] is 0.
struct Discounts {
  std::array<float, 4> amount{};
  bool fallback = false;  // the data did not support an estimate

  float of(uint64_t count) const { return amount[std::min<uint64_t>(count, 3)]; }
};

// Equation 26, or 0.5, 1, 1.5 where it does not apply and `fallback` allows; throws otherwise.
Discounts estimate_discounts(const CountsOfCounts& seen, unsigned order, bool fallback);

// The n-grams that share a context, counted.  Integers, so that no order of addition matters.
struct ContextSum {
  uint64_t total = 0;                   // of adjusted counts, pruned n-grams included
  uint64_t pruned = 0;                  // the part of it that pruning sets free
  std::array<uint32_t, 3> kept_with{};  // kept n-grams with count 1, 2, 3 or more

  void add(uint64_t count, bool kept) {
    total += count;
    if (!kept)
      pruned += count;
    else if (count > 0)
      ++kept_with[std::min<uint64_t>(count, 3) - 1];
  }
};

// The share of the lower order: the discounted mass over the context's total.
inline float interpolation_weight(const Discounts& discounts, const ContextSum& sum) {
  double mass = static_cast<double>(sum.pruned);
  for (unsigned i = 0; i < 3; ++i)
    mass += static_cast<double>(discounts.amount[i + 1]) * sum.kept_with[i];
  return static_cast<float>(mass / static_cast<double>(sum.total));
}

inline float uninterpolated(uint64_t count, const Discounts& discounts, const ContextSum& sum) {
  return static_cast<float>((static_cast<double>(count) - discounts.of(count)) /
                            static_cast<double>(sum.total));
}

inline float interpolate(float uninterpolated, float weight, float lower) {
  return uninterpolated + weight * lower;
}

// Base-10 logarithm as ARPA files have it; nothing is above 0, and zero is SRILM's -99.
inline float arpa_log(float value) {
  if (!(value > 0)) return -99;
  return std::min(0.0f, static_cast<float>(std::log10(static_cast<double>(value))));
}

}  // namespace demotic::lm
