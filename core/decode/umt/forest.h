// The context-free forest as the undirected decoder walks it: up as well as down.
//
//   UndirectedForest forest;
//   forest.build(builder, sentence);             parses, and links each node to the groups above it
//   forest.first_below(v), forest.above(v)
//
// Groups are what is walked, so neither the passes over the forest nor its memory grow with the
// number of translations of a source side.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "decode/context_free_forest.h"
#include "decode/scored_grammar.h"

namespace demotic::decode::umt {

inline constexpr uint32_t kHeadSlot = grammar::kMaxArity;  // beside a group's tails: its head
inline constexpr uint32_t kNoTail = UINT32_MAX;

// By tail: slots, steps or words; of a group's own tails only the first ones count.
using ByTail = std::array<uint32_t, grammar::kMaxArity>;
inline constexpr ByTail by_tail(uint32_t value) {
  ByTail made{};
  made.fill(value);
  return made;
}

// A group with a node among its tails, and which tail that is.
struct GroupAbove {
  uint32_t group;
  uint32_t tail;
};

class UndirectedForest {
 public:
  void build(ContextFreeForestBuilder& builder, const SourceSentence& sentence);

  bool empty() const { return forest_.empty(); }
  uint32_t nodes() const { return static_cast<uint32_t>(forest_.nodes.size()); }
  uint32_t goal() const { return forest_.goal(); }
  uint64_t edges() const { return forest_.edges(); }
  uint32_t span_limit() const { return forest_.span_limit; }
  const ForestNode& node(uint32_t v) const { return forest_.nodes[v]; }

  std::span<const RuleGroup> groups() const { return forest_.groups; }
  const RuleGroup& group(uint32_t g) const { return forest_.groups[g]; }
  std::span<const uint32_t> tails(const RuleGroup& group) const { return forest_.tails_of(group); }
  std::span<const uint32_t> passed() const { return passed_; }
  // Groups of head v are neighbours.
  uint32_t first_below(uint32_t v) const { return forest_.first_group(v); }
  uint32_t last_below(uint32_t v) const { return forest_.last_group(v); }
  std::span<const GroupAbove> above(uint32_t v) const {
    return {above_.data() + above_begins_[v], above_.data() + above_begins_[v + 1]};
  }
  std::span<const uint32_t> leaves() const { return leaves_; }  // groups without tails
  uint64_t leaf_edges() const { return leaf_edges_; }
  // Edges with head v, and places of v among the tails of edges.
  uint64_t edges_below(uint32_t v) const { return degree_below_[v]; }
  uint64_t edges_above(uint32_t v) const { return degree_above_[v]; }

  size_t bytes() const;

 private:
  ContextFreeForest forest_;
  std::vector<uint32_t> passed_;  // by group, see RuleRanking::begin
  std::vector<uint32_t> above_begins_;
  std::vector<GroupAbove> above_;
  std::vector<uint32_t> leaves_;
  std::vector<uint32_t> degree_below_;
  std::vector<uint32_t> degree_above_;
  uint64_t leaf_edges_ = 0;
};

}  // namespace demotic::decode::umt
