#include "forest/posterior.h"

#include <array>
#include <cmath>
#include <utility>

namespace demotic::forest {

void log_inside(const Forest& f, std::span<const double> score, LogInside& result) {
  result.beta.resize(f.nodes());
  result.q.resize(f.edges());
  double* const beta = result.beta.data();
  double* const q = result.q.data();
  const uint32_t* const tail_off = f.tail_off.data();
  const uint32_t* const tails = f.tails.data();
  for (uint32_t v = 0; v < f.nodes(); ++v) {
    const uint32_t begin = f.in_off[v];
    const uint32_t end = f.in_off[v + 1];
    double best = -INFINITY;
    for (uint32_t e = begin; e < end; ++e) {
      double total = score[e];
      for (uint32_t i = tail_off[e]; i < tail_off[e + 1]; ++i) total += beta[tails[i]];
      q[e] = total;
      if (total > best) best = total;
    }
    double sum = 0.0;
    for (uint32_t e = begin; e < end; ++e) {
      q[e] = std::exp(q[e] - best);
      sum += q[e];
    }
    const double scale = 1.0 / sum;
    for (uint32_t e = begin; e < end; ++e) q[e] *= scale;
    beta[v] = best + std::log(sum);
  }
}

Posteriors posteriors(const Forest& f, std::span<const double> score) {
  LogInside in;
  log_inside(f, score, in);
  Posteriors result;
  result.log_z = in.beta[f.root()];
  result.node.assign(f.nodes(), 0.0);
  result.edge = std::move(in.q);
  result.node[f.root()] = 1.0;
  for (uint32_t v = f.nodes(); v-- > 0;)
    for (uint32_t e = f.in_off[v]; e < f.in_off[v + 1]; ++e) {
      result.edge[e] *= result.node[v];
      for (const uint32_t tail : f.tails_of(e)) result.node[tail] += result.edge[e];
    }
  return result;
}

namespace {

// dense[d] += sum_e per_edge[e] * row(e)[d]; a width that the compiler knows stays in registers.
template <size_t Width>
void add_dense(const Forest& f, std::span<const double> per_edge, double* dense) {
  std::array<double, Width> sum{};
  const float* row = f.dense.data();
  for (const double times : per_edge) {
    for (size_t d = 0; d < Width; ++d) sum[d] += times * row[d];
    row += Width;
  }
  for (size_t d = 0; d < Width; ++d) dense[d] += sum[d];
}

using AddDense = void (*)(const Forest&, std::span<const double>, double*);
template <size_t... Width>
constexpr auto add_dense_of(std::index_sequence<Width...>) {
  return std::array<AddDense, sizeof...(Width)>{&add_dense<Width>...};
}
constexpr auto kAddDense = add_dense_of(std::make_index_sequence<17>());

void add_dense_rows(const Forest& f, std::span<const double> per_edge, std::vector<double>& dense) {
  const size_t width = dense.size();
  if (width < kAddDense.size()) return kAddDense[width](f, per_edge, dense.data());
  const float* row = f.dense.data();
  for (const double times : per_edge) {
    for (size_t d = 0; d < width; ++d) dense[d] += times * row[d];
    row += width;
  }
}

}  // namespace

void add_features(const Forest& f, std::span<const double> per_edge, features::SparseSum& total) {
  const ForestRules& rules = *f.rules;
  const bool sparse = !f.edge_feature_off.empty();
  const auto add_rule = [&](uint32_t r, double times) {
    for (uint32_t i = rules.feature_off[r]; i < rules.feature_off[r + 1]; ++i)
      total.add(rules.feature_id[i], times * rules.feature_value[i]);
  };
  const bool by_rule = rules.size() <= f.edges();  // else edges share few rules, or none
  std::vector<double> per_rule(by_rule ? rules.size() : 0, 0.0);
  std::vector<double> dense(f.dense_id.size(), 0.0);
  add_dense_rows(f, per_edge, dense);
  for (uint32_t e = 0; e < f.edges(); ++e) {
    if (by_rule)
      per_rule[f.rule[e]] += per_edge[e];
    else
      add_rule(f.rule[e], per_edge[e]);
    if (sparse)
      for (uint32_t i = f.edge_feature_off[e]; i < f.edge_feature_off[e + 1]; ++i)
        total.add(f.edge_feature_id[i], per_edge[e] * f.edge_feature_value[i]);
  }
  for (size_t d = 0; d < dense.size(); ++d) total.add(f.dense_id[d], dense[d]);
  for (uint32_t r = 0; r < per_rule.size(); ++r) add_rule(r, per_rule[r]);
}

features::SparseVector expected_features(const Forest& f, std::span<const double> edge_posterior) {
  features::SparseSum total;
  add_features(f, edge_posterior, total);
  return total.take();
}

double entropy(const Forest& f, std::span<const double> score) {
  // H(v) = sum_e q(e) (-log q(e) + sum_t H(t)): a sum of terms >= 0, so nothing cancels.
  LogInside in;
  log_inside(f, score, in);
  std::vector<double> h(f.nodes());
  for (uint32_t v = 0; v < f.nodes(); ++v) {
    double sum = 0.0;
    for (uint32_t e = f.in_off[v]; e < f.in_off[v + 1]; ++e) {
      if (in.q[e] == 0.0) continue;
      double below = -std::log(in.q[e]);
      for (const uint32_t tail : f.tails_of(e)) below += h[tail];
      sum += in.q[e] * below;
    }
    h[v] = sum;
  }
  return h[f.root()];
}

}  // namespace demotic::forest
