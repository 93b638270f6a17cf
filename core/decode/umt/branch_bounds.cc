#include "decode/umt/branch_bounds.h"

#include <algorithm>
#include <limits>

namespace demotic::decode::umt {

namespace {

constexpr double kNever = -std::numeric_limits<double>::infinity();
constexpr uint32_t kAhead = 6;  // groups whose rules are fetched before they are looked at

}  // namespace

void BranchBounds::begin(const UndirectedForest& forest, RuleRanking& ranking,
                         const ScoredGrammar& grammar, LmCounters& counters) {
  forest_ = &forest;
  ranking_ = &ranking;
  grammar_ = &grammar;
  counters_ = &counters;
  const bool chart = kind_ == BoundKind::chart && grammar.lm() != nullptr;
  best_.resize(forest.groups().size());
  // Of words, most groups turn out not to matter before they are estimated.
  const bool later = kind_ == BoundKind::words;
  settled_.assign(best_.size(), !later);
  for (uint32_t g = 0; g < best_.size(); ++g) {
    if (g + kAhead < best_.size()) ranking.fetch(g + kAhead);
    best_[g] = later ? ranking.most(g) : ranking.best(g);
  }
  inside_.assign(forest.nodes(), kNever);
  outside_.assign(forest.nodes(), kNever);
  const size_t seen = chart ? forest.nodes() : 0;
  above_.assign(seen, {kNone, 0});
  beside_.assign(seen, {kNone, 0});
  below_.assign(seen, kNone);
  around_.assign(seen, kNever);
  fragments_.resize(seen);
  surroundings_.assign(seen, {});
  if (forest.empty()) return;
  pass_up();
  pass_down();
}

double BranchBounds::seen(uint32_t group, lm::Fragment& made) {
  const RuleGroup& edges = forest_->group(group);
  const RankedRule& best = ranking_->best_rule(group);
  const uint32_t rule = edges.first_rule + best.place;
  lm::FragmentScorer scorer(*grammar_->lm(), made);
  const auto word = [&](uint32_t id) {
    scorer.terminal(id);
    ++counters_->words;
  };
  const std::span<const uint32_t> tails = forest_->tails(edges);
  const auto tail = [&](uint32_t k) { scorer.nonterminal(fragments_[tails[k]]); };
  grammar_->each_lm_symbol(
      rule, forest_->passed()[group], [&] { scorer.begin_sentence(); }, word, tail);
  ++counters_->evaluations;
  double sum = best.local + grammar_->lm_score(scorer.finish());
  for (const uint32_t node : tails) sum += inside_[node];
  return sum;
}

double BranchBounds::seen_around(const GroupAbove& at, Surroundings& made) {
  const RuleGroup& edges = forest_->group(at.group);
  const RankedRule& best = ranking_->best_rule(at.group);
  const lm::Model& model = *grammar_->lm();
  const Surroundings& outer = surroundings_[edges.head];
  lm::Fragment before;
  lm::FragmentScorer left(model, before);
  lm::FragmentScorer right(model, made.after);
  lm::FragmentScorer* side = &left;
  left.begin(outer.before);
  const auto word = [&](uint32_t id) {
    side->terminal(id);
    ++counters_->words;
  };
  const std::span<const uint32_t> tails = forest_->tails(edges);
  const auto tail = [&](uint32_t k) {
    if (k == at.tail)
      side = &right;
    else
      side->nonterminal(fragments_[tails[k]]);
  };
  grammar_->each_lm_symbol(
      edges.first_rule + best.place, forest_->passed()[at.group], [&] { left.begin_sentence(); },
      word, tail);
  right.nonterminal(outer.after);
  ++counters_->evaluations;
  double log10 = double{left.finish()} + right.finish() - outer.seam;
  made.before = before.right;
  lm::Fragment unused;
  lm::FragmentScorer whole(model, unused);
  whole.begin(made.before);
  whole.nonterminal(fragments_[tails[at.tail]]);
  whole.nonterminal(made.after);
  made.seam = whole.finish();
  log10 += made.seam;
  double sum = outside_[edges.head] + best.local + grammar_->lm_score(log10);
  for (uint32_t k = 0; k < tails.size(); ++k)
    if (k != at.tail) sum += inside_[tails[k]];
  return sum;
}

double BranchBounds::estimate(uint32_t group) const {
  double sum = best_[group];
  for (const uint32_t tail : forest_->tails(forest_->group(group))) sum += inside_[tail];
  return sum;
}

void BranchBounds::settle(uint32_t group) {
  if (settled_[group]) return;
  best_[group] = ranking_->best(group);
  settled_[group] = true;
}

void BranchBounds::pass_up() {
  for (uint32_t v = 0; v < forest_->nodes(); ++v) {
    if (!fragments_.empty()) {
      look_below(v);
      continue;
    }
    const uint32_t first = forest_->first_below(v);
    const uint32_t last = forest_->last_below(v);
    uint32_t likely = first;
    double most = kNever;
    for (uint32_t g = first; g < last; ++g) {
      const double sum = estimate(g);
      if (sum <= most) continue;
      likely = g;
      most = sum;
    }
    settle(likely);
    inside_[v] = estimate(likely);
    if (inside_[v] == most) continue;
    for (uint32_t g = first; g < last; ++g) {
      if (estimate(g) <= inside_[v]) continue;
      settle(g);
      inside_[v] = std::max(inside_[v], estimate(g));
    }
  }
}

// The language model sees the best rules of the most promising groups and keeps one.
void BranchBounds::look_below(uint32_t v) {
  order_.clear();
  for (uint32_t g = forest_->first_below(v); g < forest_->last_below(v); ++g)
    order_.emplace_back(-estimate(g), g);
  const auto last = order_.begin() + static_cast<std::ptrdiff_t>(std::min(order_.size(), kLooks));
  std::partial_sort(order_.begin(), last, order_.end());
  for (auto at = order_.begin(); at != last; ++at) {
    lm::Fragment made;
    const double sum = seen(at->second, made);
    if (sum <= inside_[v]) continue;
    inside_[v] = sum;
    below_[v] = at->second;
    fragments_[v] = made;
  }
}

void BranchBounds::pass_down() {
  outside_[forest_->goal()] = 0;
  for (uint32_t v = forest_->nodes(); v-- > 0;) {
    if (!fragments_.empty() && v != forest_->goal()) look_above(v);
    for (uint32_t g = forest_->first_below(v); g < forest_->last_below(v); ++g) {
      const std::span<const uint32_t> tails = forest_->tails(forest_->group(g));
      const bool kept = !fragments_.empty() && below_[v] == g;
      for (uint32_t k = 0; k < tails.size(); ++k) {
        const uint32_t tail = tails[k];
        if (kept) {  // what the branch has beside the tail was seen; of others there is an estimate
          const double sum = outside_[v] + (inside_[v] - inside_[tail]);
          if (sum > around_[tail]) {
            around_[tail] = sum;
            beside_[tail] = {g, k};
          }
          continue;
        }
        const auto around = [&] {
          double sum = outside_[v] + best_[g];
          for (uint32_t other = 0; other < tails.size(); ++other)
            if (other != k) sum += inside_[tails[other]];
          return sum;
        };
        double sum = around();
        if (sum <= outside_[tail]) continue;
        if (!settled_[g]) {
          settle(g);
          sum = around();
          if (sum <= outside_[tail]) continue;
        }
        outside_[tail] = sum;
        if (!above_.empty()) above_[tail] = {g, k};
      }
    }
  }
}

// Estimates of surroundings give way to what the language model says of them.
void BranchBounds::look_above(uint32_t v) {
  outside_[v] = kNever;
  for (const GroupAbove& at : {beside_[v], above_[v]}) {
    if (at.group == kNone) continue;
    Surroundings made;
    const double sum = seen_around(at, made);
    if (sum <= outside_[v]) continue;
    outside_[v] = sum;
    surroundings_[v] = made;
  }
}

}  // namespace demotic::decode::umt
