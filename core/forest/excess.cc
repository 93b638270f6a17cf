#include "forest/excess.h"

#include <algorithm>
#include <array>
#include <type_traits>

namespace demotic::forest {

namespace {

constexpr uint32_t kNear = 15;  // columns whose sums need no memory of their own

// Calls work with the number of columns as a constant where it is one of those in daily use: rows
// of a known width stay in registers.
template <class Work>
auto with_width(uint32_t columns, Work&& work) {
  switch (columns) {
    case 1:
      return work(std::integral_constant<uint32_t, 1>());
    case 5:
      return work(std::integral_constant<uint32_t, 5>());  // words, matches of n = 1-4
    default:
      return work(columns);
  }
}

template <class Width>
void means_of(const Forest& f, const double* q, const double* score, const float* counts,
              Width columns, double* mean) {
  const uint32_t* const in_off = f.in_off.data();
  const uint32_t* const tail_off = f.tail_off.data();
  const uint32_t* const tails = f.tails.data();
  const size_t width = size_t{columns} + 1;
  std::array<double, 2 * (kNear + 1)> near;
  std::vector<double> far(columns > kNear ? 2 * width : 0);
  double* const sum = far.empty() ? near.data() : far.data();
  double* const row = sum + width;
  for (uint32_t v = 0; v < f.nodes(); ++v) {
    std::fill(sum, sum + width, 0.0);
    for (uint32_t e = in_off[v]; e < in_off[v + 1]; ++e) {
      const float* const own = counts + size_t{e} * columns;
      for (uint32_t c = 0; c < columns; ++c) row[c] = own[c];
      row[columns] = score[e];
      for (uint32_t i = tail_off[e]; i < tail_off[e + 1]; ++i) {
        const double* const below = mean + tails[i] * width;
        for (size_t c = 0; c < width; ++c) row[c] += below[c];
      }
      for (size_t c = 0; c < width; ++c) sum[c] += q[e] * row[c];
    }
    std::copy(sum, sum + width, mean + v * width);
  }
}

template <class Width>
double excess_of(const Forest& f, const double* q, const double* score, const float* counts,
                 Width columns, const double* means, const double* gain, double temperature,
                 double* edge, ExcessScratch& scratch) {
  const uint32_t nodes = f.nodes();
  const uint32_t* const in_off = f.in_off.data();
  const uint32_t* const tail_off = f.tail_off.data();
  const uint32_t* const tails = f.tails.data();
  const auto rho_of = [&](const auto* values, double own) {
    double sum = temperature * own;
    for (uint32_t c = 0; c < columns; ++c) sum += gain[c] * values[c];
    return sum;
  };
  scratch.mean.resize(nodes);
  scratch.node.assign(nodes, 0.0);
  scratch.carry.assign(nodes, 0.0);
  double* const mean = scratch.mean.data();
  double* const node = scratch.node.data();
  double* const carry = scratch.carry.data();
  for (uint32_t v = 0; v < nodes; ++v) {
    const double* const own = means + v * (size_t{columns} + 1);
    mean[v] = rho_of(own, own[columns]);
  }
  const double m = mean[nodes - 1];

  // node(v) = mu(v); carry(v) = mu(v) * E[rho outside v | v].
  node[nodes - 1] = 1.0;
  for (uint32_t v = nodes; v-- > 0;) {
    const double mu_v = node[v];
    const double base = carry[v] - mu_v * m;
    for (uint32_t e = in_off[v]; e < in_off[v + 1]; ++e) {
      double rho = rho_of(counts + size_t{e} * columns, score[e]);
      for (uint32_t i = tail_off[e]; i < tail_off[e + 1]; ++i) rho += mean[tails[i]];
      const double mu = mu_v * q[e];
      const double over = q[e] * (base + mu_v * rho);
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

}  // namespace

void count_means(const Forest& f, std::span<const double> q, std::span<const double> score,
                 EdgeCounts counts, std::vector<double>& mean) {
  mean.resize(f.nodes() * (size_t{counts.columns} + 1));
  with_width(counts.columns, [&](auto columns) {
    means_of(f, q.data(), score.data(), counts.values, columns, mean.data());
  });
}

double excess(const Forest& f, std::span<const double> q, std::span<const double> score,
              EdgeCounts counts, std::span<const double> mean, std::span<const double> gain,
              double temperature, std::vector<double>& per_edge, ExcessScratch& scratch) {
  per_edge.resize(f.edges());
  return with_width(counts.columns, [&](auto columns) {
    return excess_of(f, q.data(), score.data(), counts.values, columns, mean.data(), gain.data(),
                     temperature, per_edge.data(), scratch);
  });
}

}  // namespace demotic::forest
