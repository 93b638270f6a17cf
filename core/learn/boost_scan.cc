#include "learn/boost_scan.h"

#include <algorithm>
#include <cmath>

#include "learn/wide.h"

namespace demotic::learn {

namespace {

constexpr size_t kLanes = 4;
constexpr size_t kBlock = 64;  // atoms whose maximum is compared with the best one so far

#define EACH(value) (Doubles{} + (value))
#define KEEP(mask, x) ((Doubles)((Bits)(mask) & (Bits)(x)))  // 0 where the mask is not set
#define MOST(a, b) ((a) > (b) ? (a) : (b))

double largest(const Doubles& lanes) {
  return std::max(std::max(lanes[0], lanes[1]), std::max(lanes[2], lanes[3]));
}

}  // namespace

DEMOTIC_WIDE Promise most_promised(std::span<const double> v, double total, double lambda,
                                   Gain form) {
  const Doubles all = EACH(total), bar = EACH(lambda);
  const Doubles paid = EACH(form == Gain::hard ? 0.0 : lambda);
  const Bits no_sign = Bits{} + ~(uint64_t{1} << 63);
  Promise best;
  for (size_t begin = 0; begin < v.size(); begin += kBlock) {
    const size_t end = std::min(v.size(), begin + kBlock);
    Doubles most = {};
    for (size_t i = begin; i < end; i += kLanes) {
      double last[kLanes] = {};
      const double* from = v.data() + i;
      if (i + kLanes > end) {  // what is not there promises no more than a leaf that is not split
        for (size_t k = 0; k < kLanes; ++k) last[k] = i + k < end ? from[k] : 0.0;
        from = last;
      }
      DEMOTIC_LOAD(Doubles, one, from);
      const Doubles other = all - one;
      const Doubles a = (Doubles)((Bits)one & no_sign), b = (Doubles)((Bits)other & no_sign);
      const Doubles both = KEEP(a > bar, a - paid) + KEEP(b > bar, b - paid);
      const Doubles promise = KEEP((one > 0.0) ^ (other > 0.0), both);
      most = MOST(promise, most);
    }
    const double here = largest(most);
    if (here > best.gain) best = {here, begin, end};
  }
  return best;
}

DEMOTIC_WIDE double steepest_atom(std::span<const double> v, double total) {
  const Doubles all = EACH(total);
  const Bits no_sign = Bits{} + ~(uint64_t{1} << 63);
  Doubles most = {};
  const size_t whole = v.size() / kLanes * kLanes;
  for (size_t i = 0; i < whole; i += kLanes) {
    DEMOTIC_LOAD(Doubles, one, v.data() + i);
    const Doubles a = (Doubles)((Bits)one & no_sign);
    const Doubles b = (Doubles)((Bits)(all - one) & no_sign);
    most = MOST(a, most);
    most = MOST(b, most);
  }
  double found = largest(most);
  for (size_t i = whole; i < v.size(); ++i)
    found = std::max({found, std::abs(v[i]), std::abs(total - v[i])});
  return found;
}

}  // namespace demotic::learn
