#include "forest/prune.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "forest/derivation.h"
#include "forest/inside_outside.h"

namespace demotic::forest {

namespace {

Forest keep_within(const Forest& f, std::span<const double> deficit, double threshold,
                   Provenance* provenance = nullptr) {
  std::vector<char> keep(f.edges());
  for (uint32_t e = 0; e < f.edges(); ++e) keep[e] = deficit[e] <= threshold ? 1 : 0;
  return keep_edges(f, keep, provenance);
}

Provenance identity(const Forest& f) {
  Provenance same{std::vector<uint32_t>(f.nodes()), std::vector<uint32_t>(f.edges())};
  std::iota(same.node.begin(), same.node.end(), 0u);
  std::iota(same.edge.begin(), same.edge.end(), 0u);
  return same;
}

}  // namespace

std::vector<double> deficits(const Forest& f, std::span<const double> score) {
  const auto weight = [&](uint32_t e) { return MaxPlus{score[e], e}; };
  std::vector<MaxPlus> beta(f.nodes()), alpha(f.nodes());
  inside<MaxPlus>(f, weight, beta);
  outside<MaxPlus>(f, weight, std::span<const MaxPlus>(beta), alpha);
  const double best = beta[f.root()].value;
  std::vector<double> deficit(f.edges());
  for (uint32_t v = 0; v < f.nodes(); ++v)
    for (uint32_t e = f.in_off[v]; e < f.in_off[v + 1]; ++e) {
      double merit = alpha[v].value + score[e];
      for (const uint32_t tail : f.tails_of(e)) merit += beta[tail].value;
      deficit[e] = std::max(0.0, best - merit);  // 0 where both are infinite
    }
  // Rounding may leave 1e-15 where it must be 0.
  const std::vector<uint32_t> chosen = best_edges(f, beta);
  std::vector<char> reached(f.nodes(), 0);
  reached[f.root()] = 1;
  for (uint32_t v = f.nodes(); v-- > 0;) {
    if (reached[v] == 0) continue;
    deficit[chosen[v]] = 0.0;
    for (const uint32_t tail : f.tails_of(chosen[v])) reached[tail] = 1;
  }
  return deficit;
}

Forest prune(const Forest& f, std::span<const double> score, double threshold) {
  if (std::isnan(threshold) || threshold < 0.0)
    throw io::Error(io::Fault::argument, "the pruning threshold must not be negative");
  return keep_within(f, deficits(f, score), threshold);
}

Forest prune_to(const Forest& f, std::span<const double> score, size_t max_edges,
                Provenance* provenance) {
  if (f.edges() <= max_edges) {
    if (provenance != nullptr) *provenance = identity(f);
    return f;
  }
  const std::vector<double> deficit = deficits(f, score);
  std::vector<double> sorted = deficit;
  std::sort(sorted.begin(), sorted.end());
  // sorted[max_edges] is the first that must go, and all equal to it with it.
  const auto cut = std::lower_bound(sorted.begin(), sorted.end(), sorted[max_edges]);
  return keep_within(f, deficit, cut == sorted.begin() ? 0.0 : *(cut - 1), provenance);
}

Forest only_best(const Forest& f, Provenance* provenance) {
  std::vector<char> keep(f.edges(), 0);
  for (const uint32_t e : viterbi(f, f.score)) keep[e] = 1;
  return keep_edges(f, keep, provenance);
}

Forest keep_edges(const Forest& f, std::span<const char> keep, Provenance* provenance) {
  if (keep.size() != f.edges()) throw io::Error(io::Fault::argument, "needs one flag per edge");
  ForestBuilder builder(f);
  for (uint32_t v = 0; v < f.nodes(); ++v)
    builder.add_node(f.label[v], f.span[2 * v], f.span[2 * v + 1],
                     f.context_width > 0 ? f.context_of(v) : std::span<const int32_t>());
  std::vector<uint32_t> origin;
  for (uint32_t v = 0; v < f.nodes(); ++v)
    for (uint32_t e = f.in_off[v]; e < f.in_off[v + 1]; ++e)
      if (keep[e] != 0) {
        builder.copy_edge(f, e, v, f.tails_of(e));
        origin.push_back(e);
      }
  Forest result;
  if (!builder.try_finalize(f.root(), result, provenance))
    throw io::Error(io::Fault::argument, "the kept edges contain no derivation of the root");
  if (provenance != nullptr)
    for (uint32_t& e : provenance->edge) e = origin[e];
  return result;
}

}  // namespace demotic::forest
