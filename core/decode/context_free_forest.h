// All derivations of one sentence under a synchronous grammar, before any language model: what cube
// pruning and the undirected decoder share.
//
//   ParsePlan plan(table, options);             once for a table; threads share it
//   ContextFreeForestBuilder build(plan);       one for each thread; its memory is reused
//   build(sentence, forest, limits);            no node but of S covers what these forbid
//   forest.nodes[v], forest.in(v) -> groups;    tails stand before heads, Goal is the last node
//
// CKY+: active items (trie node of the rule table, tails so far) advance over a word or a finished
// node.  Glue rules S -> X, S -> S X start at position 0 and have no span limit; Goal -> S closes.
// A word without a one-word rule passes through as itself, so with glue, of any category where X
// is not enough, there is always a derivation.  A grammar that brings its own rules for S is used
// without glue as long as it has a derivation of its own.
//
// The size is linear in the sentence's length for a fixed span limit, but for rules of S.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <vector>

#include "decode/parse_plan.h"
#include "decode/rule_symbols.h"
#include "decode/sentence_choices.h"
#include "decode/zones.h"
#include "grammar/rule_table.h"

namespace demotic::decode {

inline constexpr uint32_t kNoNode = UINT32_MAX;

struct ForestNode {
  uint32_t category;  // of ParsePlan::labels()
  uint32_t begin;
  uint32_t end;
};

// The rules of one source side over the same tails: edges that differ in their rules' target sides
// alone.  Rules of the table are neighbours; one that is not in the table is a group by itself.
struct RuleGroup {
  uint32_t head;
  uint32_t first_rule;
  uint32_t rules;
  uint32_t first_edge;  // edges count through the forest as rules do through their group
  uint32_t first_tail;  // of ContextFreeForest::tails
  uint32_t arity;
};

struct ContextFreeForest {
  std::vector<ForestNode> nodes;     // none at all: the sentence has no derivation
  std::vector<uint32_t> group_ends;  // groups of node v: group_ends[v-1] ... group_ends[v]
  std::vector<RuleGroup> groups;
  std::vector<uint32_t> tails;  // of groups, in source order
  uint32_t span_limit = 0;      // the one that was used

  bool empty() const { return nodes.empty(); }
  uint32_t goal() const { return static_cast<uint32_t>(nodes.size()) - 1; }
  uint32_t edges() const {
    return groups.empty() ? 0 : groups.back().first_edge + groups.back().rules;
  }
  uint32_t first_group(uint32_t node) const { return node == 0 ? 0 : group_ends[node - 1]; }
  uint32_t last_group(uint32_t node) const { return group_ends[node]; }
  std::span<const RuleGroup> in(uint32_t node) const {
    return {groups.data() + first_group(node), groups.data() + last_group(node)};
  }
  std::span<const uint32_t> tails_of(const RuleGroup& group) const {
    return {tails.data() + group.first_tail, group.arity};
  }
  void clear() {
    nodes.clear();
    group_ends.clear();
    groups.clear();
    tails.clear();
  }
};

// Where each symbol of the source side stands that a group's rules share.
inline void find_places(const ContextFreeForest& forest, const RuleGroup& group,
                        const grammar::RuleTable& table, std::vector<uint32_t>& places) {
  const std::span<const uint32_t> tails = forest.tails_of(group);
  const ForestNode& head = forest.nodes[group.head];
  const auto tail_end = [&](uint32_t k) {
    return k < tails.size() ? forest.nodes[tails[k]].end : head.end;
  };
  find_places(table, group.first_rule, head.begin, tail_end, places);
}

class ContextFreeForestBuilder {
 public:
  explicit ContextFreeForestBuilder(const ParsePlan& plan)
      : plan_(plan), table_(plan.table()), sound_(plan.table().nodes()) {}

  // `sentence` holds ids of the table's source vocabulary; unknown words are kUnknown.
  void operator()(std::span<const uint32_t> sentence, ContextFreeForest& out,
                  const ReorderingLimits& limits = {});

 private:
  // A path into the trie; its tails are a chain, so that any number of them fits.
  struct Item {
    uint32_t trie;
    uint32_t last_tail;  // of chain_, or kNoTail
  };
  struct Tail {
    uint32_t node;
    uint32_t previous;
    uint32_t arity;  // of the chain up to here
  };
  static constexpr uint32_t kNoTail = UINT32_MAX;

  // Of the rules of a trie node: are they its own, all usable and of one left-hand side?  Its path
  // tells the arity, so that one answer per node is enough.
  enum class Sound : uint8_t { unknown, yes, in_part, never };

  // What glue puts together: X; all categories but S where that is not enough, or there is no X; S
  // as well where nothing else is left, for words that only rules of S translate.
  enum class Joined : uint8_t { default_category, others, all };

  Sound soundness(uint32_t trie, uint32_t arity);
  bool relax(bool too_large);
  bool parse(std::span<const uint32_t> sentence);
  bool parse_from(uint32_t begin, std::span<const uint32_t> sentence);
  void advance(uint32_t begin, uint32_t end, std::span<const uint32_t> sentence);
  void finish_span(uint32_t begin, uint32_t end, std::span<const uint32_t> sentence);
  void collect(const Item& item, bool wide);
  void add_group(uint32_t lhs, uint32_t first_rule, uint32_t rules, const Item& item);
  void add_group(uint32_t lhs, uint32_t rule, std::initializer_list<uint32_t> tails);
  uint32_t arity_of(const Item& item) const {
    return item.last_tail == kNoTail ? 0 : chain_[item.last_tail].arity;
  }
  Item with_tail(uint32_t trie, uint32_t last_tail, uint32_t node);
  bool passes_through(uint32_t word) const;
  bool joins(const ForestNode& part) const;
  void glue(uint32_t end);
  void trim(ContextFreeForest& out);
  uint32_t add_node(uint32_t category, uint32_t begin, uint32_t end);
  bool within_budget() const;

  const ParsePlan& plan_;
  const grammar::RuleTable& table_;
  std::vector<Sound> sound_;  // by trie node; saves a look at every target side
  const ReorderingLimits* limits_ = nullptr;
  uint32_t limit_ = 0;
  bool own_ = false;  // S of the grammar has no span limit
  bool glue_ = false;
  Joined joined_ = Joined::default_category;
  uint64_t work_ = 0;  // items looked at
  uint64_t edges_ = 0;
  ContextFreeForest whole_;                      // before trimming
  std::vector<uint32_t> last_at_;                // by end: the node found last, or kNoNode
  std::vector<uint32_t> previous_at_;            // by node: the one before it with the same end
  std::vector<uint32_t> prefix_;                 // by end: S over everything up to there
  std::vector<Item> items_;                      // of one begin, by column
  std::vector<Tail> chain_;                      // of these items
  std::vector<uint32_t> columns_;                // items that end at begin + k
  std::vector<std::vector<RuleGroup>> pending_;  // of one span, by category
  std::vector<uint32_t> renumbered_;
  std::vector<uint32_t> stack_;
};

}  // namespace demotic::decode
