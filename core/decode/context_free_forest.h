// All derivations of one sentence under a synchronous grammar, before any language model: what cube
// pruning and the undirected decoder share.
//
//   ParsePlan plan(table, options);             once for a table; threads share it
//   ContextFreeForestBuilder build(plan);       one for each thread; its memory is reused
//   build(sentence, forest);
//   forest.nodes[v], forest.in(v) -> edges;     tails stand before heads, Goal is the last node
//
// CKY+: active items (trie node of the rule table, tails so far) advance over a word or a finished
// node.  Glue rules S -> X, S -> S X start at position 0 and have no span limit; Goal -> S closes.
// A word without a one-word rule passes through as itself, so with glue, of any category where X
// is not enough, there is always a derivation.  A grammar that brings its own rules for S is used
// without glue as long as it has a derivation of its own.
//
// The size is linear in the sentence's length for a fixed span limit, but for rules of S.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "decode/parse_plan.h"
#include "grammar/rule_table.h"

namespace demotic::decode {

inline constexpr uint32_t kNoNode = UINT32_MAX;

// Rules that are not in the table: rule ids from here on.
inline constexpr uint32_t kGlueFirst = 0xfffffff0u;    // S -> X1
inline constexpr uint32_t kGlueNext = 0xfffffff1u;     // S -> S1 X2
inline constexpr uint32_t kGoal = 0xfffffff2u;         // Goal -> S1
inline constexpr uint32_t kPassThrough = 0xfffffff3u;  // X -> w / w, w being the word at the span

struct ForestNode {
  uint32_t category;  // of ParsePlan::labels()
  uint32_t begin;
  uint32_t end;
};

struct ForestEdge {
  uint32_t rule;
  std::array<uint32_t, grammar::kMaxArity> tails;  // in source order; kNoNode where there is none

  uint32_t arity() const { return (tails[0] != kNoNode) + (tails[1] != kNoNode); }
};

struct ContextFreeForest {
  std::vector<ForestNode> nodes;  // none at all: the sentence has no derivation
  std::vector<uint32_t> in_ends;  // edges of node v: in_ends[v-1] ... in_ends[v]
  std::vector<ForestEdge> edges;
  uint32_t span_limit = 0;  // the one that was used

  bool empty() const { return nodes.empty(); }
  uint32_t goal() const { return static_cast<uint32_t>(nodes.size()) - 1; }
  uint32_t first_in(uint32_t node) const { return node == 0 ? 0 : in_ends[node - 1]; }
  uint32_t last_in(uint32_t node) const { return in_ends[node]; }
  std::span<const ForestEdge> in(uint32_t node) const {
    return {edges.data() + first_in(node), edges.data() + last_in(node)};
  }
  void clear() {
    nodes.clear();
    in_ends.clear();
    edges.clear();
  }
};

class ContextFreeForestBuilder {
 public:
  explicit ContextFreeForestBuilder(const ParsePlan& plan)
      : plan_(plan), table_(plan.table()), sound_(plan.table().nodes(), Sound::unknown) {}

  // `sentence` holds ids of the table's source vocabulary; unknown words are kUnknown.
  void operator()(std::span<const uint32_t> sentence, ContextFreeForest& out);

 private:
  struct Item {
    uint32_t trie;
    std::array<uint32_t, grammar::kMaxArity> tails;
  };

  // Of the rules of a trie node: are all usable and of one left-hand side?
  enum class Sound : uint8_t { unknown, yes, no };

  bool is_sound(uint32_t trie, uint32_t arity);
  bool relax(bool too_large);
  bool parse(std::span<const uint32_t> sentence);
  bool parse_from(uint32_t begin, std::span<const uint32_t> sentence);
  void advance(uint32_t begin, uint32_t end, std::span<const uint32_t> sentence);
  void finish_span(uint32_t begin, uint32_t end, std::span<const uint32_t> sentence);
  void collect(uint32_t trie, const std::array<uint32_t, grammar::kMaxArity>& tails, bool wide);
  bool passes_through(uint32_t word) const;
  void glue(uint32_t end);
  void trim(ContextFreeForest& out);
  uint32_t add_node(uint32_t category, uint32_t begin, uint32_t end);
  bool within_budget() const;

  const ParsePlan& plan_;
  const grammar::RuleTable& table_;
  std::vector<Sound> sound_;  // by trie node; saves a look at every target side
  uint32_t limit_ = 0;
  bool own_ = false;  // S of the grammar has no span limit
  bool glue_ = false;
  bool glue_any_ = false;                         // any category, not only X
  uint64_t work_ = 0;                             // items looked at
  ContextFreeForest whole_;                       // before trimming
  std::vector<uint32_t> last_at_;                 // by end: the node found last, or kNoNode
  std::vector<uint32_t> previous_at_;             // by node: the one before it with the same end
  std::vector<uint32_t> prefix_;                  // by end: S over everything up to there
  std::vector<Item> items_;                       // of one begin, by column
  std::vector<uint32_t> columns_;                 // items that end at begin + k
  std::vector<std::vector<ForestEdge>> pending_;  // of one span, by category
  std::vector<uint32_t> renumbered_;
  std::vector<uint32_t> stack_;
};

}  // namespace demotic::decode
