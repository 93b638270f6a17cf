// BLEU from its sufficient statistics (Papineni et al. 2002), with the smoothings of sacreBLEU.
//
//   BleuStats sum;  sum += a;  sum -= b;         plain data: add sentences up, take them out again
//   double score = bleu(sum, {.smoothing = BleuSmoothing::exp});   0 ... 100
//
// Smoothing follows Chen and Cherry (2014): none; floor (their method 1) replaces a match count of
// zero by `value`; add_k (method 2) adds `value` to matches and totals of n >= 2, which for value 1
// is the BLEU+1 of Lin and Och (2004); exp (method 3) halves the precision at each order without a
// match.  With `effective_order` the geometric mean stops at the longest n that the hypothesis has,
// as one wants for single sentences.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>

namespace demotic::metrics {

inline constexpr size_t kBleuOrder = 4;

struct BleuStats {
  int64_t matches[kBleuOrder] = {};  // clipped n-gram matches
  int64_t totals[kBleuOrder] = {};   // n-grams of the hypothesis
  int64_t hyp_len = 0;
  int64_t ref_len = 0;  // of the reference closest in length

  BleuStats& operator+=(const BleuStats& other) {
    for (size_t n = 0; n < kBleuOrder; ++n) {
      matches[n] += other.matches[n];
      totals[n] += other.totals[n];
    }
    hyp_len += other.hyp_len;
    ref_len += other.ref_len;
    return *this;
  }

  BleuStats& operator-=(const BleuStats& other) {
    for (size_t n = 0; n < kBleuOrder; ++n) {
      matches[n] -= other.matches[n];
      totals[n] -= other.totals[n];
    }
    hyp_len -= other.hyp_len;
    ref_len -= other.ref_len;
    return *this;
  }

  bool operator==(const BleuStats&) const = default;
};
static_assert(sizeof(BleuStats) == 80);

enum class BleuSmoothing : uint8_t { none, floor, add_k, exp };

struct BleuOptions {
  BleuSmoothing smoothing = BleuSmoothing::exp;
  double value = 0.0;  // for floor and add_k
  bool effective_order = true;
};

inline double brevity_penalty(const BleuStats& stats) {
  if (stats.hyp_len >= stats.ref_len) return 1.0;
  if (stats.hyp_len <= 0) return 0.0;
  return std::exp(1.0 - static_cast<double>(stats.ref_len) / static_cast<double>(stats.hyp_len));
}

inline double bleu(const BleuStats& stats, const BleuOptions& options) {
  bool any_match = false;
  for (const int64_t count : stats.matches) any_match |= count != 0;
  if (!any_match) return 0.0;

  size_t order = options.effective_order ? 0 : kBleuOrder;
  size_t seen = 0;
  double log_sum = 0.0;
  double halving = 1.0;
  for (size_t n = 0; n < kBleuOrder; ++n) {
    const double added = options.smoothing == BleuSmoothing::add_k && n > 0 ? options.value : 0.0;
    double match = static_cast<double>(stats.matches[n]) + added;
    const double total = static_cast<double>(stats.totals[n]) + added;
    if (total == 0.0) break;
    if (match == 0.0 && options.smoothing == BleuSmoothing::exp) match = 1.0 / (halving *= 2.0);
    if (match == 0.0 && options.smoothing == BleuSmoothing::floor) match = options.value;
    if (match == 0.0) return 0.0;
    log_sum += std::log(100.0 * match / total);
    seen = n + 1;
  }
  if (options.effective_order) order = seen;
  if (seen < order) return 0.0;  // the hypothesis is too short to have n-grams of every order
  return brevity_penalty(stats) * std::exp(log_sum / static_cast<double>(order));
}

}  // namespace demotic::metrics
