#include "features/tree_ensembles.h"

#include <algorithm>
#include <map>
#include <utility>

#include "io/error.h"

namespace demotic::features {

namespace {

constexpr const char* kKind = "boosted";

[[noreturn]] void damaged() {
  throw io::Error(io::Fault::corrupt, "damaged trees", 0, "copy the file again or train anew");
}

void require(bool holds) {
  if (!holds) damaged();
}

bool rises_to(std::span<const uint64_t> ends, size_t size) {
  return std::is_sorted(ends.begin(), ends.end()) && (ends.empty() ? 0 : ends.back()) == size;
}

// Calls leaf(literals, value) for every leaf; literals in the order of the path.
template <class Leaf>
void each_leaf(const TreesView& trees, size_t tree, Leaf&& leaf) {
  const TreesView::Range range = trees.nodes(tree);
  struct Step {
    size_t node;
    size_t depth;
    uint32_t literal;
  };
  std::vector<Step> stack{{range.begin, 0, 0}};
  std::vector<uint32_t> path;
  // In tables that were not checked a node may have several ways to it.
  for (size_t visits = range.end - range.begin; !stack.empty() && visits > 0; --visits) {
    const Step step = stack.back();
    stack.pop_back();
    if (step.node >= range.end) continue;
    path.resize(step.depth == 0 ? 0 : step.depth - 1);
    if (step.depth > 0) path.push_back(step.literal);
    const uint32_t atom = trees.atoms[step.node];
    if (atom == kTreeLeaf) {
      leaf(path, trees.values[step.node]);
      continue;
    }
    const size_t other = range.begin + trees.others[step.node];
    if (other > step.node + 1) stack.push_back({other, step.depth + 1, 2 * atom + 1});
    stack.push_back({step.node + 1, step.depth + 1, 2 * atom});
  }
}

bool is_bias(const TreesView& trees, size_t tree) {
  const TreesView::Range nodes = trees.nodes(tree);
  return nodes.end == nodes.begin + 1;
}

}  // namespace

void TreesView::check(bool all) const {
  require(others.size() == atoms.size() && values.size() == atoms.size());
  require(lambdas.size() == tree_ends.size());
  if (!all) return;
  require(rises_to(classifier_ends, tree_ends.size()) && rises_to(tree_ends, atoms.size()));
  for (const double value : values) require(std::isfinite(value));
  for (const double lambda : lambdas) require(std::isfinite(lambda) && lambda >= 0);
  for (size_t c = 0; c < classifiers(); ++c) {
    const Range range = trees(c);
    require(std::is_sorted(lambdas.begin() + static_cast<ptrdiff_t>(range.begin),
                           lambdas.begin() + static_cast<ptrdiff_t>(range.end), std::greater<>()));
  }
  for (size_t tree = 0; tree < tree_ends.size(); ++tree) {
    const Range range = nodes(tree);
    require(range.begin < range.end);
    for (size_t at = range.begin; at < range.end; ++at)
      require(atoms[at] == kTreeLeaf ||
              (others[at] > at + 1 - range.begin && others[at] < range.end - range.begin));
  }
}

void TreesView::save(const std::string& path, uint32_t features) const {
  io::ContainerWriter out(path, kKind, TreeEnsembles::kVersion);
  out.section<uint32_t>("features", std::span(&features, 1));
  save(out);
  out.finish();
}

void TreesView::save(io::ContainerWriter& out) const {
  out.section("classifiers", classifier_ends);
  out.section("lambdas", lambdas);
  out.section("trees", tree_ends);
  out.section("atoms", atoms);
  out.section("others", others);
  out.section("values", values);
}

void TreeTables::add_tree(const TreesView& from, size_t tree) {
  const TreesView::Range nodes = from.nodes(tree);
  for (size_t at = nodes.begin; at < nodes.end; ++at)
    add(from.atoms[at], from.others[at], from.values[at]);
  end_tree(from.lambdas[tree]);
}

void TreeTables::add_classifier(const TreesView& from, size_t classifier) {
  const TreesView::Range trees = from.trees(classifier);
  for (size_t tree = trees.begin; tree < trees.end; ++tree) add_tree(from, tree);
  end_classifier();
}

std::vector<Compound> compounds_of(const TreesView& trees, size_t classifier, double lambda) {
  std::vector<Compound> all;
  std::map<std::vector<uint32_t>, size_t> places;
  const TreesView::Range range = trees.trees(classifier);
  for (size_t tree = range.begin; tree < range.end && trees.lambdas[tree] >= lambda; ++tree)
    each_leaf(trees, tree, [&](const std::vector<uint32_t>& path, double value) {
      if (value == 0.0) return;
      std::vector<uint32_t> literals = path;
      std::sort(literals.begin(), literals.end());
      const auto [found, added] = places.try_emplace(literals, all.size());
      if (added) all.push_back({std::move(literals), 0.0});
      all[found->second].weight += value;
    });
  // A weight that was taken back leaves a rest of rounding.
  std::erase_if(all, [](const Compound& each) { return std::abs(each.weight) < 1e-12; });
  return all;
}

TreeTables model_for(const TreesView& trees, double lambda) {
  TreeTables made;
  for (size_t c = 0; c < trees.classifiers(); ++c) {
    const TreesView::Range range = trees.trees(c);
    size_t end = range.begin;
    double bias = 0.0;
    for (; end < range.end && trees.lambdas[end] >= lambda; ++end)
      if (is_bias(trees, end)) bias += trees.values[trees.nodes(end).begin];
    if (bias != 0.0) {
      made.add_leaf(bias);
      made.end_tree(trees.lambdas[range.begin]);
    }
    for (size_t tree = range.begin; tree < end; ++tree)
      if (!is_bias(trees, tree)) made.add_tree(trees, tree);
    made.end_classifier();
  }
  return made;
}

TreeTables blend(std::span<const TreesView> parts, std::span<const double> factors) {
  if (parts.empty() || parts.size() != factors.size())
    throw io::Error(io::Fault::argument, "each ensemble needs a factor");
  TreeTables made;
  struct Tree {
    size_t part, number;
  };
  std::vector<Tree> order;
  for (size_t c = 0; c < parts.front().classifiers(); ++c) {
    order.clear();
    for (size_t part = 0; part < parts.size(); ++part) {
      if (parts[part].classifiers() != parts.front().classifiers())
        throw io::Error(io::Fault::argument, "ensembles of other classifiers");
      const TreesView::Range range = parts[part].trees(c);
      for (size_t tree = range.begin; tree < range.end; ++tree) order.push_back({part, tree});
    }
    std::stable_sort(order.begin(), order.end(), [&](const Tree& a, const Tree& b) {
      return parts[a.part].lambdas[a.number] > parts[b.part].lambdas[b.number];
    });
    for (const Tree& tree : order) {
      const size_t first = made.values.size();
      made.add_tree(parts[tree.part], tree.number);
      for (size_t at = first; at < made.values.size(); ++at) made.values[at] *= factors[tree.part];
    }
    made.end_classifier();
  }
  return model_for(made.view(), 0.0);
}

TreeEnsembles::TreeEnsembles(TreeTables made, uint32_t features)
    : made_(std::make_shared<const TreeTables>(std::move(made))),
      view_(made_->view()),
      features_(features) {}

TreeEnsembles::TreeEnsembles(const std::string& path, std::optional<bool> verify)
    : container_(std::make_shared<const io::Container>(path, kKind, kVersion)) {
  const bool all = verify.value_or(container_->file_size() <= kSmallFile);
  if (all) container_->verify();
  const std::span<const uint32_t> features = container_->section<uint32_t>("features");
  require(features.size() == 1);
  features_ = features[0];
  read(all);
}

TreeEnsembles::TreeEnsembles(std::shared_ptr<const io::Container> container, uint32_t features,
                             bool all)
    : container_(std::move(container)), features_(features) {
  read(all);
}

void TreeEnsembles::read(bool all) {
  view_ = {container_->section<uint64_t>("classifiers"), container_->section<double>("lambdas"),
           container_->section<uint64_t>("trees"),       container_->section<uint32_t>("atoms"),
           container_->section<uint32_t>("others"),      container_->section<double>("values")};
  view_.check(all);
  if (all)
    for (const uint32_t atom : view_.atoms) require(atom == kTreeLeaf || atom < features_);
}

}  // namespace demotic::features
