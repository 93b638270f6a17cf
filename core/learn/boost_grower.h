// A decision tree grown where risk falls most steeply: leaves are split by (7.12) while (7.13)
// holds.
//
//   TreeGrower grower(rows, options);
//   grower.begin(mass, root, lambda)           is the root to be split?  If not, it is the tree
//   grower.grow(v);                            v by row: v_i = b_i w_i y_i
//   grower.leaves(): rows and signed atoms of each; grower.nodes(): the tree
//
// A node's histogram has, for each atom, the sum of v over its rows that have the atom.  The
// smaller child's is summed, the larger child's is what is left; a node whose positive and negative
// v alone show that no split can pay gets none.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <numeric>
#include <span>
#include <vector>

#include "learn/boosting.h"

namespace demotic::learn {

inline double gain(double v, double lambda, Gain form) {
  const double a = std::abs(v);
  if (a <= lambda) return 0.0;
  return form == Gain::hard ? a : a - lambda;
}

// Of a node: v of its rows, positive and negative ones apart.
struct Mass {
  double positive = 0.0;
  double negative = 0.0;  // as a positive number

  double total() const { return positive - negative; }
  Mass without(const Mass& part) const {
    return {std::max(0.0, positive - part.positive), std::max(0.0, negative - part.negative)};
  }
};

// By atom: the sum of v over rows that have it, and how many these are.
struct AtomSums {
  std::vector<double> v;
  std::vector<uint32_t> rows;
};

// The rows of a leaf, a piece of all rows in some order.
struct LeafRows {
  std::span<const uint32_t> all;
  uint32_t begin, end;

  std::span<const uint32_t> here() const { return all.subspan(begin, end - begin); }
  std::span<const uint32_t> before() const { return all.first(begin); }
  std::span<const uint32_t> behind() const { return all.subspan(end); }
};

class TreeGrower {
 public:
  struct Node {
    uint32_t atom = features::kTreeLeaf;
    uint32_t yes = 0, no = 0;  // nodes
    uint32_t leaf = 0;         // of leaves()
  };
  struct Leaf {
    uint32_t begin, end;  // of order()
    double v;
    std::vector<uint32_t> literals;  // 2 * atom, + 1 where negated; sorted
  };

  TreeGrower(const BoostRows& rows, const BoostOptions& options)
      : rows_(rows),
        options_(options),
        order_(rows.rows()),
        kept_(rows.rows()),
        marked_(rows.rows(), 0) {}

  // Of the root alone, whose rows' v are not needed yet.
  bool begin(const Mass& mass, const AtomSums& root, double lambda);
  void grow(std::span<const double> v);

  const std::vector<Node>& nodes() const { return nodes_; }
  const std::vector<Leaf>& leaves() const { return leaves_; }
  LeafRows rows_of(const Leaf& leaf) const { return {order_, leaf.begin, leaf.end}; }
  uint32_t depth() const { return depth_; }

 private:
  static constexpr uint32_t kNone = UINT32_MAX;

  struct Histogram {
    AtomSums sums;
    std::vector<uint32_t> touched;  // atoms that are there
    bool all = false;               // any may be
  };
  struct Pending {
    uint32_t node;
    uint32_t begin, end;
    Mass mass;
    uint32_t histogram;  // kNone: to be made; kRoot: that of the root
    uint32_t depth;
    uint32_t up;  // of steps_: how one comes here
  };
  struct Step {
    uint32_t literal;
    uint32_t up;
  };
  struct Split {
    uint32_t atom = kNone;
    double gain = 0.0;
  };
  static constexpr uint32_t kRoot = UINT32_MAX - 1;

  bool may_split(const Mass& mass, uint32_t depth) const;
  Split best_split(const Pending& node) const;
  Split best_of_all(const AtomSums& sums, uint32_t rows, double v, double bar) const;
  void look_at(uint32_t atom, const AtomSums& sums, uint32_t rows, double v, Split& best) const;
  Mass mass_of(uint32_t begin, uint32_t end) const;
  uint32_t partition(uint32_t begin, uint32_t end, uint32_t atom);
  uint32_t histogram_of(uint32_t begin, uint32_t end);
  uint32_t new_histogram();
  void release(uint32_t histogram);
  void split(const Pending& node, uint32_t atom);
  void close(const Pending& node);

  const BoostRows& rows_;
  const BoostOptions& options_;
  double lambda_ = 0.0;
  std::span<const double> v_;
  const AtomSums* root_ = nullptr;
  Split at_root_;
  std::vector<uint32_t> order_;  // rows, by leaf
  std::vector<uint32_t> kept_;   // scratch of partition()
  std::vector<uint8_t> marked_;
  std::vector<Histogram> histograms_;
  std::vector<uint32_t> free_;
  std::vector<Pending> pending_;
  std::vector<Step> steps_;
  std::vector<Node> nodes_;
  std::vector<Leaf> leaves_;
  uint32_t depth_ = 0;
  bool ordered_ = false;  // order_ has the rows of this tree
};

}  // namespace demotic::learn
