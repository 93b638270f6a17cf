#include "decode/umt/rule_ranking.h"

#include <algorithm>

namespace demotic::decode::umt {

void RuleRanking::forget() {
  ranked_.clear();
  sides_.clear();
  table_.assign(table_.size() > 4 * kMost ? 0 : table_.size(), kNone);
  std::fill(places_.begin(), places_.end(), kNone);
}

void RuleRanking::reweigh(const ScoredGrammar& grammar) {
  grammar_ = &grammar;
  forget();
}

void RuleRanking::begin(std::span<const RuleGroup> groups, std::span<const uint32_t> passed) {
  groups_ = groups;
  passed_ = passed;
  if (ranked_.size() > kMost || sides_.size() > kMost) forget();
  places_.assign(groups.size(), kNone);
}

RankedRule RuleRanking::built_in(uint32_t group) const {
  const uint32_t rule = groups_[group].first_rule;
  const uint32_t passed = passed_[group];
  RankedRule made{0, grammar_->score(ForestEdge{rule, {kNoNode, kNoNode}}, passed), 0, 0, 0};
  const lm::Model* lm = grammar_->lm();
  if (rule == kPassThrough && lm != nullptr)
    (lm->order() == 1 ? made.lm : made.estimate) = lm->score_ngram({}, passed).prob;
  made.score = made.local + grammar_->lm_score(made.lm);
  return made;
}

RankedRule RuleRanking::in_table(uint32_t first_rule, uint32_t place) const {
  RankedRule made{0, grammar_->score(first_rule + place), 0, 0, place};
  if (grammar_->lm() != nullptr) add_lm(first_rule + place, made);
  made.score = made.local + grammar_->lm_score(made.lm);
  return made;
}

// Run by run; without estimates, only runs with a complete word matter.
void RuleRanking::add_lm(uint32_t rule, RankedRule& made) const {
  const lm::Model& lm = *grammar_->lm();
  const uint32_t reach = lm.order() - 1;
  const std::span<const text::Symbol> target = grammar_->table().target(rule);
  const uint32_t shortest = estimates_ ? 1 : reach + 1;
  for (size_t at = 0; at + shortest <= target.size();) {
    size_t end = at;
    while (end < target.size() && text::is_word(target[end])) ++end;
    if (end - at >= shortest) {
      lm::State state = lm.empty_context();
      for (size_t i = at; i < end; ++i) {
        const float prob = lm.score(state, grammar_->lm_word(target[i]), state).prob;
        (i - at >= reach ? made.lm : made.estimate) += prob;
      }
    }
    at = end + 1;
  }
}

uint32_t RuleRanking::find(uint32_t group) {
  const RuleGroup& edges = groups_[group];
  if (edges.first_rule >= kGlueFirst) {  // depends on the sentence: never found again
    const RankedRule top = built_in(group);
    sides_.push_back({edges.first_rule, 1, kNone, top, top});
    return static_cast<uint32_t>(sides_.size()) - 1;
  }
  if (sides_.size() * 2 >= table_.size()) grow();
  const size_t mask = table_.size() - 1;
  size_t at = io::mix64(edges.first_rule) & mask;
  for (; table_[at] != kNone; at = (at + 1) & mask) {
    const Side& side = sides_[table_[at]];
    if (side.first_rule == edges.first_rule && side.rules == edges.rules) return table_[at];
  }
  table_[at] = static_cast<uint32_t>(sides_.size());
  const RankedRule first = in_table(edges.first_rule, 0);
  Side side{edges.first_rule, edges.rules, kNone, first, first};
  for (uint32_t i = 1; i < edges.rules; ++i) {
    const RankedRule rule = in_table(edges.first_rule, i);
    if (bound(rule) > bound(side.best)) side.best = rule;
    if (rule.score > side.top.score) side.top = rule;
  }
  sides_.push_back(side);
  return table_[at];
}

void RuleRanking::grow() {
  table_.assign(std::max<size_t>(table_.size() * 2, 1024), kNone);
  const size_t mask = table_.size() - 1;
  for (uint32_t i = 0; i < sides_.size(); ++i) {
    if (sides_[i].first_rule >= kGlueFirst) continue;
    size_t at = io::mix64(sides_[i].first_rule) & mask;
    while (table_[at] != kNone) at = (at + 1) & mask;
    table_[at] = i;
  }
}

void RuleRanking::sort(Side& side) {
  side.ranked = static_cast<uint32_t>(ranked_.size());
  for (uint32_t i = 0; i < side.rules; ++i) ranked_.push_back(in_table(side.first_rule, i));
  std::sort(ranked_.begin() + side.ranked, ranked_.end(),
            [](const RankedRule& a, const RankedRule& b) {
              return a.score != b.score ? a.score > b.score : a.place < b.place;
            });
}

}  // namespace demotic::decode::umt
