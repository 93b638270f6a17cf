// Ranks by Zipf's law: rank r of n, from 1, with probability proportional to r to the -exponent.
//
//   ZipfLaw zipf;
//   zipf.set_exponent(1);
//   zipf(uniform, n)              a number in [0, 1) becomes a rank, by inversion
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "io/error.h"

namespace demotic::decode::umt {

class ZipfLaw {
 public:
  void set_exponent(double exponent) {
    if (!std::isfinite(exponent)) throw io::Error(io::Fault::argument, "the exponent is no number");
    if (exponent != exponent_) sums_.clear();
    exponent_ = exponent;
  }

  uint64_t operator()(double uniform, uint64_t n) {
    while (sums_.size() < n) {
      const double mass = std::pow(static_cast<double>(sums_.size() + 1), -exponent_);
      sums_.push_back(sums_.empty() ? mass : sums_.back() + mass);
    }
    const auto end = sums_.begin() + static_cast<std::ptrdiff_t>(n);
    const auto at = std::upper_bound(sums_.begin(), end, uniform * *(end - 1));
    return std::min<uint64_t>(static_cast<uint64_t>(at - sums_.begin()) + 1, n);
  }

 private:
  double exponent_ = 1;
  std::vector<double> sums_;  // of the first 1, 2, ... masses
};

}  // namespace demotic::decode::umt
