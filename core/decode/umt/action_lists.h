// The actions of the undirected decoder in the order of what is known of them without looking at
// the words beside the gap.
//
//   ActionLists lists;
//   lists.begin(forest, ranking, bounds, cff_weights, 0);
//   uint32_t list = lists.down(node);             or up(node), start()
//   const Candidate* c = lists.at(list, i);       the i-th best, nullptr past the last
//
// A candidate's score is that of its rule (RankedRule::score) and of the bounds on the branches
// that it leaves open: Cff1 and Cff2 for its tails, CffHead for its head.  None of it depends on
// the partial tree, so the lists are worked out once for a sentence, as far as somebody asks.  All
// rules of a group share their bounds: a list merges its groups.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "decode/umt/branch_bounds.h"

namespace demotic::decode::umt {

// Cff1 for the first tail, Cff2 for the second and any that follow, CffHead.
inline constexpr uint32_t kCffFeatures = 3;
using CffVector = std::array<double, kCffFeatures>;
inline uint32_t cff_of(uint32_t which) { return which == kHeadSlot ? 2 : which == 0 ? 0 : 1; }

struct Candidate {
  double score;
  double gain;  // part of the score: an upper bound that looking ahead replaces
  uint32_t group;
  uint32_t rank;   // of the rule in RuleRanking
  uint32_t place;  // of the rule in the group
  uint32_t child;  // going up: the tail by which it takes the tree
  float lm;        // part of the score, as a log10: RankedRule::lm
};

class ActionLists {
 public:
  // `gain_weight`: what a log10 counts that branches and surroundings may gain beside new
  // neighbours.
  void begin(const UndirectedForest& forest, RuleRanking& ranking, const BranchBounds& bounds,
             const CffVector& weights, double gain_weight);

  uint32_t down(uint32_t node) { return find(by_node_[2 * node], node, Kind::down); }
  uint32_t up(uint32_t node) { return find(by_node_[2 * node + 1], node, Kind::up); }
  uint32_t start() { return find(start_, 0, Kind::start); }

  const Candidate* at(uint32_t list, size_t i) {
    List& l = lists_[list];
    while (l.order.size() <= i)
      if (!pop(l)) return nullptr;
    return &l.order[i];
  }
  uint64_t scored() const { return scored_; }  // candidates so far

  // The bounds on the branches that an edge leaves open when it is put on a slot; below an open
  // tail or at the start its child is kNoTail.
  CffVector bounds(const RuleGroup& group, uint32_t child, bool opens_head) const;

 private:
  static constexpr uint32_t kNone = UINT32_MAX;
  enum class Kind : uint8_t { down, up, start };
  struct Head {  // the next rule of a group
    Candidate candidate;
    double bounds;
  };
  struct List {
    std::vector<Head> heap;
    std::vector<Candidate> order;
  };

  static bool worse(const Head& a, const Head& b);
  static void sink(std::vector<Head>& heap, const Head& head);
  uint32_t find(uint32_t& list, uint32_t node, Kind kind) {
    if (list == kNone) list = fill(node, kind);
    return list;
  }
  uint32_t fill(uint32_t node, Kind kind);
  void push(List& list, uint32_t group, uint32_t child, Kind kind);
  bool pop(List& list);

  const UndirectedForest* forest_ = nullptr;
  RuleRanking* ranking_ = nullptr;
  const BranchBounds* bounds_ = nullptr;
  CffVector weights_{};
  double gain_weight_ = 0;
  std::vector<uint32_t> by_node_;
  uint32_t start_ = kNone;
  std::vector<List> lists_;  // memory is kept for the next sentence
  uint32_t used_ = 0;
  uint64_t scored_ = 0;
};

}  // namespace demotic::decode::umt
