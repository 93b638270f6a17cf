#include "forest/risk.h"

#include <cmath>

#include "forest/posterior.h"
#include "parallel.h"

namespace demotic::forest {

namespace {

// Partial sums are kept for this many fixed slices of the forests, whatever the threads.
constexpr size_t kSlices = 16;

struct Scratch {
  LogInside in;
  std::vector<double> mean, node, carry, per_edge;
};

void add_risk(const Forest& f, std::span<const double> weights, const RiskOptions& options,
              Scratch& scratch, Risk& total) {
  std::vector<double> score = edge_scores(f, weights);
  for (double& s : score) s *= options.scale;
  log_inside(f, score, scratch.in);
  const std::vector<double>& q = scratch.in.q;
  const double t = options.temperature;

  // mean(v) = E[rho | v]; per_edge(e) = rho(e) + the means of its tails.
  std::vector<double>& mean = scratch.mean;
  std::vector<double>& per_edge = scratch.per_edge;
  mean.resize(f.nodes());
  per_edge.resize(f.edges());
  for (uint32_t v = 0; v < f.nodes(); ++v) {
    double sum = 0.0;
    for (uint32_t e = f.in_off[v]; e < f.in_off[v + 1]; ++e) {
      double rho = f.loss[e] + t * score[e];
      for (const uint32_t tail : f.tails_of(e)) rho += mean[tail];
      per_edge[e] = rho;
      sum += q[e] * rho;
    }
    mean[v] = sum;
  }
  const double m = mean[f.root()];

  // node(v) = mu(v); carry(v) = mu(v) * E[rho outside v | v]; per_edge(e) = mu(e) (M(e) - M).
  std::vector<double>& node = scratch.node;
  std::vector<double>& carry = scratch.carry;
  node.assign(f.nodes(), 0.0);
  carry.assign(f.nodes(), 0.0);
  node[f.root()] = 1.0;
  double expected_loss = 0.0;
  for (uint32_t v = f.nodes(); v-- > 0;)
    for (uint32_t e = f.in_off[v]; e < f.in_off[v + 1]; ++e) {
      const double mu = node[v] * q[e];
      expected_loss += mu * f.loss[e];
      const double excess = q[e] * (carry[v] + node[v] * (per_edge[e] - m));
      per_edge[e] = excess;
      for (const uint32_t tail : f.tails_of(e)) {
        node[tail] += mu;
        carry[tail] += excess + mu * (m - mean[tail]);
      }
    }

  double slope = 0.0;  // Cov(rho, s): scale * w . Cov(rho, f)
  for (uint32_t e = 0; e < f.edges(); ++e) {
    slope += per_edge[e] * score[e];
    per_edge[e] *= options.scale;
  }
  add_features(f, per_edge, total.gradient);
  const double log_z = scratch.in.beta[f.root()];
  total.value += m - t * log_z;
  total.scale_gradient += slope / options.scale;
  total.expected_loss += expected_loss;
}

}  // namespace

Risk risk(std::span<const Forest* const> forests, std::span<const double> weights,
          const RiskOptions& options) {
  if (!std::isfinite(options.scale) || options.scale <= 0.0)
    throw io::Error(io::Fault::argument, "the scale must be a positive number");
  if (!std::isfinite(options.temperature))
    throw io::Error(io::Fault::argument, "the temperature must be finite");
  const size_t slices = std::min(kSlices, forests.size());
  std::vector<Risk> part(slices);
  parallel_for(slices, options.threads, [&](size_t slice, unsigned) {
    Scratch scratch;
    part[slice].gradient.assign(weights.size(), 0.0);
    const size_t end = forests.size() * (slice + 1) / slices;
    for (size_t i = forests.size() * slice / slices; i < end; ++i)
      add_risk(*forests[i], weights, options, scratch, part[slice]);
  });
  Risk total;
  total.gradient.assign(weights.size(), 0.0);
  for (const Risk& p : part) {
    total.value += p.value;
    total.expected_loss += p.expected_loss;
    total.scale_gradient += p.scale_gradient;
    for (size_t i = 0; i < weights.size(); ++i) total.gradient[i] += p.gradient[i];
  }
  return total;
}

}  // namespace demotic::forest
