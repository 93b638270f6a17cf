// What edges have to do with sums over derivations: risk, expected counts and their gradients.
//
//   log_inside(f, score, in);                                   posterior.h
//   count_means(f, in.q, score, {counts, columns}, mean);       mean.back(): E[counts(d)],
//   E[score(d)] excess(f, in.q, score, {counts, columns}, mean, gain, temperature, per_edge,
//   scratch);
//
// An edge has a row of counts.  With rho(e) = gain . counts(e) + temperature * score(e), and rho(d)
// the sum over the edges of d, excess gives M = E[rho(d)], and per_edge[e] becomes mu(e) (M(e) -
// M): mu(e) the expected number of times that a derivation uses e, M(e) the mean of rho among those
// that do.  The sum of per_edge[e] f(e) is Cov(rho, f) then.
//
// Means come in two steps because a function of expected counts, such as BLEU, has its derivatives
// by them as `gain`.  One pass from the leaves, which all columns share, and one from the root are
// all that there is beside log_inside.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "forest/forest.h"

namespace demotic::forest {

struct EdgeCounts {
  const float* values;  // edges x columns
  uint32_t columns;
};

// mean: for each node the means of its derivations, columns + 1 of them; the last is the score.
void count_means(const Forest& f, std::span<const double> q, std::span<const double> score,
                 EdgeCounts counts, std::vector<double>& mean);

struct ExcessScratch {
  std::vector<double> mean, node, carry;
};

double excess(const Forest& f, std::span<const double> q, std::span<const double> score,
              EdgeCounts counts, std::span<const double> mean, std::span<const double> gain,
              double temperature, std::vector<double>& per_edge, ExcessScratch& scratch);

}  // namespace demotic::forest
