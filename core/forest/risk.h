// Expected loss of forests and its gradient: minimum-risk training (Li & Eisner 2009; Smith &
// Eisner 2006 for the entropy term).
//
// With p(d) proportional to exp(scale * w.f(d)), L(d) the sum of edge losses and H the entropy,
//
//   F = E[L] - temperature * H
//
// Let s(e) = scale * w.f(e) and rho(e) = L(e) + temperature * s(e).  Then F = M - temperature log Z
// with M = E[rho], and dF/dw = scale * Cov(rho, f) = scale * sum_e mu(e) (M(e) - M) f(e), where
// M(e) is the mean of rho among derivations that use e.  One inside pass gives log Z and M, one
// outside pass mu(e) (M(e) - M), and add_features the gradient: no work per feature and node, and
// none at all for features that the forests do not have.
#pragma once

#include <span>
#include <vector>

#include "features/sparse_sum.h"
#include "forest/forest.h"

namespace demotic::forest {

struct Risk {
  double value = 0.0;               // sum over the forests of F
  double expected_loss = 0.0;       // sum over the forests of E[L]
  double scale_gradient = 0.0;      // dF / dscale
  features::SparseVector gradient;  // dF / dw, where a forest has the feature
};

struct RiskOptions {
  double scale = 1.0;
  double temperature = 0.0;
  unsigned threads = 1;
};

// The forests must share their features, a weight for each.  The result does not depend on the
// number of threads.
Risk risk(std::span<const Forest* const> forests, std::span<const double> weights,
          const RiskOptions& options);

}  // namespace demotic::forest
