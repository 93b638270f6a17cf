#include "decode/rule_ranking.h"

#include <algorithm>

namespace demotic::decode {

void RuleRanking::forget() {
  ranked_.clear();
  sides_.clear();
  index_.clear();
  std::fill(places_.begin(), places_.end(), kNone);
}

void RuleRanking::reweigh(const ScoredGrammar& grammar) {
  grammar_ = &grammar;
  forget();
}

void RuleRanking::begin(std::span<const RuleGroup> groups, std::span<const uint32_t> passed) {
  groups_ = groups;
  passed_ = passed;
  if (ranked_.size() > kMost) forget();
  places_.assign(groups.size(), kNone);
}

RankedRule RuleRanking::built_in(uint32_t group) const {
  const uint32_t rule = groups_[group].first_rule;
  const uint32_t passed = passed_[group];
  RankedRule made{0, grammar_->score(rule, passed), 0, 0, 0, 0};
  const lm::Model* lm = grammar_->lm();
  if (rule == kPassThrough && lm != nullptr)
    (lm->order() == 1 ? made.lm : made.estimate) = lm->score_ngram({}, passed).prob;
  made.score = made.local + grammar_->lm_score(made.lm);
  return made;
}

RankedRule RuleRanking::in_table(uint32_t first_rule, uint32_t place) const {
  RankedRule made{0, grammar_->score(first_rule + place), 0, 0, place, 0};
  if (grammar_->lm() != nullptr) add_lm(first_rule + place, made);
  if (by_ == RankBy::estimate && grammar_->further() > 0)
    made.further = static_cast<float>(estimate_further(first_rule + place));
  made.score = made.local + grammar_->lm_score(made.lm);
  return made;
}

// Run by run; without estimates, only runs with a certain word matter.
void RuleRanking::add_lm(uint32_t rule, RankedRule& made) const {
  const lm::Model& lm = *grammar_->lm();
  const uint32_t reach = by_ == RankBy::estimate ? UINT32_MAX - 1 : lm.order() - 1;
  const std::span<const text::Symbol> target = grammar_->table().target(rule);
  const uint32_t shortest = by_ == RankBy::certain ? reach + 1 : 1;
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

// Each word given what stands before it within the rule.
double RuleRanking::estimate_further(uint32_t rule) const {
  double sum = 0;
  for (uint32_t model = 0; model < grammar_->further(); ++model) {
    const lm::Model& lm = grammar_->further_lm(model);
    lm::State state = lm.empty_context();
    for (const text::Symbol symbol : grammar_->table().target(rule))
      if (text::is_word(symbol))
        sum += grammar_->further_score(
            model, lm.score(state, grammar_->further_word(model, symbol), state).prob);
      else
        state = lm.empty_context();
  }
  return sum;
}

uint32_t RuleRanking::find(uint32_t group) {
  const RuleGroup& edges = groups_[group];
  if (edges.first_rule >= kGlueFirst) {  // depends on the sentence: never found again
    const RankedRule only = built_in(group);
    sides_.push_back(
        {edges.first_rule, 1, static_cast<uint32_t>(ranked_.size()), true, only, only});
    ranked_.push_back(only);
    return static_cast<uint32_t>(sides_.size()) - 1;
  }
  const auto next = static_cast<uint32_t>(sides_.size());
  const uint32_t known = index_.find_or_add(io::mix64(edges.first_rule), next, [&](uint32_t i) {
    return sides_[i].first_rule == edges.first_rule && sides_[i].rules == edges.rules;
  });
  if (known != next) return known;
  const RankedRule first = in_table(edges.first_rule, 0);
  Side side{
      edges.first_rule, edges.rules, static_cast<uint32_t>(ranked_.size()), false, first, first};
  ranked_.push_back(first);
  for (uint32_t i = 1; i < edges.rules; ++i) {
    const RankedRule& rule = ranked_.emplace_back(in_table(edges.first_rule, i));
    if (bound(rule) > bound(side.best)) side.best = rule;
    if (order(rule) > order(side.top)) side.top = rule;
  }
  sides_.push_back(side);
  return next;
}

void RuleRanking::sort(Side& side) {
  const auto first = ranked_.begin() + side.ranked;
  std::sort(first, first + side.rules, [&](const RankedRule& a, const RankedRule& b) {
    return order(a) != order(b) ? order(a) > order(b) : a.place < b.place;
  });
  side.sorted = true;
}

}  // namespace demotic::decode
