#include "learn/risk_set.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <string>

#include "forest/sliced_sum.h"
#include "io/error.h"
#include "parallel.h"

namespace demotic::learn {

namespace {

[[noreturn]] void refuse(const std::string& message) {
  throw io::Error(io::Fault::argument, message);
}

struct SlopePart {
  double value = 0.0, scale_gradient = 0.0;
  features::SparseSum gradient;
  forest::ExcessScratch scratch;
  std::vector<double> per_edge;

  void add(const SlopePart& other) {
    value += other.value;
    scale_gradient += other.scale_gradient;
    gradient.add(other.gradient);
  }
};

// In four sums, so that no addition waits for the one before.
double dot(std::span<const double> a, const double* b) {
  std::array<double, 4> sum{};
  size_t i = 0;
  for (; i + sum.size() <= a.size(); i += sum.size())
    for (size_t k = 0; k < sum.size(); ++k) sum[k] += a[i + k] * b[i + k];
  for (; i < a.size(); ++i) sum[0] += a[i] * b[i];
  return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

// The features that a forest's derivations have, each once.
std::vector<uint32_t> features_of(const forest::Forest& f) {
  std::vector<uint32_t> ids(f.dense_id.view().begin(), f.dense_id.view().end());
  const auto own = f.edge_feature_id.view();
  ids.insert(ids.end(), own.begin(), own.end());
  std::vector<char> used(f.rules->size(), 0);  // rules may be shared with other forests
  for (const uint32_t r : f.rule.view()) {
    if (used[r] != 0) continue;
    used[r] = 1;
    const auto row = io::row(f.rules->feature_off, f.rules->feature_id, r);
    ids.insert(ids.end(), row.begin(), row.end());
  }
  std::sort(ids.begin(), ids.end());
  ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
  return ids;
}

}  // namespace

RiskSet::RiskSet(std::shared_ptr<const features::FeatureSpace> space, uint32_t columns)
    : space_(std::move(space)), columns_(columns) {
  if (columns_ < 1) refuse("counts need at least one column");
}

void RiskSet::add(const forest::Forest& forest, std::vector<float> counts, double weight) {
  const std::string name = "forest " + std::to_string(items_.size());
  if (forest.names->features != space_ && !forest.features().same_as(*space_))
    refuse(name + " names other features than the set");
  if (counts.size() != size_t{forest.edges()} * columns_)
    refuse(name + " has " + std::to_string(forest.edges()) + " edges, " + std::to_string(columns_) +
           " counts each, not " + std::to_string(counts.size()) + " counts");
  for (size_t i = 0; i < counts.size(); ++i)
    if (!std::isfinite(counts[i]))
      refuse(name + ": a count of edge " + std::to_string(i / columns_) + " is not finite");
  if (!std::isfinite(weight) || weight < 0.0) refuse(name + ": its weight is no number from 0 up");
  if (weight != 1.0)
    for (float& count : counts) count = static_cast<float>(count * weight);
  edges_ += forest.edges();
  weight_ += weight;
  items_.push_back({forest, std::move(counts), weight, {}, {}, {}});
  scale_ = 0.0;
}

std::vector<uint32_t> RiskSet::features() const {
  std::vector<uint32_t> all, merged;
  for (const Item& item : items_) {
    const std::vector<uint32_t> ids = features_of(item.forest);
    merged.clear();
    std::set_union(all.begin(), all.end(), ids.begin(), ids.end(), std::back_inserter(merged));
    all.swap(merged);
  }
  return all;
}

std::vector<uint32_t> RiskSet::support(std::span<const uint32_t> ids,
                                       std::span<const uint32_t> group) const {
  if (group.size() != items_.size()) refuse("support needs a group for each forest");
  std::vector<size_t> order(items_.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](size_t a, size_t b) { return group[a] < group[b]; });
  std::vector<uint32_t> groups(ids.size(), 0);
  std::vector<size_t> last(ids.size(), items_.size());  // the forest that was counted last
  for (const size_t i : order)
    for (const uint32_t id : features_of(items_[i].forest)) {
      const auto found = std::lower_bound(ids.begin(), ids.end(), id);
      if (found == ids.end() || *found != id) continue;
      const auto at = static_cast<size_t>(found - ids.begin());
      if (last[at] == items_.size() || group[last[at]] != group[i]) ++groups[at];
      last[at] = i;
    }
  return groups;
}

void RiskSet::expect_one(Item& item, std::span<const double> weights,
                         std::span<double> counts) const {
  const forest::Forest& f = item.forest;
  item.score = forest::edge_scores(f, weights);
  if (scale_ != 1.0)
    for (double& s : item.score) s *= scale_;
  forest::log_inside(f, item.score, item.in);
  forest::count_means(f, item.in.q, item.score, {item.counts.data(), columns_}, item.mean);
  const double* const root = item.mean.data() + size_t{f.root()} * (columns_ + 1);
  std::copy(root, root + columns_, counts.begin());
}

Expected RiskSet::expect(std::span<const double> weights, double scale,
                         std::span<const uint32_t> only, unsigned threads) {
  if (!std::isfinite(scale) || scale <= 0.0) refuse("the scale must be a positive number");
  std::vector<char> seen(items_.size(), 0);
  for (const uint32_t i : only) {
    if (i >= items_.size()) refuse("there is no forest " + std::to_string(i));
    if (seen[i] != 0) refuse("forest " + std::to_string(i) + " is chosen twice");
    seen[i] = 1;
  }
  scale_ = 0.0;  // until all went well
  chosen_.assign(only.begin(), only.end());
  if (only.empty()) {
    chosen_.resize(items_.size());
    std::iota(chosen_.begin(), chosen_.end(), 0u);
  }
  Expected result;
  result.counts.assign(columns_, 0.0);
  result.each.assign(chosen_.size() * columns_, 0.0);
  scale_ = scale;
  try {
    parallel_for(chosen_.size(), threads, [&](size_t i, unsigned) {
      expect_one(items_[chosen_[i]], weights,
                 std::span(result.each).subspan(i * columns_, columns_));
    });
  } catch (...) {
    scale_ = 0.0;
    throw;
  }
  for (size_t i = 0; i < chosen_.size(); ++i) {
    const Item& item = items_[chosen_[i]];
    result.log_z += item.weight * item.in.beta[item.forest.root()];
    for (uint32_t c = 0; c < columns_; ++c) result.counts[c] += result.each[i * columns_ + c];
  }
  return result;
}

void RiskSet::check_expected() const {
  if (scale_ == 0.0) refuse("expect counts first: slopes are of its weights");
}

Slope RiskSet::slope(std::span<const double> gain, double temperature, unsigned threads) const {
  check_expected();
  if (gain.size() != columns_)
    refuse(std::to_string(gain.size()) + " gains for " + std::to_string(columns_) + " counts");
  for (const double g : gain)
    if (!std::isfinite(g)) refuse("a gain is not finite");
  if (!std::isfinite(temperature)) refuse("the temperature must be finite");
  SlopePart total =
      forest::sliced_sum<SlopePart>(chosen_.size(), threads, [&](size_t i, SlopePart& part) {
        const Item& item = items_[chosen_[i]];
        const forest::Forest& f = item.forest;
        std::vector<double>& per_edge = part.per_edge;
        const double heat = item.weight * temperature;  // the counts have the weight already
        const double mean = forest::excess(f, item.in.q, item.score, {item.counts.data(), columns_},
                                           item.mean, gain, heat, per_edge, part.scratch);
        const double slope = dot(per_edge, item.score.data());  // Cov(rho, s)
        if (scale_ != 1.0)
          for (double& each : per_edge) each *= scale_;
        forest::add_features(f, per_edge, part.gradient);
        part.value += mean - heat * item.in.beta[f.root()];
        part.scale_gradient += slope / scale_;
      });
  return {total.value, total.scale_gradient, total.gradient.take()};
}

features::SparseVector RiskSet::expected_features(unsigned threads) const {
  check_expected();
  SlopePart total =
      forest::sliced_sum<SlopePart>(chosen_.size(), threads, [&](size_t i, SlopePart& part) {
        const Item& item = items_[chosen_[i]];
        const forest::Forest& f = item.forest;
        part.per_edge.resize(f.edges());
        part.scratch.node.assign(f.nodes(), 0.0);
        part.scratch.node[f.root()] = item.weight;
        for (uint32_t v = f.nodes(); v-- > 0;)
          for (uint32_t e = f.in_off[v]; e < f.in_off[v + 1]; ++e) {
            part.per_edge[e] = part.scratch.node[v] * item.in.q[e];
            for (const uint32_t tail : f.tails_of(e)) part.scratch.node[tail] += part.per_edge[e];
          }
        forest::add_features(f, part.per_edge, part.gradient);
      });
  return total.gradient.take();
}

}  // namespace demotic::learn
