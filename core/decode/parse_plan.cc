#include "decode/parse_plan.h"

#include <algorithm>

#include "io/error.h"

namespace demotic::decode {

ParsePlan::ParsePlan(const grammar::RuleTable& table, const ParseOptions& options)
    : table_(&table), options_(options), labels_(table.categories()) {
  if (options.span_limit == 0)
    throw io::Error(io::Fault::argument, "the span limit must be at least 1");
  if (options.goal == options.default_category)
    throw io::Error(io::Fault::argument,
                    "the goal and the default category must have different names");
  const size_t in_table = labels_.size();
  s_ = label(options.goal);
  x_ = label(options.default_category);
  has_own_goal_ = s_ < in_table;
  has_own_default_ = x_ < in_table;
  goal_ = static_cast<uint32_t>(labels_.size());
  labels_.emplace_back("Goal");
  unary_.assign(labels_.size(), grammar::RuleTable::kNone);
  if (table.nodes() > 0)
    for (uint32_t c = 0; c < in_table; ++c)
      unary_[c] = table.step(grammar::RuleTable::kRoot, grammar::category_symbol(c));
  find_order();
  if (has_own_goal_) find_goal_rules();
}

uint32_t ParsePlan::label(const std::string& name) {
  const auto at = std::find(labels_.begin(), labels_.end(), name);
  const auto id = static_cast<uint32_t>(at - labels_.begin());
  if (at == labels_.end()) labels_.push_back(name);
  return id;
}

// Topological, S as late as possible, so that glue may begin with any category before it.
void ParsePlan::find_order() {
  std::vector<std::vector<uint32_t>> above(goal_);
  std::vector<uint32_t> waiting(goal_, 0);
  for (uint32_t c = 0; c < goal_; ++c) {
    if (unary_[c] == grammar::RuleTable::kNone) continue;
    for (uint32_t r = table_->first_rule(unary_[c]); r < table_->last_rule(unary_[c]); ++r) {
      if (!table_->usable(r, 1)) continue;
      above[c].push_back(table_->lhs(r));
      ++waiting[table_->lhs(r)];
    }
  }
  std::vector<uint32_t> ready;
  bool s_ready = false;
  const auto settle = [&](uint32_t c) {
    if (c == s_)
      s_ready = true;
    else
      ready.push_back(c);
  };
  for (uint32_t c = 0; c < goal_; ++c)
    if (waiting[c] == 0) settle(c);
  for (size_t at = 0; order_.size() < goal_;) {
    uint32_t c;
    if (at < ready.size()) {
      c = ready[at++];
    } else if (s_ready) {
      c = s_;
      s_ready = false;
    } else {
      throw io::Error(io::Fault::format, "unary rules of the grammar form a cycle", 0,
                      "remove one of the rules that rewrite a nonterminal as another");
    }
    order_.push_back(c);
    for (const uint32_t up : above[c])
      if (--waiting[up] == 0) settle(up);
  }
}

void ParsePlan::find_goal_rules() {
  leads_to_goal_.assign(table_->nodes(), false);
  // Children are numbered after their parents.
  for (uint32_t node = table_->nodes(); node-- > 0;) {
    for (uint32_t r = table_->first_rule(node); r < table_->last_rule(node); ++r)
      if (table_->lhs(r) == s_) leads_to_goal_[node] = true;
    if (node > 0 && leads_to_goal_[node] && table_->parent(node) < node)
      leads_to_goal_[table_->parent(node)] = true;
  }
}

}  // namespace demotic::decode
