#include "learn/boost_grower.h"

#include "learn/boost_scan.h"

namespace demotic::learn {

bool TreeGrower::begin(const Mass& mass, const AtomSums& root, double lambda) {
  root_ = &root;
  lambda_ = lambda;
  nodes_.assign(1, {});
  leaves_.clear();
  steps_.clear();
  depth_ = 0;
  ordered_ = false;
  const Pending whole{0, 0, rows_.rows(), mass, kRoot, 0, kNone};
  pending_.assign(1, whole);
  at_root_ = may_split(mass, 0) ? best_split(whole) : Split{};
  if (at_root_.atom != kNone) return true;
  close(whole);
  return false;
}

void TreeGrower::grow(std::span<const double> v) {
  v_ = v;
  split(pending_[0], at_root_.atom);
  pending_.erase(pending_.begin());
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

inline void TreeGrower::look_at(uint32_t atom, const AtomSums& sums, uint32_t rows, double v,
                                Split& best) const {
  if (sums.rows[atom] == 0 || sums.rows[atom] == rows) return;
  const double here = sums.v[atom];
  const double rest = v - here;
  // Only children of opposite signs can gain; rounding must not say otherwise.
  if (!((here > 0) != (rest > 0))) return;
  const double both = gain(here, lambda_, options_.gain) + gain(rest, lambda_, options_.gain);
  if (both > best.gain || (both == best.gain && both > 0 && atom < best.atom)) best = {atom, both};
}

TreeGrower::Split TreeGrower::best_split(const Pending& node) const {
  const double v = node.mass.total();
  const uint32_t rows = node.end - node.begin;
  const double bar = options_.min_gain_factor * gain(v, lambda_, options_.gain);  // (7.13)
  if (node.histogram == kRoot) return best_of_all(*root_, rows, v, bar);
  const Histogram& histogram = histograms_[node.histogram];
  if (histogram.all) return best_of_all(histogram.sums, rows, v, bar);
  Split best;
  for (const uint32_t atom : histogram.touched) look_at(atom, histogram.sums, rows, v, best);
  return best.gain > bar ? best : Split{};
}

// The maximum first, then whose it is: most nodes are not split.
TreeGrower::Split TreeGrower::best_of_all(const AtomSums& sums, uint32_t rows, double v,
                                          double bar) const {
  const Promise promise = most_promised(sums.v, v, lambda_, options_.gain);
  if (!(promise.gain > bar)) return {};
  Split best;
  const auto look = [&](size_t begin, size_t end) {
    for (size_t atom = begin; atom < end; ++atom)
      look_at(static_cast<uint32_t>(atom), sums, rows, v, best);
  };
  look(promise.begin, promise.end);
  // An atom that no row has, or all have, promises something by rounding alone.
  if (best.gain != promise.gain) look(0, rows_.atoms());
  return best.gain > bar ? best : Split{};
}

// Four sums beside each other, none of which waits for another.
Mass TreeGrower::mass_of(uint32_t begin, uint32_t end) const {
  double positive[4] = {}, negative[4] = {};
  for (uint32_t i = begin; i < end; ++i) {
    const double v = v_[order_[i]];
    positive[i % 4] += std::max(v, 0.0);
    negative[i % 4] += std::max(-v, 0.0);
  }
  return {(positive[0] + positive[1]) + (positive[2] + positive[3]),
          (negative[0] + negative[1]) + (negative[2] + negative[3])};
}

// Rows with the atom first, each part in its old order.
uint32_t TreeGrower::partition(uint32_t begin, uint32_t end, uint32_t atom) {
  const std::span<const uint32_t> column = rows_.column(atom);
  const bool by_column = column.size() < size_t{8} * (end - begin);
  if (by_column)
    for (const uint32_t row : column) marked_[row] = 1;
  const auto has = [&](uint32_t row) -> uint32_t {
    if (by_column) return marked_[row];
    const std::span<const uint32_t> atoms = rows_.row(row);
    return std::binary_search(atoms.begin(), atoms.end(), atom) ? 1 : 0;
  };
  uint32_t middle = begin, kept = 0;
  for (uint32_t i = begin; i < end; ++i) {  // no branch: which way a row goes is anybody's guess
    const uint32_t row = order_[i], yes = has(row);
    order_[middle] = row;
    kept_[kept] = row;
    middle += yes;
    kept += 1 - yes;
  }
  std::copy(kept_.begin(), kept_.begin() + kept, order_.begin() + middle);
  if (by_column)
    for (const uint32_t row : column) marked_[row] = 0;
  return middle;
}

uint32_t TreeGrower::new_histogram() {
  if (free_.empty()) {
    const uint32_t atoms = rows_.atoms();
    histograms_.push_back({{std::vector<double>(atoms), std::vector<uint32_t>(atoms)}, {}, false});
    return static_cast<uint32_t>(histograms_.size()) - 1;
  }
  const uint32_t histogram = free_.back();
  free_.pop_back();
  return histogram;
}

void TreeGrower::release(uint32_t histogram) {
  if (histogram >= kRoot) return;
  Histogram& old = histograms_[histogram];
  if (old.all) {
    std::fill(old.sums.v.begin(), old.sums.v.end(), 0.0);
    std::fill(old.sums.rows.begin(), old.sums.rows.end(), 0u);
    old.all = false;
  }
  for (const uint32_t atom : old.touched) {
    old.sums.v[atom] = 0.0;
    old.sums.rows[atom] = 0;
  }
  old.touched.clear();
  free_.push_back(histogram);
}

uint32_t TreeGrower::histogram_of(uint32_t begin, uint32_t end) {
  const uint32_t made = new_histogram();
  Histogram& histogram = histograms_[made];
  for (uint32_t i = begin; i < end; ++i) {
    const double v = v_[order_[i]];
    for (const uint32_t atom : rows_.row(order_[i])) {
      if (histogram.sums.rows[atom]++ == 0) histogram.touched.push_back(atom);
      histogram.sums.v[atom] += v;
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
    steps_.push_back({2 * atom + (child == &with ? 0u : 1u), node.up});
    child->up = static_cast<uint32_t>(steps_.size()) - 1;
  }
  const bool with_is_small = middle - node.begin <= node.end - middle;
  Pending& small = with_is_small ? with : without;
  Pending& large = with_is_small ? without : with;
  small.mass = mass_of(small.begin, small.end);
  large.mass = node.mass.without(small.mass);
  const bool small_may = may_split(small.mass, small.depth);
  const bool large_may = may_split(large.mass, large.depth);
  uint32_t made = kNone;
  if (small_may || large_may) made = histogram_of(small.begin, small.end);
  if (large_may) {
    uint32_t left = node.histogram;
    if (left == kRoot) {
      left = new_histogram();
      Histogram& copy = histograms_[left];
      std::copy(root_->v.begin(), root_->v.end(), copy.sums.v.begin());
      std::copy(root_->rows.begin(), root_->rows.end(), copy.sums.rows.begin());
      copy.all = true;
    }
    Histogram& rest = histograms_[left];
    const Histogram& taken = histograms_[made];
    for (const uint32_t each : taken.touched) {
      rest.sums.v[each] -= taken.sums.v[each];
      rest.sums.rows[each] -= taken.sums.rows[each];
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
