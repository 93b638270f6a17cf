#include "grammar/fisher_test.h"

#include <algorithm>
#include <cmath>

#include "io/error.h"

namespace demotic::grammar {

namespace {

double log_factorial(int64_t n) { return std::lgamma(static_cast<double>(n) + 1); }

double log_choose(int64_t n, int64_t k) {
  return log_factorial(n) - log_factorial(k) - log_factorial(n - k);
}

}  // namespace

double fisher_evidence(const SentenceCounts& seen, int64_t sentences) {
  const auto [pair, source, target] = seen;
  const int64_t most = std::min(source, target);
  const int64_t least = std::max<int64_t>(0, source + target - sentences);
  if (pair < 0 || pair > most || std::max(source, target) > sentences)
    throw io::Error(io::Fault::argument, "counts of sentences that cannot be");
  if (pair <= least) return 0;  // they always share so many
  if (pair == 1 && most == 1)   // the frequent case: the other side's share of the sentences
    return std::log(static_cast<double>(sentences)) -
           std::log(static_cast<double>(std::max(source, target)));

  // Terms are taken relative to the largest of the tail, from which they fall on both sides.
  const auto rise = [&](int64_t k) {  // from k to k + 1
    return static_cast<double>(source - k) * static_cast<double>(target - k) /
           (static_cast<double>(k + 1) * static_cast<double>(sentences - source - target + k + 1));
  };
  const double mode = (static_cast<double>(source) + 1) * (static_cast<double>(target) + 1) /
                      (static_cast<double>(sentences) + 2);
  const int64_t peak = std::clamp(static_cast<int64_t>(mode), pair, most);
  constexpr double kNothing = 1e-18;
  double sum = 1;
  double term = 1;
  for (int64_t k = peak; k < most && term > kNothing; ++k) sum += term *= rise(k);
  term = 1;
  for (int64_t k = peak; k > pair && term > kNothing; --k) sum += term /= rise(k - 1);
  const double log_peak = log_choose(source, peak) + log_choose(sentences - source, target - peak) -
                          log_choose(sentences, target);
  return std::max(0.0, -(log_peak + std::log(sum)));
}

}  // namespace demotic::grammar
