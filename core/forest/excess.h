// What an edge has to do with a sum over derivations: the second half of risk and its gradient.
//
//   log_inside(f, score, in);                  posterior.h
//   per_edge[e] = rho(e);
//   double mean = excess(f, in.q, per_edge, scratch);
//
// With rho(d) the sum of rho over the edges of d, `mean` is M = E[rho(d)], and per_edge[e] becomes
// mu(e) (M(e) - M): mu(e) the expected number of times that a derivation uses e, M(e) the mean of
// rho among those that do.  The sum of per_edge[e] f(e) is Cov(rho, f) then.  scratch.node[v] is
// mu(v) afterwards, so that mu(e) is scratch.node[head] * q[e].
#pragma once

#include <span>
#include <vector>

#include "forest/forest.h"

namespace demotic::forest {

struct ExcessScratch {
  std::vector<double> mean, node, carry;
};

double excess(const Forest& f, std::span<const double> q, std::span<double> per_edge,
              ExcessScratch& scratch);

}  // namespace demotic::forest
