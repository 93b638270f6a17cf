// What parsing needs to know of a grammar, worked out once: its labels, which categories rename
// which, and which parts of the trie lead to rules of the goal.
//
//   ParsePlan plan(table, options);             once for a table; threads share it
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "grammar/rule_table.h"

namespace demotic::decode {

enum class Glue : uint8_t {
  automatic,  // where the grammar has no derivation of its own
  always,     // beside the grammar's own rules for S
  never,
};

struct ParseOptions {
  uint32_t span_limit = 10;        // words that a node other than S may cover
  uint64_t max_edges = 5'000'000;  // above it the span limit falls: 10, 5, 2, 1
  Glue glue = Glue::automatic;
  std::string goal = "S";              // what a sentence must be
  std::string default_category = "X";  // of words that pass through
};

class ParsePlan {
 public:
  ParsePlan(const grammar::RuleTable& table, const ParseOptions& options);

  const grammar::RuleTable& table() const { return *table_; }
  const ParseOptions& options() const { return options_; }
  // The table's categories, then S and X where it has none, then Goal.
  const std::vector<std::string>& labels() const { return labels_; }
  uint32_t x() const { return x_; }
  uint32_t s() const { return s_; }
  uint32_t goal() const { return goal_; }
  bool has_own_goal() const { return has_own_goal_; }
  bool has_own_default() const { return has_own_default_; }
  // Categories, each after those that it can be rewritten to by a unary rule.
  std::span<const uint32_t> order() const { return order_; }
  // The trie node behind a single nonterminal, RuleTable::kNone if there is none.
  uint32_t unary(uint32_t category) const { return unary_[category]; }
  // Can a rule of S be found below this trie node?  Only asked of tables that have S.
  bool leads_to_goal(uint32_t trie) const { return leads_to_goal_[trie]; }

 private:
  uint32_t label(const std::string& name);
  void find_order();
  void find_goal_rules();

  const grammar::RuleTable* table_;
  ParseOptions options_;
  std::vector<std::string> labels_;
  uint32_t x_, s_, goal_;
  bool has_own_goal_, has_own_default_;
  std::vector<uint32_t> order_;
  std::vector<uint32_t> unary_;
  std::vector<bool> leads_to_goal_;
};

}  // namespace demotic::decode
