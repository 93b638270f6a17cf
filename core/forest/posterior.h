// The probability of edges and nodes under p(d) = exp(score(d)) / Z, and what follows from it.
//
//   Posteriors p = posteriors(f, f.score);
//   p.edge[e]  the expected number of times that a derivation uses e (a probability, unless a
//              derivation can use it twice)
//
// The outside pass works on probabilities: with q(e) = p(e | its head), which the inside pass has
// at hand, node posteriors flow down as mu(t) += mu(head) * q(e) per tail position.  No logarithm,
// no division; a posterior below 1e-308 becomes 0.
#pragma once

#include <span>
#include <vector>

#include "features/sparse_sum.h"
#include "forest/forest.h"

namespace demotic::forest {

// beta(v) = log of the sum over v's derivations, and q(e) = p(e | its head).
struct LogInside {
  std::vector<double> beta;
  std::vector<double> q;
};
void log_inside(const Forest& f, std::span<const double> score, LogInside& result);

struct Posteriors {
  double log_z = 0.0;
  std::vector<double> edge, node;
};
Posteriors posteriors(const Forest& f, std::span<const double> score);

// E[f(d)], for the features that the forest has.
features::SparseVector expected_features(const Forest& f, std::span<const double> edge_posterior);

// Add sum_e per_edge[e] * f(e) to `total`: first by rule, then once from rules to features.
void add_features(const Forest& f, std::span<const double> per_edge, features::SparseSum& total);

// -sum_d p(d) log p(d), in nats.
double entropy(const Forest& f, std::span<const double> score);

}  // namespace demotic::forest
