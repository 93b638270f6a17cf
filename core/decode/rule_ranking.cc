#include "decode/rule_ranking.h"

#include <algorithm>
#include <array>

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

void RuleRanking::begin(std::span<const RuleGroup> groups, std::span<const uint32_t> passed,
                        std::span<const double> extra) {
  groups_ = groups;
  passed_ = passed;
  extra_ = extra;
  here_.clear();
  ranked_here_.clear();
  if (ranked_.size() > kMost) forget();
  places_.assign(groups.size(), kNone);
}

RankedRule RuleRanking::built_in(uint32_t group) const {
  const uint32_t rule = groups_[group].first_rule;
  const uint32_t passed = passed_[group];
  RankedRule made{0, grammar_->score(rule, passed), 0, 0, 0, 0};
  const lm::Model* lm = grammar_->lm();
  if (rule == kPassThrough && lm != nullptr)
    (lm->order() == 1 ? made.lm : made.estimate) = lm->unigram(passed);
  made.score = made.local + grammar_->lm_score(made.lm);
  return made;
}

RankedRule RuleRanking::in_table(uint32_t first_rule, uint32_t place) const {
  RankedRule made{0, grammar_->score(first_rule + place), 0, 0, place, 0};
  if (grammar_->lm() != nullptr) add_lm(first_rule + place, by_ == RankBy::estimate, made);
  if (by_ == RankBy::estimate && grammar_->further() > 0)
    made.further = static_cast<float>(estimate_further(first_rule + place));
  made.score = made.local + grammar_->lm_score(made.lm);
  return made;
}

// Run by run.  Without estimates, only runs with a certain word matter; but where they will be
// asked for, the first word of each run says what they cannot exceed.
void RuleRanking::add_lm(uint32_t rule, bool estimates, RankedRule& made) const {
  const lm::Model& lm = *grammar_->lm();
  const io::PackedRow<text::Symbol> target = grammar_->table().target(rule);
  const uint32_t shortest = estimates ? 1 : lm.order();
  const bool firsts = !estimates && by_ == RankBy::certain_with_estimates;
  for (size_t at = 0; at + (firsts ? 1 : shortest) <= target.size();) {
    size_t end = at;
    while (end < target.size() && text::is_word(target[end])) ++end;
    if (end - at >= shortest) {
      add_run(target.subspan(at, end - at), made);
    } else if (firsts && end > at) {
      made.estimate += lm.unigram(grammar_->lm_word(target[at]));
    }
    at = end + 1;
  }
}

// The memory behind the first words' n-grams is fetched at once, before any of them is scored.
void RuleRanking::add_run(const io::PackedRow<text::Symbol>& words, RankedRule& made) const {
  const lm::Model& lm = *grammar_->lm();
  const size_t reach = by_ == RankBy::estimate ? words.size() : lm.order() - 1;
  constexpr size_t kAhead = 8;
  const size_t ahead = std::min(words.size(), kAhead);
  std::array<uint32_t, kAhead> ids;  // newest first
  std::array<lm::Model::Keys, kAhead> keys;
  for (size_t i = 0; i < ahead; ++i) ids[ahead - 1 - i] = grammar_->lm_word(words[i]);
  for (size_t i = 0; i < ahead; ++i) {
    const uint32_t* id = &ids[ahead - 1 - i];
    keys[i] = lm.fetch(id + 1, static_cast<unsigned>(i), *id);
  }
  lm::State state = lm.empty_context();
  for (size_t i = 0; i < words.size(); ++i) {
    const lm::Score score = i < ahead ? lm.score(state, ids[ahead - 1 - i], keys[i], state)
                                      : lm.score(state, grammar_->lm_word(words[i]), state);
    (i >= reach ? made.lm : made.estimate) += score.prob;
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

// The first of the best by bound(); of the others only those that could be better are looked at.
void RuleRanking::estimate(Side& side) {
  const bool all = grammar_->lm_score(1) < 0;
  const auto estimated = [&](RankedRule rule) {
    rule.lm = rule.estimate = 0;
    if (grammar_->lm() != nullptr) add_lm(side.first_rule + rule.place, true, rule);
    return rule;
  };
  side.best = estimated(side.top);
  double most = bound(side.best);
  for (const RankedRule& rule : std::span(ranked_).subspan(side.ranked, side.rules)) {
    if (rule.place == side.top.place || !(all || bound(rule) >= most)) continue;
    const RankedRule other = estimated(rule);
    const double worth = bound(other);
    if (worth < most || (worth == most && other.place > side.best.place)) continue;
    side.best = other;
    most = worth;
  }
  side.most = most;
  side.estimated = true;
}

uint32_t RuleRanking::find(uint32_t group) {
  const RuleGroup& edges = groups_[group];
  if (edges.first_rule >= kGlueFirst) {  // depends on the sentence: never found again
    const RankedRule only = built_in(group);
    sides_.push_back({edges.first_rule, 1, static_cast<uint32_t>(ranked_.size()), true, true,
                      bound(only), only, only});
    ranked_.push_back(only);
    return static_cast<uint32_t>(sides_.size()) - 1;
  }
  const auto next = static_cast<uint32_t>(sides_.size());
  const uint32_t known = index_.find_or_add(io::mix64(edges.first_rule), next, [&](uint32_t i) {
    return sides_[i].first_rule == edges.first_rule && sides_[i].rules == edges.rules;
  });
  if (known != next) return known;
  const RankedRule first = in_table(edges.first_rule, 0);
  const bool estimated = by_ != RankBy::certain_with_estimates;
  Side side{edges.first_rule,
            edges.rules,
            static_cast<uint32_t>(ranked_.size()),
            false,
            estimated,
            bound(first),
            first,
            first};
  ranked_.push_back(first);
  for (uint32_t i = 1; i < edges.rules; ++i) {
    const RankedRule& rule = ranked_.emplace_back(in_table(edges.first_rule, i));
    if (estimated && bound(rule) > bound(side.best)) side.best = rule;
    if (order(rule) > order(side.top)) side.top = rule;
    side.most = std::max(side.most, bound(rule));
  }
  if (!estimated && grammar_->lm_score(1) < 0) estimate(side);
  sides_.push_back(side);
  return next;
}

// What is known of the group's rules, with what they are worth here.
uint32_t RuleRanking::here(uint32_t group) {
  const Side& known = sides_[find(group)];
  const RuleGroup& edges = groups_[group];
  Side side = known;
  side.ranked = static_cast<uint32_t>(ranked_here_.size());
  for (uint32_t i = 0; i < known.rules; ++i) {
    RankedRule rule = ranked_[known.ranked + i];
    rule.local += extra_[edges.first_edge + rule.place];
    rule.score += extra_[edges.first_edge + rule.place];
    if (i == 0 || bound(rule) > bound(side.best)) side.best = rule;
    if (i == 0 || order(rule) > order(side.top)) side.top = rule;
    ranked_here_.push_back(rule);
  }
  side.most = bound(side.best);
  here_.push_back(side);
  return static_cast<uint32_t>(here_.size()) - 1;
}

void RuleRanking::sort(Side& side) {
  const auto first = pool().begin() + side.ranked;
  std::sort(first, first + side.rules, [&](const RankedRule& a, const RankedRule& b) {
    return order(a) != order(b) ? order(a) > order(b) : a.place < b.place;
  });
  side.sorted = true;
}

}  // namespace demotic::decode
