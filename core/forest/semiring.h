// What a derivation's edges multiply to and its alternatives add to.  `inside` and `outside` are
// written once, over any of these types:
//
//   Boolean  is there a derivation?               Exp1   <p, r>: sums of p and of p * r
//   Count    how many? (infinite on overflow)     Exp2   <p, r, s, t>: also of p * s and p * r * s
//   MaxPlus  the best, and its edge               Mean1  Exp1 as (log p, mean r)
//   Log      the log of their sum                 Mean2  Exp2 as (log p, means, covariance)
//
// Exp1 and Exp2 are the expectation semirings of Li & Eisner (2009) as written there; they overflow
// on real forests.  Mean1 and Mean2 are the same algebra, normalised: no signed logs, no
// cancellation.  The envelope semiring of MERT is in envelope.h.
#pragma once

#include <algorithm>
#include <cmath>
#include <concepts>
#include <cstdint>
#include <limits>

namespace demotic::forest {

template <class K>
concept Semiring = std::copyable<K> && requires(const K a, const K b) {
  { K::zero() } -> std::same_as<K>;
  { K::one() } -> std::same_as<K>;
  { plus(a, b) } -> std::same_as<K>;
  { times(a, b) } -> std::same_as<K>;
};

inline constexpr double kLogZero = -std::numeric_limits<double>::infinity();

inline double log_add(double a, double b) {
  if (a < b) std::swap(a, b);
  return b == kLogZero ? a : a + std::log1p(std::exp(b - a));
}

struct Boolean {
  bool value;
  static Boolean zero() { return {false}; }
  static Boolean one() { return {true}; }
  friend Boolean plus(Boolean a, Boolean b) { return {a.value || b.value}; }
  friend Boolean times(Boolean a, Boolean b) { return {a.value && b.value}; }
};

struct Count {
  double value;
  static Count zero() { return {0.0}; }
  static Count one() { return {1.0}; }
  friend Count plus(Count a, Count b) { return {a.value + b.value}; }
  friend Count times(Count a, Count b) {
    return {a.value == 0.0 || b.value == 0.0 ? 0.0 : a.value * b.value};  // 0 * infinity is 0
  }
};

// The weight of edge e is {score, e}; a node's value then names its best edge, the first of equals.
struct MaxPlus {
  double value;
  uint32_t edge = 0xffffffffu;
  static MaxPlus zero() { return {kLogZero}; }
  static MaxPlus one() { return {0.0}; }
  friend MaxPlus plus(MaxPlus a, MaxPlus b) { return b.value > a.value ? b : a; }
  friend MaxPlus times(MaxPlus a, MaxPlus b) {
    return {a.value + b.value, a.edge != 0xffffffffu ? a.edge : b.edge};
  }
};

struct Log {
  double value;
  static Log zero() { return {kLogZero}; }
  static Log one() { return {0.0}; }
  friend Log plus(Log a, Log b) { return {log_add(a.value, b.value)}; }
  friend Log times(Log a, Log b) { return {a.value + b.value}; }
};

// An edge of weight p with value r is {p, p * r}.
struct Exp1 {
  double p, r;
  static Exp1 zero() { return {0.0, 0.0}; }
  static Exp1 one() { return {1.0, 0.0}; }
  friend Exp1 plus(Exp1 a, Exp1 b) { return {a.p + b.p, a.r + b.r}; }
  friend Exp1 times(Exp1 a, Exp1 b) { return {a.p * b.p, a.p * b.r + b.p * a.r}; }
};

// An edge of weight p with values r and s is {p, p * r, p * s, p * r * s}.
struct Exp2 {
  double p, r, s, t;
  static Exp2 zero() { return {0.0, 0.0, 0.0, 0.0}; }
  static Exp2 one() { return {1.0, 0.0, 0.0, 0.0}; }
  friend Exp2 plus(Exp2 a, Exp2 b) { return {a.p + b.p, a.r + b.r, a.s + b.s, a.t + b.t}; }
  friend Exp2 times(Exp2 a, Exp2 b) {
    return {a.p * b.p, a.p * b.r + b.p * a.r, a.p * b.s + b.p * a.s,
            a.p * b.t + b.p * a.t + a.r * b.s + b.r * a.s};
  }
};

// An edge of log-weight l with value r is {l, r}.
struct Mean1 {
  double log_p, r;
  static Mean1 zero() { return {kLogZero, 0.0}; }
  static Mean1 one() { return {0.0, 0.0}; }
  friend Mean1 plus(Mean1 a, Mean1 b) {
    const double sum = log_add(a.log_p, b.log_p);
    if (sum == kLogZero) return zero();
    const double x = std::exp(a.log_p - sum);
    const double y = std::exp(b.log_p - sum);
    return {sum, x * a.r + y * b.r};
  }
  friend Mean1 times(Mean1 a, Mean1 b) { return {a.log_p + b.log_p, a.r + b.r}; }
};

// An edge of log-weight l with values r and s is {l, r, s, 0}.
struct Mean2 {
  double log_p, r, s, cov;
  static Mean2 zero() { return {kLogZero, 0.0, 0.0, 0.0}; }
  static Mean2 one() { return {0.0, 0.0, 0.0, 0.0}; }
  friend Mean2 plus(Mean2 a, Mean2 b) {
    const double sum = log_add(a.log_p, b.log_p);
    if (sum == kLogZero) return zero();
    const double x = std::exp(a.log_p - sum);
    const double y = std::exp(b.log_p - sum);
    const double r = x * a.r + y * b.r;
    const double s = x * a.s + y * b.s;
    return {sum, r, s, x * (a.cov + (a.r - r) * (a.s - s)) + y * (b.cov + (b.r - r) * (b.s - s))};
  }
  friend Mean2 times(Mean2 a, Mean2 b) {
    return {a.log_p + b.log_p, a.r + b.r, a.s + b.s, a.cov + b.cov};
  }
};

}  // namespace demotic::forest
