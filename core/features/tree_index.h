// Trees that are asked again and again, each time with few of many atoms: only those trees are
// walked that look at an atom that is there.
//
//   TreeIndex index(trees, features);          once; the trees must outlive it
//   TreeAsker ask(index);                      one for each thread
//   ask.clear(); ask.add(atom); ...
//   ask.score_all(scores);                     of each classifier, what is behind them is set to 0
//   ask.keep(known);                           what trees say of these atoms, added to a list
//   ask.clear(); ask.start_from(atoms, known); ask.add(another); ...   later, as if added anew
//
// The value that a tree has without any atom is known; sums are taken over all trees in their
// order, those values among them: so they are those of TreesView::score to the bit.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "features/binary_rows.h"
#include "features/tree_ensembles.h"

namespace demotic::features {

class TreeIndex {
 public:
  TreeIndex(const TreesView& trees, uint32_t features);

  const TreesView& trees() const { return trees_; }
  uint32_t features() const { return static_cast<uint32_t>(ends_.size()) - 1; }
  std::span<const uint32_t> with(uint32_t atom) const {
    return std::span(holders_).subspan(ends_[atom], ends_[atom + 1] - ends_[atom]);
  }
  std::span<const double> without_atoms() const { return without_atoms_; }

 private:
  TreesView trees_;
  std::vector<uint32_t> ends_;     // by atom, one more
  std::vector<uint32_t> holders_;  // trees that look at it
  std::vector<double> without_atoms_;
};

class TreeAsker {
 public:
  struct Known {
    uint32_t tree;
    double value;
  };

  explicit TreeAsker(const TreeIndex& index);

  void clear();
  void add(uint32_t atom);  // those beyond the index's features are none
  void score_all(std::span<float> scores);
  void keep(std::vector<Known>& known);
  // `known` must outlive the next score_all().
  void start_from(std::span<const uint32_t> atoms, std::span<const Known> known);

 private:
  void walk();
  void forget();

  const TreeIndex* index_;
  AtomSet atoms_;
  std::vector<uint32_t> added_;     // atoms whose trees have to be walked
  std::span<const Known> started_;  // of those that have not
  std::vector<double> values_;      // by tree, as without atoms between two calls
  std::vector<uint32_t> changed_;   // trees
  std::vector<uint8_t> is_changed_;
};

}  // namespace demotic::features
