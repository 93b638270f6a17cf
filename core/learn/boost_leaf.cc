#include "learn/boost_leaf.h"

#include <algorithm>

namespace demotic::learn {

namespace {

struct Slope {
  double s;          // of the loss, downwards: sum_i b_i y_i / (1 + exp(y_i (h_i + d)))
  double curvature;  // how fast s falls
};

Slope slope_at(std::span<const LeafPlace> places, double d) {
  Slope sum{0.0, 0.0};
  for (const LeafPlace& place : places) {
    const double x = place.h + d;
    const double e = std::exp(-std::abs(x));
    const double near = 1.0 / (1.0 + e), far = e / (1.0 + e);
    const double q = x >= 0 ? far : near;  // how probable a negative one is here
    const double p = x >= 0 ? near : far;
    sum.s += place.positive * q - place.negative * p;
    sum.curvature += (place.positive + place.negative) * p * q;
  }
  return sum;
}

}  // namespace

double fit_leaf(std::span<const LeafPlace> places, double theta, double lambda) {
  constexpr double kFar = 1e6;  // no weight needs to be larger
  constexpr double kNear = 1e-10;
  const Slope at_zero = slope_at(places, -theta);
  if (std::abs(at_zero.s) <= lambda) return -theta;  // the weight becomes 0
  const double sigma = at_zero.s > 0 ? 1.0 : -1.0;
  // f(x) = sigma s(-theta + sigma x) - lambda falls and is positive at x = 0; its root is sought.
  double low = 0.0, high = INFINITY;
  double x = sigma * theta > 0 ? sigma * theta : 0.0;  // where the weight is now, on that side
  if (x == 0.0) x = std::min(1.0, (sigma * at_zero.s - lambda) / std::max(at_zero.curvature, 1e-3));
  for (int round = 0; round < 200; ++round) {
    const Slope here = slope_at(places, sigma * x - theta);
    const double f = sigma * here.s - lambda;
    (f > 0 ? low : high) = x;
    if (std::abs(f) <= kNear * std::max(1.0, lambda)) break;
    double next = here.curvature > 0 ? x + f / here.curvature : INFINITY;
    // Where the curve is flat Newton's step is too long.
    if (high == INFINITY)
      next = std::min(next, 2.0 * x + 1.0);
    else if (!(next > low && next < high))
      next = 0.5 * (low + high);
    if (std::abs(next - x) <= kNear * (1.0 + x) || next > kFar) {
      x = std::min(next, kFar);
      break;
    }
    x = next;
  }
  return sigma * x - theta;
}

}  // namespace demotic::learn
