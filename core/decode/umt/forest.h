// The context-free forest as the undirected decoder walks it: up as well as down.
//
//   UndirectedForest forest;
//   forest.build(parsed, sentence);              groups of edges, and for each node those above it
//   forest.below(v), forest.above(v)             (group << 1 | tail) for the latter
//
// Edges that differ in their rules' target sides alone are one group (rule_ranking.h), so neither
// the passes over it nor its memory grow with the number of translations of a source side.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "decode/context_free_forest.h"
#include "decode/umt/rule_ranking.h"

namespace demotic::decode::umt {

class UndirectedForest {
 public:
  void build(const ContextFreeForest& forest, const SourceSentence& sentence);

  bool empty() const { return nodes_.empty(); }
  uint32_t nodes() const { return static_cast<uint32_t>(nodes_.size()); }
  uint32_t goal() const { return nodes() - 1; }
  uint64_t edges() const { return edges_; }
  uint32_t span_limit() const { return span_limit_; }
  const ForestNode& node(uint32_t v) const { return nodes_[v]; }

  std::span<const RuleGroup> groups() const { return groups_; }
  const RuleGroup& group(uint32_t g) const { return groups_[g]; }
  std::span<const uint32_t> passed() const { return passed_; }
  // Groups of head v are neighbours.
  uint32_t first_below(uint32_t v) const { return v == 0 ? 0 : below_ends_[v - 1]; }
  uint32_t last_below(uint32_t v) const { return below_ends_[v]; }
  std::span<const uint32_t> above(uint32_t v) const {
    return {above_.data() + above_begins_[v], above_.data() + above_begins_[v + 1]};
  }
  std::span<const uint32_t> leaves() const { return leaves_; }  // groups without tails
  uint64_t leaf_edges() const { return leaf_edges_; }
  // Edges with head v, and places of v among the tails of edges.
  uint64_t edges_below(uint32_t v) const { return degree_below_[v]; }
  uint64_t edges_above(uint32_t v) const { return degree_above_[v]; }

  size_t bytes() const;

 private:
  std::vector<ForestNode> nodes_;
  std::vector<RuleGroup> groups_;
  std::vector<uint32_t> passed_;  // by group, see RuleRanking::begin
  std::vector<uint32_t> below_ends_;
  std::vector<uint32_t> above_begins_;
  std::vector<uint32_t> above_;
  std::vector<uint32_t> leaves_;
  std::vector<uint32_t> degree_below_;
  std::vector<uint32_t> degree_above_;
  uint64_t edges_ = 0;
  uint64_t leaf_edges_ = 0;
  uint32_t span_limit_ = 0;
};

}  // namespace demotic::decode::umt
