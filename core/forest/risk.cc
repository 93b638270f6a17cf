#include "forest/risk.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <mutex>

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

struct Part {
  Risk sums;  // without the gradient
  features::SparseSum gradient;

  void add(const Part& other) {
    sums.value += other.sums.value;
    sums.expected_loss += other.sums.expected_loss;
    sums.scale_gradient += other.sums.scale_gradient;
    gradient.add(other.gradient);
  }
};

void add_risk(const Forest& f, std::span<const double> weights, const RiskOptions& options,
              Scratch& scratch, Part& total) {
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
  total.sums.value += m - t * log_z;
  total.sums.scale_gradient += slope / options.scale;
  total.sums.expected_loss += expected_loss;
}

}  // namespace

Risk risk(std::span<const Forest* const> forests, std::span<const double> weights,
          const RiskOptions& options) {
  if (!std::isfinite(options.scale) || options.scale <= 0.0)
    throw io::Error(io::Fault::argument, "the scale must be a positive number");
  if (!std::isfinite(options.temperature))
    throw io::Error(io::Fault::argument, "the temperature must be finite");
  const size_t slices = std::min(kSlices, forests.size());
  std::vector<std::unique_ptr<Part>> done(slices);
  Part total;
  size_t next = 0;  // the slice to be added next: few wait for their turn
  std::mutex guard;
  parallel_for(slices, options.threads, [&](size_t slice, unsigned) {
    auto part = std::make_unique<Part>();
    Scratch scratch;
    const size_t end = forests.size() * (slice + 1) / slices;
    for (size_t i = forests.size() * slice / slices; i < end; ++i)
      add_risk(*forests[i], weights, options, scratch, *part);
    const std::scoped_lock lock(guard);
    done[slice] = std::move(part);
    for (; next < slices && done[next] != nullptr; ++next) {
      total.add(*done[next]);
      done[next].reset();
    }
  });
  total.sums.gradient = total.gradient.take();
  return std::move(total.sums);
}

}  // namespace demotic::forest
