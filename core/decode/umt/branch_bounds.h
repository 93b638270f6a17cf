// What the missing branch below or above a node of the forest may be worth: the context-free
// features of the undirected decoder (Gesmundo and Henderson 2014, section 3.3).
//
//   BranchBounds bounds(kind);
//   bounds.begin(forest, ranking, grammar, counters);     one pass up, one pass down
//   bounds.inside(v), bounds.outside(v)                   weighted, natural
//
//   local   the (max, +) semiring over rules' local features: exact bounds without the language
//           model
//   words   with its estimate of each rule's words, runs taken alone: no bounds any more, but
//   fairer
//           to branches of many words
//   chart   with its score of each node's best branch, found bottom-up as cube pruning with one pop
//           would, and of the best surroundings of that: a few looks at the language model for each
//           node.  A node's two bounds together are the score of a whole derivation through it.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "decode/rule_ranking.h"
#include "decode/umt/forest.h"
#include "decode/umt/gap_carry.h"
#include "decode/umt/surroundings.h"
#include "lm/chart.h"

namespace demotic::decode::umt {

enum class BoundKind : uint8_t { local, words, chart };

class BranchBounds {
 public:
  explicit BranchBounds(BoundKind kind) : kind_(kind) {}

  void begin(const UndirectedForest& forest, RuleRanking& ranking, const ScoredGrammar& grammar,
             LmCounters& counters);

  double inside(uint32_t v) const { return inside_[v]; }
  double outside(uint32_t v) const { return outside_[v]; }
  // Of a chart: each node's best branch, and what is around it.
  std::span<const lm::Fragment> branches() const { return fragments_; }
  std::span<const Surroundings> surroundings() const { return surroundings_; }

 private:
  static constexpr uint32_t kNone = UINT32_MAX;
  static constexpr size_t kLooks = 10;  // at each node of a chart

  void pass_up();
  void pass_down();
  void look_below(uint32_t v);
  void look_above(uint32_t v);
  double estimate(uint32_t group) const;
  // The group's own part becomes what it is instead of a bound on it.
  void settle(uint32_t group);
  // The best rule of a group over its tails' best branches, seen by the language model.
  double seen(uint32_t group, lm::Fragment& made);
  // The same around one of its tails; what is around its head is known.
  double seen_around(const GroupAbove& at, Surroundings& made);

  BoundKind kind_;
  const UndirectedForest* forest_ = nullptr;
  RuleRanking* ranking_ = nullptr;
  const ScoredGrammar* grammar_ = nullptr;
  LmCounters* counters_ = nullptr;
  std::vector<double> best_;      // by group: its own part, or a bound on it until
  std::vector<uint8_t> settled_;  // by group
  std::vector<double> inside_;
  std::vector<double> outside_;
  // Of a chart, by node:
  std::vector<GroupAbove> above_;   // of the best surroundings by an estimate
  std::vector<uint32_t> below_;     // the group that was kept
  std::vector<GroupAbove> beside_;  // of the best surroundings that are part of a kept branch
  std::vector<double> around_;      // the score of these
  std::vector<lm::Fragment> fragments_;
  std::vector<Surroundings> surroundings_;
  std::vector<std::pair<double, uint32_t>> order_;
};

}  // namespace demotic::decode::umt
