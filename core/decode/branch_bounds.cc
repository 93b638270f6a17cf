#include "decode/branch_bounds.h"

#include <algorithm>
#include <limits>

namespace demotic {

namespace {

constexpr double kNever = -std::numeric_limits<double>::infinity();

}  // namespace

void BranchBounds::begin(const UndirectedForest& forest, RuleRanking& ranking,
                         const ScoredGrammar& grammar, LmCounters& counters) {
  forest_ = &forest;
  ranking_ = &ranking;
  grammar_ = &grammar;
  counters_ = &counters;
  const bool chart = kind_ == BoundKind::chart && grammar.lm() != nullptr;
  best_.resize(forest.groups().size());
  for (uint32_t g = 0; g < best_.size(); ++g) best_[g] = ranking.best(g);
  inside_.assign(forest.nodes(), kNever);
  outside_.assign(forest.nodes(), kNever);
  above_.assign(chart ? forest.nodes() : 0, kNone);
  fragments_.resize(chart ? forest.nodes() : 0);
  if (forest.empty()) return;
  pass_up();
  pass_down();
}

double BranchBounds::seen(uint32_t group, Fragment& made) {
  const RuleGroup& edges = forest_->group(group);
  const RankedRule& best = ranking_->best_rule(group);
  const uint32_t rule = edges.first_rule + best.place;
  const Model& lm = *grammar_->lm();
  FragmentScorer scorer(lm, made);
  const auto word = [&](uint32_t id) {
    scorer.terminal(id);
    ++counters_->words;
  };
  const auto tail = [&](uint32_t k) { scorer.nonterminal(fragments_[edges.tails[k]]); };
  if (rule < kGlueFirst) {
    for (const Symbol symbol : grammar_->table().target(rule)) {
      if (is_word(symbol))
        word(grammar_->lm_word(symbol));
      else
        tail(slot_of(symbol));
    }
  } else if (rule == kPassThrough) {
    word(forest_->passed()[group]);
  } else {
    if (rule == kGoal) scorer.begin_sentence();
    tail(0);
    if (rule == kGlueNext) tail(1);
    if (rule == kGoal) word(lm.end_word());
  }
  ++counters_->evaluations;
  double sum = best.local + grammar_->lm_score(scorer.finish());
  for (const uint32_t node : edges.tails)
    if (node != kNoNode) sum += inside_[node];
  return sum;
}

void BranchBounds::pass_up() {
  for (uint32_t v = 0; v < forest_->nodes(); ++v) {
    uint32_t best = forest_->first_below(v);
    for (uint32_t g = best; g < forest_->last_below(v); ++g) {
      double sum = best_[g];
      for (const uint32_t tail : forest_->group(g).tails)
        if (tail != kNoNode) sum += inside_[tail];
      if (sum <= inside_[v]) continue;
      inside_[v] = sum;
      best = g;
    }
    if (!fragments_.empty()) inside_[v] = seen(best, fragments_[v]);
  }
}

void BranchBounds::pass_down() {
  outside_[forest_->goal()] = 0;
  for (uint32_t v = forest_->nodes(); v-- > 0;) {
    if (!fragments_.empty() && v != forest_->goal()) {
      Fragment unused;
      const uint32_t above = above_[v];
      outside_[v] = outside_[forest_->group(above).head] + seen(above, unused) - inside_[v];
    }
    for (uint32_t g = forest_->first_below(v); g < forest_->last_below(v); ++g) {
      const RuleGroup& group = forest_->group(g);
      for (uint32_t k = 0; k < kMaxArity && group.tails[k] != kNoNode; ++k) {
        double sum = outside_[v] + best_[g];
        if (const uint32_t other = group.tails[1 - k]; other != kNoNode) sum += inside_[other];
        if (sum <= outside_[group.tails[k]]) continue;
        outside_[group.tails[k]] = sum;
        if (!above_.empty()) above_[group.tails[k]] = g;
      }
    }
  }
}

}  // namespace demotic
