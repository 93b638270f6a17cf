#include "forest/risk.h"

#include <cmath>

#include "forest/excess.h"
#include "forest/posterior.h"
#include "forest/sliced_sum.h"

namespace demotic::forest {

namespace {

struct Scratch {
  LogInside in;
  ExcessScratch nodes;
  std::vector<double> mean, per_edge;
};

struct Part {
  Risk sums;  // without the gradient
  features::SparseSum gradient;
  Scratch scratch;

  void add(const Part& other) {
    sums.value += other.sums.value;
    sums.expected_loss += other.sums.expected_loss;
    sums.scale_gradient += other.sums.scale_gradient;
    gradient.add(other.gradient);
  }
};

void add_risk(const Forest& f, std::span<const double> weights, const RiskOptions& options,
              Part& total) {
  Scratch& scratch = total.scratch;
  std::vector<double> score = edge_scores(f, weights);
  for (double& s : score) s *= options.scale;
  log_inside(f, score, scratch.in);
  const std::vector<double>& q = scratch.in.q;
  const double t = options.temperature;

  std::vector<double>& per_edge = scratch.per_edge;
  const EdgeCounts loss{f.loss.data(), 1};
  const double gain = 1.0;
  count_means(f, q, score, loss, scratch.mean);
  const double m = excess(f, q, score, loss, scratch.mean, {&gain, 1}, t, per_edge, scratch.nodes);
  const double expected_loss = scratch.mean[size_t{f.root()} * 2];

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
  Part total = sliced_sum<Part>(forests.size(), options.threads, [&](size_t i, Part& part) {
    add_risk(*forests[i], weights, options, part);
  });
  total.sums.gradient = total.gradient.take();
  return std::move(total.sums);
}

}  // namespace demotic::forest
