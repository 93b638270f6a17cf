// The best step for the weight of one compound feature: an exact line search.
//
//   fit_leaf(places, theta, lambda)     the delta that minimises
//       phi(d) = sum_i pos_i ln(1 + exp(-h_i - d)) + neg_i ln(1 + exp(h_i + d)) + lambda |theta +
//       d|
//   loss(place, d)                      a summand of it
//   steepest(v, theta, lambda, ...)     (7.6)-(7.9): how fast risk falls along a feature at best
#pragma once

#include <cmath>
#include <span>

namespace demotic::learn {

// Examples with the same margin: how much weight positive and negative ones have.
struct LeafPlace {
  double h;
  double positive;
  double negative;
};

// 1 / (1 + exp(x)), ln(1 + exp(x)): for any x.
inline double falling_sigmoid(double x) {
  if (x >= 0) {
    const double e = std::exp(-x);
    return e / (1.0 + e);
  }
  return 1.0 / (1.0 + std::exp(x));
}
inline double softplus(double x) {
  return x > 0 ? x + std::log1p(std::exp(-x)) : std::log1p(std::exp(x));
}

inline double loss(const LeafPlace& place, double d) {
  double sum = 0.0;
  if (place.positive > 0) sum += place.positive * softplus(-place.h - d);
  if (place.negative > 0) sum += place.negative * softplus(place.h + d);
  return sum;
}

inline double steepest(double v, double theta, double lambda, bool l2) {
  if (l2) return std::abs(v - 2.0 * lambda * theta);                           // (7.9)
  if (theta == 0.0) return std::abs(v) > lambda ? std::abs(v) - lambda : 0.0;  // (7.8)
  return std::abs(v - (theta > 0 ? lambda : -lambda));                         // (7.7)
}

double fit_leaf(std::span<const LeafPlace> places, double theta, double lambda);

}  // namespace demotic::learn
