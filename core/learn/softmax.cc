#include "learn/softmax.h"

#include <cmath>
#include <cstring>
#include <limits>

#include "learn/wide.h"

namespace demotic::learn {

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

}  // namespace

DEMOTIC_WIDE void dense_scores(const double* w, uint32_t width, const float* x, uint32_t n,
                               double* s) {
  if (n < 4) {
    for (uint32_t j = 0; j < n; ++j) {
      double sum = 0.0;
      for (uint32_t f = 0; f < width; ++f) sum += w[f] * static_cast<double>(x[size_t{f} * n + j]);
      s[j] = sum;
    }
    return;
  }
  for (uint32_t at = 0; at < n; at += 4) {
    const uint32_t j = at + 4 <= n ? at : n - 4;  // the last four overlap those before
    Doubles sum = {};
    for (uint32_t f = 0; f < width; ++f) {
      DEMOTIC_LOAD(Floats, values, x + size_t{f} * n + j);
      sum += w[f] * __builtin_convertvector(values, Doubles);
    }
    std::memcpy(s + j, &sum, sizeof(sum));
  }
}

DEMOTIC_WIDE Softmax to_probabilities(double* s, uint32_t n) {
  const auto room = static_cast<uint32_t>(softmax_room(n));
  for (uint32_t j = n; j < room; ++j) s[j] = s[0];
  Doubles most = {-kInfinity, -kInfinity, -kInfinity, -kInfinity};
  Doubles check = {};  // becomes NaN with the first score that is not finite
  for (uint32_t j = 0; j < room; j += 4) {
    DEMOTIC_LOAD(Doubles, v, s + j);
    most = v > most ? v : most;
    check += v - v;
  }
  const double best = std::fmax(std::fmax(most[0], most[1]), std::fmax(most[2], most[3]));
  if (!(check[0] + check[1] + check[2] + check[3] == 0.0))
    return {std::numeric_limits<double>::quiet_NaN(), 0.0};

  // exp(x) for x in [-708, 0]: x = k ln 2 + r, a Taylor polynomial of degree 11 in |r| <= ln 2 / 2
  // (6e-15 off at most),
  // and k put into the exponent.
  constexpr double kLog2E = 1.4426950408889634;
  constexpr double kLn2High = 6.93147180369123816490e-01;
  constexpr double kLn2Low = 1.90821492927058770002e-10;
  constexpr double kRound = 6755399441055744.0;  // 1.5 * 2^52: adding it rounds to an integer
  constexpr double kTaylor[] = {2.505210838544172e-08,
                                2.755731922398589e-07,
                                2.7557319223985893e-06,
                                2.48015873015873e-05,
                                0.0001984126984126984,
                                0.001388888888888889,
                                0.008333333333333333,
                                0.041666666666666664,
                                0.16666666666666666,
                                0.5,
                                1.0,
                                1.0};
  Doubles sum = {};
  for (uint32_t j = 0; j < room; j += 4) {
    DEMOTIC_LOAD(Doubles, x, s + j);
    x -= best;
    x = x < -708.0 ? Doubles{-708.0, -708.0, -708.0, -708.0} : x;
    const Doubles shifted = x * kLog2E + kRound;
    const Doubles k = shifted - kRound;
    const Doubles r = (x - k * kLn2High) - k * kLn2Low;
    Doubles p = {};
    for (const double term : kTaylor) p = p * r + term;
    Bits exponent, bits;
    std::memcpy(&exponent, &shifted, sizeof(exponent));
    std::memcpy(&bits, &p, sizeof(bits));
    bits += exponent << 52;
    std::memcpy(&p, &bits, sizeof(p));
    if (j + 4 > n)
      for (uint32_t i = n - j; i < 4; ++i) p[i] = 0.0;
    sum += p;
    std::memcpy(s + j, &p, sizeof(p));
  }
  const double total = (sum[0] + sum[2]) + (sum[1] + sum[3]);
  const double scale = 1.0 / total;
  for (uint32_t j = 0; j < room; ++j) s[j] *= scale;
  return {best + std::log(total), scale};  // exp(0) is exactly 1
}

DEMOTIC_WIDE void expectations(const double* p, uint32_t width, const float* x, uint32_t n,
                               double* mean) {
  const uint32_t whole = n / 4 * 4;
  const uint32_t rest = n - whole;
  // Of the last four values those that were not counted yet.
  Doubles last = {};
  if (rest > 0 && n >= 4) {
    std::memcpy(&last, p + n - 4, sizeof(last));
    for (uint32_t i = 0; i < 4 - rest; ++i) last[i] = 0.0;
  }
  for (uint32_t f = 0; f < width; ++f, x += n) {
    if (n < 4) {
      double sum = 0.0;
      for (uint32_t j = 0; j < n; ++j) sum += p[j] * static_cast<double>(x[j]);
      mean[f] = sum;
      continue;
    }
    Doubles sum = {};
    for (uint32_t j = 0; j < whole; j += 4) {
      DEMOTIC_LOAD(Floats, values, x + j);
      DEMOTIC_LOAD(Doubles, weight, p + j);
      sum += weight * __builtin_convertvector(values, Doubles);
    }
    if (rest > 0) {
      DEMOTIC_LOAD(Floats, values, x + n - 4);
      sum += last * __builtin_convertvector(values, Doubles);
    }
    mean[f] = (sum[0] + sum[2]) + (sum[1] + sum[3]);
  }
}

}  // namespace demotic::learn
