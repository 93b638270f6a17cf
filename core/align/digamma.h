// exp(digamma(x)): what a count becomes when the mean of a Dirichlet posterior is taken in the log
// domain, as variational Bayes does (Beal 2003, section 3.3; Johnson 2007).
//
//   weight = exp_digamma(count + alpha) / exp_digamma(total + alpha * size)
//
// For large x it is x - 1/2: every count is discounted; for x far below 1 it vanishes.
#pragma once

#include <cmath>

namespace demotic::align {

inline double exp_digamma(double x) {
  if (x <= 1e-3) return std::exp(-1.0 / x - 0.57721566490153286);
  double shift = 0;
  for (; x < 6; x += 1) shift += 1 / x;  // digamma(x) = digamma(x + 1) - 1 / x
  const double r = 1 / (x * x);
  // The asymptotic series, better than 1e-9 from x = 6 on.
  const double tail = r * (1.0 / 12 - r * (1.0 / 120 - r * (1.0 / 252 - r * (1.0 / 240))));
  return x * std::exp(-0.5 / x - tail - shift);
}

}  // namespace demotic::align
