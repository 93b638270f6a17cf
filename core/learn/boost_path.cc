#include "learn/boost_path.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "io/checksum.h"
#include "learn/boost_scan.h"

namespace demotic::learn {

size_t Booster::LiteralsHash::operator()(const std::vector<uint32_t>& literals) const {
  uint64_t hash = literals.size();
  for (const uint32_t literal : literals) hash = io::mix64(hash ^ literal);
  return hash;
}

// The largest |v| that a root-only tree or a child of the root can have.
double Booster::steepest_root() const {
  const double total = margins_.mass().total();
  return std::max(std::abs(total), steepest_atom(margins_.root().v, total));
}

void Booster::train(std::span<const uint8_t> positive, std::span<const double> weights,
                    features::TreeTables& out) {
  constexpr double kEpsilon = 1e-6;
  margins_.begin(positive, weights);
  theta_.clear();
  norm_ = 0.0;
  const double first_risk = margins_.total_loss();  // no later one is larger
  double lambda = std::numeric_limits<double>::infinity();
  uint32_t trees = 0;
  while (trees < options_.max_trees) {
    const double g = steepest_root();
    if (!options_.converge || g <= lambda) lambda = std::min(lambda, options_.decay * g);
    if (!(lambda >= options_.lambda_min)) break;
    // Trees that risk does not fall by are not kept; v stays as it is, only lambda falls.
    while (lambda >= options_.lambda_min) {
      if (grower_.begin(margins_.mass(), margins_.root(), lambda)) grower_.grow(margins_.v());
      // Logarithms take longer than all the rest: they are left out where a bound is enough.
      if (fit(lambda) > kEpsilon * std::max(1.0, first_risk)) break;
      const double risk = margins_.total_loss() + lambda * norm_;
      if (fallen(lambda) > kEpsilon * std::max(1.0, risk)) break;
      lambda *= options_.decay;
    }
    if (!(lambda >= options_.lambda_min)) break;
    write(lambda, out);
    apply();
    margins_.update();
    ++trees;
  }
  out.end_classifier();
}

double Booster::theta_of(const TreeGrower::Leaf& leaf) const {
  if (options_.per_leaf) return 0.0;
  const auto known = theta_.find(leaf.literals);
  return known == theta_.end() ? 0.0 : known->second;
}

void Booster::find_places(const TreeGrower::Leaf& leaf) {
  if (grower_.leaves().size() == 1)
    margins_.all_places(places_);
  else
    margins_.places(grower_.rows_of(leaf), places_);
}

// The best step of every leaf; risk falls by at least the result.
double Booster::fit(double lambda) {
  const std::vector<TreeGrower::Leaf>& leaves = grower_.leaves();
  deltas_.assign(leaves.size(), 0.0);
  double least = 0.0;
  for (size_t i = 0; i < leaves.size(); ++i) {
    const double theta = theta_of(leaves[i]);
    if (theta == 0.0 && std::abs(leaves[i].v) <= lambda) continue;
    find_places(leaves[i]);
    deltas_[i] = fit_leaf(places_, theta, lambda);
    // Away from 0 the penalty has no corner, and the loss of weight b curves by b / 4 at most: a
    // slope g is worth 2 g^2 / b.
    if (deltas_[i] == 0.0 || theta * deltas_[i] < 0) continue;
    double weight = 0.0;
    for (const LeafPlace& place : places_) weight += place.positive + place.negative;
    const double slope = steepest(leaves[i].v, theta == 0.0 ? 0.0 : deltas_[i], lambda, false);
    least += 2.0 * slope * slope / weight;
  }
  return least;
}

// By how much risk falls.
double Booster::fallen(double lambda) {
  const std::vector<TreeGrower::Leaf>& leaves = grower_.leaves();
  double sum = 0.0;
  for (size_t i = 0; i < leaves.size(); ++i) {
    if (deltas_[i] == 0.0) continue;
    const double theta = theta_of(leaves[i]);
    find_places(leaves[i]);
    for (const LeafPlace& place : places_) sum += loss(place, 0.0) - loss(place, deltas_[i]);
    sum -= lambda * (std::abs(theta + deltas_[i]) - std::abs(theta));
  }
  return sum;
}

void Booster::apply() {
  const std::vector<TreeGrower::Leaf>& leaves = grower_.leaves();
  for (size_t i = 0; i < leaves.size(); ++i) {
    if (deltas_[i] == 0.0) continue;
    if (options_.per_leaf) {
      norm_ += std::abs(deltas_[i]);
      continue;
    }
    double& theta = theta_[leaves[i].literals];
    norm_ += std::abs(theta + deltas_[i]) - std::abs(theta);
    theta += deltas_[i];
  }
  if (leaves.size() == 1) {
    margins_.move_all(deltas_[0]);
    return;
  }
  by_size_.resize(leaves.size());
  std::iota(by_size_.begin(), by_size_.end(), 0u);
  const auto size = [&](uint32_t i) { return leaves[i].end - leaves[i].begin; };
  std::stable_sort(by_size_.begin(), by_size_.end(),
                   [&](uint32_t a, uint32_t b) { return size(a) < size(b); });
  for (const uint32_t i : by_size_)
    if (deltas_[i] != 0.0) margins_.move(grower_.rows_of(leaves[i]), deltas_[i]);
}

// In preorder; what no leaf of moves anything is one leaf.
void Booster::write(double lambda, features::TreeTables& out) {
  const std::vector<TreeGrower::Node>& nodes = grower_.nodes();
  moves_.assign(nodes.size(), 0);
  for (size_t i = nodes.size(); i-- > 0;) {  // children stand behind their parents
    const TreeGrower::Node& node = nodes[i];
    moves_[i] = node.atom == features::kTreeLeaf ? deltas_[node.leaf] != 0.0
                                                 : moves_[node.yes] | moves_[node.no];
  }
  const size_t first = out.atoms.size();
  struct Open {
    uint32_t node;
    size_t waiting;  // the written node that goes here without its atom, or none
  };
  constexpr size_t kNobody = SIZE_MAX;
  std::vector<Open> stack{{0, kNobody}};
  while (!stack.empty()) {
    const Open open = stack.back();
    stack.pop_back();
    const size_t at = out.atoms.size();
    if (open.waiting != kNobody) out.others[open.waiting] = static_cast<uint32_t>(at - first);
    const TreeGrower::Node& node = nodes[open.node];
    if (moves_[open.node] == 0) {
      out.add_leaf(0.0);
    } else if (node.atom == features::kTreeLeaf) {
      out.add_leaf(deltas_[node.leaf]);
    } else {
      out.add(rows_.names[node.atom], 0, 0.0);
      stack.push_back({node.no, at});
      stack.push_back({node.yes, kNobody});
    }
  }
  out.end_tree(lambda);
}

}  // namespace demotic::learn
