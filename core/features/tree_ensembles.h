// Ensembles of decision trees over binary features, as plain tables: what boosting learned
// (learn/boosting.h), kept in a file, walked anywhere.
//
//   TreeTables made;                              being made, one classifier after another
//   made.add_leaf(value); made.end_tree(lambda); made.end_classifier();
//   made.view().save(path, features);             Container of kind "boosted"
//   TreeEnsembles model(path);                    small files are verified
//   model.view().score(classifier, lambda, [&](uint32_t atom) { return holds(atom); })
//
// A path through a tree is a compound feature: a conjunction of atoms, each perhaps negated; the
// value at its leaf is added to the feature's weight.  Trees of a classifier stand in falling order
// of lambda, so that the first of them are the model for any larger lambda.
//
// Nodes of a tree stand in preorder: where the atom holds, the next one follows; where it does not,
// `others` says which, counted from the tree's first.  Both lie behind the node, so that no walk
// goes on for ever; damaged tables give wrong numbers, never a read outside.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "io/container.h"

namespace demotic::features {

inline constexpr uint32_t kTreeLeaf = UINT32_MAX;

struct TreesView {
  std::span<const uint64_t> classifier_ends;  // trees up to and with each classifier
  std::span<const double> lambdas;            // by tree
  std::span<const uint64_t> tree_ends;        // nodes up to and with each tree
  std::span<const uint32_t> atoms;            // by node; kTreeLeaf
  std::span<const uint32_t> others;           // by node: where to go without the atom
  std::span<const double> values;             // by node; 0 of those that are no leaves

  size_t classifiers() const { return classifier_ends.size(); }

  struct Range {
    size_t begin, end;
  };
  Range trees(size_t classifier) const {
    return range(classifier_ends, classifier, tree_ends.size());
  }
  Range nodes(size_t tree) const { return range(tree_ends, tree, atoms.size()); }

  // The value of the leaf that a tree's walk ends in.
  template <class Holds>
  double walk(size_t tree, Holds&& holds) const {
    const Range range = nodes(tree);
    for (size_t at = range.begin; at < range.end;) {
      const uint32_t atom = atoms[at];
      if (atom == kTreeLeaf) return finite(values[at]);
      const size_t next = holds(atom) ? at + 1 : range.begin + others[at];
      if (next <= at) return 0.0;
      at = next;
    }
    return 0.0;
  }

  // The sum over trees of at least this lambda.
  template <class Holds>
  double score(size_t classifier, double lambda, Holds&& holds) const {
    const Range range = trees(classifier);
    double sum = 0.0;
    for (size_t tree = range.begin; tree < range.end && lambdas[tree] >= lambda; ++tree)
      sum += walk(tree, holds);
    return sum;
  }

  // Throws Error(argument) for tables that do not fit each other; sizes alone, or all they say.
  void check(bool all) const;
  void save(const std::string& path, uint32_t features) const;
  void save(io::ContainerWriter& out) const;  // into a file that has more than trees

 private:
  static Range range(std::span<const uint64_t> ends, size_t i, size_t size) {
    if (i >= ends.size()) return {0, 0};
    const uint64_t begin = i == 0 ? 0 : ends[i - 1];
    const uint64_t end = ends[i];
    return begin <= end && end <= size ? Range{begin, end} : Range{0, 0};
  }
  static double finite(double value) { return std::abs(value) < 1e30 ? value : 0.0; }
};

struct TreeTables {
  std::vector<uint64_t> classifier_ends;
  std::vector<double> lambdas;
  std::vector<uint64_t> tree_ends;
  std::vector<uint32_t> atoms;
  std::vector<uint32_t> others;
  std::vector<double> values;

  void add_leaf(double value) { add(kTreeLeaf, 0, value); }
  void add(uint32_t atom, uint32_t other, double value) {
    atoms.push_back(atom);
    others.push_back(other);
    values.push_back(value);
  }
  void end_tree(double lambda) {
    lambdas.push_back(lambda);
    tree_ends.push_back(atoms.size());
  }
  void end_classifier() { classifier_ends.push_back(tree_ends.size()); }
  void add_tree(const TreesView& from, size_t tree);
  void add_classifier(const TreesView& from, size_t classifier);
  TreesView view() const { return {classifier_ends, lambdas, tree_ends, atoms, others, values}; }
};

// A conjunction: atoms in rising order as 2 * atom, + 1 where negated; its weight in one
// classifier.
struct Compound {
  std::vector<uint32_t> literals;
  double weight;
};

// All compounds of a classifier whose weight is not 0, in the order of first appearance.
std::vector<Compound> compounds_of(const TreesView& trees, size_t classifier, double lambda);

// The model for one lambda and no larger one: trees that only move the bias become one, the first.
// Scores are the same up to rounding.
TreeTables model_for(const TreesView& trees, double lambda);

// The sum of ensembles with as many classifiers, each times a factor.
TreeTables blend(std::span<const TreesView> parts, std::span<const double> factors);

class TreeEnsembles {
 public:
  static constexpr uint32_t kVersion = 1;
  static constexpr size_t kSmallFile = size_t{64} << 20;

  TreeEnsembles(TreeTables made, uint32_t features);
  explicit TreeEnsembles(const std::string& path, std::optional<bool> verify = {});
  // From a file that has more than trees; `all`: what they say is checked.
  TreeEnsembles(std::shared_ptr<const io::Container> container, uint32_t features, bool all);

  const TreesView& view() const { return view_; }
  uint32_t features() const { return features_; }

 private:
  void read(bool all);

  std::shared_ptr<const io::Container> container_;
  std::shared_ptr<const TreeTables> made_;
  TreesView view_;
  uint32_t features_ = 0;
};

}  // namespace demotic::features
