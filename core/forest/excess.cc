#include "forest/excess.h"

namespace demotic::forest {

double excess(const Forest& f, std::span<const double> q, std::span<double> per_edge,
              ExcessScratch& scratch) {
  const uint32_t nodes = f.nodes();
  scratch.mean.resize(nodes);
  scratch.node.assign(nodes, 0.0);
  scratch.carry.assign(nodes, 0.0);
  double* const mean = scratch.mean.data();
  double* const node = scratch.node.data();
  double* const carry = scratch.carry.data();
  const uint32_t* const in_off = f.in_off.data();
  const uint32_t* const tail_off = f.tail_off.data();
  const uint32_t* const tails = f.tails.data();
  double* const edge = per_edge.data();

  // mean(v) = E[rho | v]; edge(e) = rho(e) + the means of its tails.
  for (uint32_t v = 0; v < nodes; ++v) {
    double sum = 0.0;
    for (uint32_t e = in_off[v]; e < in_off[v + 1]; ++e) {
      double rho = edge[e];
      for (uint32_t i = tail_off[e]; i < tail_off[e + 1]; ++i) rho += mean[tails[i]];
      edge[e] = rho;
      sum += q[e] * rho;
    }
    mean[v] = sum;
  }
  const double m = mean[nodes - 1];

  // node(v) = mu(v); carry(v) = mu(v) * E[rho outside v | v]; edge(e) = mu(e) (M(e) - M).
  node[nodes - 1] = 1.0;
  for (uint32_t v = nodes; v-- > 0;) {
    const double mu_v = node[v];
    const double base = carry[v] - mu_v * m;
    for (uint32_t e = in_off[v]; e < in_off[v + 1]; ++e) {
      const double mu = mu_v * q[e];
      const double over = q[e] * (base + mu_v * edge[e]);
      edge[e] = over;
      for (uint32_t i = tail_off[e]; i < tail_off[e + 1]; ++i) {
        const uint32_t tail = tails[i];
        node[tail] += mu;
        carry[tail] += over + mu * (m - mean[tail]);
      }
    }
  }
  return m;
}

}  // namespace demotic::forest
