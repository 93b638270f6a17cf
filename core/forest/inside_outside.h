// The two sums that everything else is made of (Baker 1979; Goodman 1999), over any semiring:
//
//   std::vector<Log> beta(f.nodes()), alpha(f.nodes());
//   const auto weight = [&](uint32_t e) { return Log{f.score[e]}; };
//   inside<Log>(f, weight, beta);           beta(v)  = (+)_e  w(e) (x) beta(t_1) (x) ...
//   outside<Log>(f, weight, beta, alpha);
//                                   alpha(t) = (+)_(e,i) alpha(head) (x) w(e) (x) the others
//
// Outside goes by tail position, for a node may be the tail of one edge twice, and multiplies
// prefix and suffix products, for a semiring has no division.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "forest/forest.h"
#include "forest/semiring.h"

namespace demotic::forest {

template <Semiring K, class Weight>
void inside(const Forest& f, Weight weight, std::span<K> beta) {
  for (uint32_t v = 0; v < f.nodes(); ++v) {
    K sum = K::zero();
    for (uint32_t e = f.in_off[v]; e < f.in_off[v + 1]; ++e) {
      K product = weight(e);
      for (const uint32_t tail : f.tails_of(e)) product = times(product, beta[tail]);
      sum = plus(sum, product);
    }
    beta[v] = std::move(sum);
  }
}

template <Semiring K, class Weight>
void outside(const Forest& f, Weight weight, std::span<const K> beta, std::span<K> alpha) {
  std::fill(alpha.begin(), alpha.end(), K::zero());
  alpha[f.root()] = K::one();
  std::vector<K> suffix(f.max_arity() + 1, K::one());  // of the tails right of a position
  for (uint32_t v = f.nodes(); v-- > 0;) {
    for (uint32_t e = f.in_off[v]; e < f.in_off[v + 1]; ++e) {
      const std::span<const uint32_t> tails = f.tails_of(e);
      if (tails.empty()) continue;
      suffix[tails.size()] = K::one();
      for (size_t i = tails.size(); i-- > 0;) suffix[i] = times(beta[tails[i]], suffix[i + 1]);
      K prefix = times(alpha[v], weight(e));
      for (size_t i = 0; i < tails.size(); ++i) {
        K& target = alpha[tails[i]];
        target = plus(target, times(prefix, suffix[i + 1]));
        prefix = times(prefix, beta[tails[i]]);
      }
    }
  }
}

}  // namespace demotic::forest
