#include "features/tree_index.h"

#include <algorithm>

namespace demotic::features {

TreeIndex::TreeIndex(const TreesView& trees, uint32_t features)
    : trees_(trees), ends_(size_t{features} + 1, 0) {
  // Each pair of an atom and a tree once: a tree may look at an atom in several branches.
  std::vector<uint32_t> last(features, UINT32_MAX);
  const auto each = [&](auto&& visit) {
    std::fill(last.begin(), last.end(), UINT32_MAX);
    for (size_t tree = 0; tree < trees.tree_ends.size(); ++tree) {
      const TreesView::Range nodes = trees.nodes(tree);
      for (size_t at = nodes.begin; at < nodes.end; ++at) {
        const uint32_t atom = trees.atoms[at];
        if (atom >= features || last[atom] == tree) continue;
        last[atom] = static_cast<uint32_t>(tree);
        visit(atom, static_cast<uint32_t>(tree));
      }
    }
  };
  each([&](uint32_t atom, uint32_t) { ++ends_[atom + 1]; });
  for (uint32_t atom = 0; atom < features; ++atom) ends_[atom + 1] += ends_[atom];
  holders_.resize(ends_.back());
  std::vector<uint32_t> next(ends_.begin(), ends_.end() - 1);
  each([&](uint32_t atom, uint32_t tree) { holders_[next[atom]++] = tree; });
  for (size_t tree = 0; tree < trees.tree_ends.size(); ++tree)
    without_atoms_.push_back(trees.walk(tree, [](uint32_t) { return false; }));
}

TreeAsker::TreeAsker(const TreeIndex& index)
    : index_(&index),
      atoms_(index.features()),
      values_(index.without_atoms().begin(), index.without_atoms().end()),
      is_changed_(values_.size(), 0) {
  clear();
}

void TreeAsker::clear() {
  atoms_.clear();
  added_.clear();
  started_ = {};
}

void TreeAsker::add(uint32_t atom) {
  if (atom >= index_->features() || atoms_.has(atom)) return;
  atoms_.add(atom);
  added_.push_back(atom);
}

void TreeAsker::start_from(std::span<const uint32_t> atoms, std::span<const Known> known) {
  for (const uint32_t atom : atoms) atoms_.add(atom);
  started_ = known;
}

// Values of all trees that may differ from those without atoms.
void TreeAsker::walk() {
  const TreesView& trees = index_->trees();
  for (const Known& each : started_) {
    values_[each.tree] = each.value;
    changed_.push_back(each.tree);
  }
  const auto holds = [&](uint32_t atom) { return atoms_.has(atom); };
  for (const uint32_t atom : added_)
    for (const uint32_t tree : index_->with(atom)) {
      if (is_changed_[tree] != 0) continue;
      is_changed_[tree] = 1;
      changed_.push_back(tree);
      values_[tree] = trees.walk(tree, holds);
    }
}

void TreeAsker::forget() {
  for (const uint32_t tree : changed_) {
    is_changed_[tree] = 0;
    values_[tree] = index_->without_atoms()[tree];
  }
  changed_.clear();
}

void TreeAsker::keep(std::vector<Known>& known) {
  walk();
  for (const uint32_t tree : changed_)
    if (values_[tree] != index_->without_atoms()[tree]) known.push_back({tree, values_[tree]});
  forget();
}

void TreeAsker::score_all(std::span<float> scores) {
  const TreesView& trees = index_->trees();
  walk();
  // Four classifiers at a time: each sum has to wait for its last addition.
  std::fill(scores.begin(), scores.end(), 0.0f);
  const size_t classifiers = std::min(trees.classifiers(), scores.size());
  constexpr size_t kLanes = 4;
  for (size_t first = 0; first < classifiers; first += kLanes) {
    TreesView::Range ranges[kLanes]{};
    double sums[kLanes]{};
    const size_t lanes = std::min(kLanes, classifiers - first);
    size_t least = SIZE_MAX;
    for (size_t k = 0; k < lanes; ++k) {
      ranges[k] = trees.trees(first + k);
      least = std::min(least, ranges[k].end - ranges[k].begin);
    }
    if (lanes == kLanes)
      for (size_t i = 0; i < least; ++i)
        for (size_t k = 0; k < kLanes; ++k) sums[k] += values_[ranges[k].begin + i];
    for (size_t k = 0; k < lanes; ++k) {
      for (size_t i = ranges[k].begin + (lanes == kLanes ? least : 0); i < ranges[k].end; ++i)
        sums[k] += values_[i];
      scores[first + k] = static_cast<float>(sums[k]);
    }
  }
  forget();
}

}  // namespace demotic::features
