// l1-regularised boosted decision trees over sparse binary features (Wellington, Turian and
// Melamed, chapter 7): the whole regularisation path of a classifier in one run.
//
//   const BoostRows rows = BoostRows::of(view, begin, end);   atoms renumbered, rows and columns
//   Booster booster(rows, options);                           one for each thread
//   booster.train(positive, weights, tables);                 a classifier's trees (Algorithm 7.1)
//   train_groups(all, groups, options, threads)               many classifiers that share rows
//
// Risk (7.4): R = sum_i b_i ln(1 + exp(-y_i h_i)) + lambda sum_f |Theta_f|.  Each tree is grown
// where risk falls most steeply (boost_grower.h) and its leaves are fitted exactly (boost_leaf.h).
//
// Rows that went through the same leaves have the same margin.  They are kept as one state, with
// sums of weights, so that most of the work is by state and not by row; the atoms of the largest
// state are counted, not summed.  Results depend on nothing but rows, labels and options.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "features/binary_rows.h"
#include "features/tree_ensembles.h"

namespace demotic::learn {

enum class Gain : uint8_t {
  printed,  // (7.8): |v| - lambda, if that is positive
  hard,     // |v|, if that is more than lambda
};

struct BoostOptions {
  double lambda_min = 0.5;
  double decay = 0.9;  // eta
  uint32_t max_trees = 1000;
  Gain gain = Gain::hard;
  double min_gain_factor = 1.01;  // what a split must exceed, as a multiple of its leaf's gain
  uint32_t max_depth = 0;         // 0: no limit
  bool converge = false;          // lambda falls when no gain is left, not with every tree
  bool per_leaf = false;          // each leaf pays for itself, equal compounds or not
  bool atoms_only = false;        // no trees: a linear model at lambda_min

  void check() const;  // throws Error(argument)
};

// Rows of atoms under numbers of their own: atoms count from 0 in the order of their ids, and
// each row has each atom once.  By row and by column.  Of atoms that the same rows have, no split
// takes another than the first: `distinct` leaves out the others.
struct BoostRows {
  std::vector<uint32_t> names;  // ids of atoms
  std::vector<uint64_t> row_ends{0};
  std::vector<uint32_t> row_atoms;
  std::vector<uint64_t> column_ends{0};
  std::vector<uint32_t> column_rows;

  static BoostRows of(const features::BinaryRowsView& rows, size_t begin, size_t end,
                      bool distinct);

  uint32_t rows() const { return static_cast<uint32_t>(row_ends.size()) - 1; }
  uint32_t atoms() const { return static_cast<uint32_t>(names.size()); }
  std::span<const uint32_t> row(size_t i) const {
    return {row_atoms.data() + row_ends[i], row_atoms.data() + row_ends[i + 1]};
  }
  std::span<const uint32_t> column(size_t a) const {
    return {column_rows.data() + column_ends[a], column_rows.data() + column_ends[a + 1]};
  }

 private:
  void make_columns();
  void keep_distinct();
};

// Rows begin ... end of all; `classes` classifiers, for the k-th of which a row is positive if its
// label is k.
struct BoostGroup {
  uint64_t begin, end;
  uint32_t classes;
};

struct BoostExamples {
  features::BinaryRowsView rows;
  std::span<const uint32_t> labels;  // by row
  std::span<const double> weights;   // by row; none: 1 each
};

// The classifiers of all groups, in their order.
features::TreeTables train_groups(const BoostExamples& examples, std::span<const BoostGroup> groups,
                                  const BoostOptions& options, unsigned threads);

}  // namespace demotic::learn
