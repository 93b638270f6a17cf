#include "learn/boost_grower.h"

namespace demotic::learn {

void TreeGrower::grow(std::span<const double> v, const Mass& mass, std::span<const AtomSum> root,
                      double lambda) {
  v_ = v;
  root_ = root;
  lambda_ = lambda;
  nodes_.assign(1, {});
  leaves_.clear();
  steps_.clear();
  depth_ = 0;
  ordered_ = false;
  pending_.assign(1, {0, 0, rows_.rows(), mass, kRoot, 0, kNone});
  while (!pending_.empty()) {
    const Pending node = pending_.back();
    pending_.pop_back();
    const Split best = may_split(node.mass, node.depth) ? best_split(node) : Split{};
    if (best.atom == kNone)
      close(node);
    else
      split(node, best.atom);
  }
}

// No child has more than all that is positive, or all that is negative.
bool TreeGrower::may_split(const Mass& mass, uint32_t depth) const {
  if (options_.max_depth > 0 && depth >= options_.max_depth) return false;
  const double most =
      gain(mass.positive, lambda_, options_.gain) + gain(mass.negative, lambda_, options_.gain);
  return most > options_.min_gain_factor * gain(mass.total(), lambda_, options_.gain);
}

inline void TreeGrower::look_at(uint32_t atom, const AtomSum& sum, uint32_t rows, double v,
                                Split& best) const {
  if (sum.rows == 0 || sum.rows == rows) return;
  const double rest = v - sum.v;
  // Only children of opposite signs can gain; rounding must not say otherwise.
  if (!((sum.v > 0) != (rest > 0))) return;
  const double both = gain(sum.v, lambda_, options_.gain) + gain(rest, lambda_, options_.gain);
  if (both > best.gain || (both == best.gain && both > 0 && atom < best.atom)) best = {atom, both};
}

TreeGrower::Split TreeGrower::best_split(const Pending& node) {
  const double v = node.mass.total();
  const uint32_t rows = node.end - node.begin;
  Split best;
  if (node.histogram == kRoot) {
    for (uint32_t atom = 0; atom < root_.size(); ++atom) look_at(atom, root_[atom], rows, v, best);
  } else {
    const Histogram& histogram = histograms_[node.histogram];
    for (const uint32_t atom : histogram.touched)
      look_at(atom, histogram.sums[atom], rows, v, best);
  }
  const double bar = options_.min_gain_factor * gain(v, lambda_, options_.gain);
  return best.gain > bar ? best : Split{};  // (7.13)
}

// Rows with the atom first, each part in its old order.
uint32_t TreeGrower::partition(uint32_t begin, uint32_t end, uint32_t atom) {
  const std::span<const uint32_t> column = rows_.column(atom);
  const bool by_column = column.size() < size_t{8} * (end - begin);
  if (by_column)
    for (const uint32_t row : column) marked_[row] = 1;
  const auto has = [&](uint32_t row) {
    if (by_column) return marked_[row] != 0;
    const std::span<const uint32_t> atoms = rows_.row(row);
    return std::binary_search(atoms.begin(), atoms.end(), atom);
  };
  kept_.clear();
  uint32_t middle = begin;
  for (uint32_t i = begin; i < end; ++i) {
    const uint32_t row = order_[i];
    if (has(row))
      order_[middle++] = row;
    else
      kept_.push_back(row);
  }
  std::copy(kept_.begin(), kept_.end(), order_.begin() + middle);
  if (by_column)
    for (const uint32_t row : column) marked_[row] = 0;
  return middle;
}

uint32_t TreeGrower::new_histogram() {
  if (free_.empty()) {
    histograms_.push_back({std::vector<AtomSum>(rows_.atoms()), {}});
    return static_cast<uint32_t>(histograms_.size()) - 1;
  }
  const uint32_t histogram = free_.back();
  free_.pop_back();
  return histogram;
}

void TreeGrower::release(uint32_t histogram) {
  if (histogram >= kRoot) return;
  Histogram& old = histograms_[histogram];
  for (const uint32_t atom : old.touched) old.sums[atom] = {};
  old.touched.clear();
  free_.push_back(histogram);
}

uint32_t TreeGrower::histogram_of(uint32_t begin, uint32_t end) {
  const uint32_t made = new_histogram();
  Histogram& histogram = histograms_[made];
  for (uint32_t i = begin; i < end; ++i) {
    const double v = v_[order_[i]];
    for (const uint32_t atom : rows_.row(order_[i])) {
      AtomSum& sum = histogram.sums[atom];
      if (sum.rows++ == 0) histogram.touched.push_back(atom);
      sum.v += v;
    }
  }
  return made;
}

void TreeGrower::split(const Pending& node, uint32_t atom) {
  if (!ordered_) {
    std::iota(order_.begin(), order_.end(), 0u);
    ordered_ = true;
  }
  const uint32_t middle = partition(node.begin, node.end, atom);
  const auto yes = static_cast<uint32_t>(nodes_.size());
  nodes_.resize(nodes_.size() + 2);
  nodes_[node.node] = {atom, yes, yes + 1, 0};
  Pending with{yes, node.begin, middle, {}, kNone, node.depth + 1, kNone};
  Pending without{yes + 1, middle, node.end, {}, kNone, node.depth + 1, kNone};
  for (Pending* child : {&with, &without}) {
    for (uint32_t i = child->begin; i < child->end; ++i) child->mass.add(v_[order_[i]]);
    steps_.push_back({2 * atom + (child == &with ? 0u : 1u), node.up});
    child->up = static_cast<uint32_t>(steps_.size()) - 1;
  }
  const bool with_is_small = middle - node.begin <= node.end - middle;
  Pending& small = with_is_small ? with : without;
  Pending& large = with_is_small ? without : with;
  const bool small_may = may_split(small.mass, small.depth);
  const bool large_may = may_split(large.mass, large.depth);
  uint32_t made = kNone;
  if (small_may || large_may) made = histogram_of(small.begin, small.end);
  if (large_may) {
    uint32_t left = node.histogram;
    if (left == kRoot) {
      left = new_histogram();
      Histogram& copy = histograms_[left];
      std::copy(root_.begin(), root_.end(), copy.sums.begin());
      copy.touched.resize(root_.size());
      std::iota(copy.touched.begin(), copy.touched.end(), 0u);
    }
    Histogram& rest = histograms_[left];
    const Histogram& taken = histograms_[made];
    for (const uint32_t each : taken.touched) {
      rest.sums[each].v -= taken.sums[each].v;
      rest.sums[each].rows -= taken.sums[each].rows;
    }
    large.histogram = left;
  } else {
    release(node.histogram);
  }
  if (small_may)
    small.histogram = made;
  else
    release(made);
  // The smaller one is finished first: then no more histograms are open than halvings of the rows.
  if (large_may)
    pending_.push_back(large);
  else
    close(large);
  if (small_may)
    pending_.push_back(small);
  else
    close(small);
}

void TreeGrower::close(const Pending& node) {
  release(node.histogram);
  nodes_[node.node].leaf = static_cast<uint32_t>(leaves_.size());
  depth_ = std::max(depth_, node.depth);
  Leaf leaf{node.begin, node.end, node.mass.total(), {}};
  for (uint32_t at = node.up; at != kNone; at = steps_[at].up)
    leaf.literals.push_back(steps_[at].literal);
  std::sort(leaf.literals.begin(), leaf.literals.end());
  leaves_.push_back(std::move(leaf));
}

}  // namespace demotic::learn
