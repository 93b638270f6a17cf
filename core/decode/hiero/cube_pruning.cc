#include "decode/hiero/cube_pruning.h"

#include <algorithm>
#include <cstring>

namespace demotic::decode::hiero {

void CubePruner::operator()(const ContextFreeForest& forest, const SourceSentence& sentence) {
  counters_ = {};
  counters_.edges = forest.edges();
  forest_ = &forest;
  ranking_.begin(forest.groups, {});
  entries_.clear();
  fragments_.clear();
  node_ends_.clear();
  alternatives_.clear();
  more_ranks_.clear();
  const auto size = static_cast<uint32_t>(forest.nodes.size());
  for (uint32_t v = 0; v < size; ++v) {
    passed_ = sentence.lm[forest.nodes[v].begin];
    node(v, share(size - v));
  }
}

uint64_t CubePruner::share(uint32_t nodes_left) const {
  const uint64_t used = entries_.size() + alternatives_.size();
  const uint64_t left = options_.max_entries > used ? options_.max_entries - used : 0;
  return std::clamp<uint64_t>(left / nodes_left, 1, std::max(options_.pops, 1u));
}

bool CubePruner::comes_after(uint32_t a, uint32_t b) const {
  const Opened& x = opened_[candidates_[a].opened];
  const Opened& y = opened_[candidates_[b].opened];
  if (x.edge != y.edge) return x.edge > y.edge;
  const uint32_t arity = forest_->groups[x.group].arity;
  for (uint32_t k = 0; k < arity; ++k) {
    const uint32_t i = rank_of(candidates_[a].ranks, arity, k);
    const uint32_t j = rank_of(candidates_[b].ranks, arity, k);
    if (i != j) return i > j;
  }
  return false;
}

void CubePruner::node(uint32_t v, uint64_t most_pops) {
  node_ = v;
  opened_.clear();
  candidates_.clear();
  heap_.clear();
  scored_count_ = 0;
  popped_.clear();
  by_state_.clear();
  seen_.clear();
  by_ranks_.clear();
  const auto below = [this](const Waiting& a, const Waiting& b) { return worse(a, b); };
  seed();
  std::make_heap(heap_.begin(), heap_.end(), below);
  for (uint64_t pops = 0; pops < most_pops && !heap_.empty();) {
    std::pop_heap(heap_.begin(), heap_.end(), below);
    Waiting first = heap_.back();
    heap_.pop_back();
    if (const uint32_t scored = candidates_[first.candidate].scored; scored >= kSeed) {
      if (const Opened& rule = opened_[candidates_[first.candidate].opened];
          scored == kSeed && rule.rank + 1 < forest_->groups[rule.group].rules) {
        open(rule.group, rule.rank + 1);
        std::push_heap(heap_.begin(), heap_.end(), below);
      }
      first.score = score(candidates_[first.candidate]);
      // Still the best of all: no need to go through the heap once more.
      if (!heap_.empty() && worse(first, heap_.front())) {
        heap_.push_back(first);
        std::push_heap(heap_.begin(), heap_.end(), below);
        continue;
      }
    }
    ++pops;
    ++counters_.pops;
    const Candidate candidate = candidates_[first.candidate];
    accept(candidate, first.score);
    const size_t before = heap_.size();
    if (pops < most_pops) neighbours(candidate);
    for (size_t size = before + 1; size <= heap_.size(); ++size)
      std::push_heap(heap_.begin(), heap_.begin() + static_cast<std::ptrdiff_t>(size), below);
  }
  store();
}

// The first rule of each group, or all rules.
void CubePruner::seed() {
  for (uint32_t g = forest_->first_group(node_); g < forest_->last_group(node_); ++g) {
    const RuleGroup& group = forest_->groups[g];
    if (group.first_rule >= kGlueFirst) {
      push_opened({grammar_.score(group.first_rule, passed_), 0, g, 0, 0, group.first_edge});
    } else if (!options_.eager) {
      open(g, 0);
    } else {
      for (const RankedRule& rule : ranking_.rules(g))
        push_opened({rule.local, 0, g, rule.place, 0, group.first_edge + rule.place});
    }
  }
}

void CubePruner::open(uint32_t group, uint32_t rank) {
  const RankedRule& rule = ranking_.rule(group, rank);
  push_opened({rule.local, grammar_.lm_score(rule.estimate), group, rule.place, rank,
               forest_->groups[group].first_edge + rule.place});
}

void CubePruner::push_opened(const Opened& opened) {
  const Ranks ranks = first_ranks(forest_->groups[opened.group].arity);
  opened_.push_back(opened);
  push({static_cast<uint32_t>(opened_.size()) - 1, ranks, kSeed});
}

void CubePruner::push(const Candidate& candidate) {
  const auto number = static_cast<uint32_t>(candidates_.size());
  candidates_.push_back(candidate);
  if (options_.eager) {
    heap_.push_back({score(candidates_.back()), number});
    return;
  }
  const Opened& opened = opened_[candidate.opened];
  const double tails = tails_score(forest_->groups[opened.group], candidate.ranks);
  heap_.push_back({opened.local + tails + opened.estimate, number});
}

Ranks CubePruner::first_ranks(uint32_t arity) {
  if (arity <= Ranks{}.size()) return {0, 0};
  const auto at = static_cast<uint32_t>(more_ranks_.size());
  more_ranks_.resize(at + arity, 0);
  return {at, 0};
}

// The same with the next entry of one tail.
Ranks CubePruner::next_ranks(const Ranks& ranks, uint32_t arity, uint32_t tail) {
  Ranks next = ranks;
  if (arity <= ranks.size()) {
    ++next[tail];
    return next;
  }
  next[0] = static_cast<uint32_t>(more_ranks_.size());
  for (uint32_t k = 0; k < arity; ++k)
    more_ranks_.push_back(more_ranks_[ranks[0] + k] + (k == tail ? 1 : 0));
  return next;
}

const CubePruner::Opening& CubePruner::opening(uint32_t rule) {
  if (openings_.empty()) openings_.resize(kOpenings);
  Opening& known = openings_[io::mix64(rule) & (kOpenings - 1)];
  if (known.rule == rule) return known;
  lm::Fragment fragment;
  lm::FragmentScorer scorer(*grammar_.lm(), fragment);
  known.rule = rule;
  known.words = 0;
  for (const text::Symbol symbol : grammar_.table().target(rule)) {
    if (!text::is_word(symbol)) break;
    scorer.terminal(grammar_.lm_word(symbol));
    ++known.words;
  }
  counters_.lm_words += known.words;
  known.scored = scorer.opening();
  return known;
}

// With the language model's part.  "<s>" and "</s>" enter at Goal.
double CubePruner::score(Candidate& candidate) {
  const Opened& opened = opened_[candidate.opened];
  const RuleGroup& group = forest_->groups[opened.group];
  const double known = opened.local + tails_score(group, candidate.ranks);
  candidate.scored = scored_count_++;
  if (scored_count_ > scored_.size()) scored_.resize(std::max<size_t>(2 * scored_.size(), 64));
  Scored& made = scored_[candidate.scored];
  made.lm = 0;
  const lm::Model* lm = grammar_.lm();
  if (lm == nullptr) {
    std::memset(&made.fragment, 0, sizeof made.fragment);
    return known;
  }
  const std::span<const uint32_t> tails = forest_->tails_of(group);
  const uint32_t rule = group.first_rule + opened.place;
  const auto read = [&](lm::FragmentScorer scorer, uint32_t from) {
    grammar_.each_lm_symbol(
        rule, passed_, [&] { scorer.begin_sentence(); },
        [&](uint32_t word) {
          scorer.terminal(word);
          ++counters_.lm_words;
        },
        [&](uint32_t k) {
          const uint32_t entry = tail_entry(tails[k], candidate.ranks, group.arity, k);
          scorer.nonterminal(fragments_[entry]);
        },
        from);
    return scorer.finish();
  };
  ++counters_.lm_edges;
  if (rule < kGlueFirst) {
    const Opening& start = opening(rule);
    made.lm = read(lm::FragmentScorer(*lm, made.fragment, start.scored), start.words);
  } else {
    made.lm = read(lm::FragmentScorer(*lm, made.fragment), 0);
  }
  // Nothing comes after Goal: all its entries are one state.
  if (rule == kGoal) std::memset(&made.fragment, 0, sizeof made.fragment);
  return known + grammar_.lm_score(made.lm);
}

double CubePruner::tails_score(const RuleGroup& group, const Ranks& ranks) const {
  const std::span<const uint32_t> tails = forest_->tails_of(group);
  double sum = 0;
  for (uint32_t k = 0; k < group.arity; ++k)
    sum += entries_[tail_entry(tails[k], ranks, group.arity, k)].score;
  return sum;
}

// Keeps the candidate, or hangs it on an entry with the same state.
void CubePruner::accept(const Candidate& candidate, double score) {
  const Opened& opened = opened_[candidate.opened];
  const lm::Fragment& fragment = scored_[candidate.scored].fragment;
  ChartEntry entry{
      score, scored_[candidate.scored].lm, opened.group, opened.place, candidate.ranks, kNoEntry};
  const auto next = static_cast<uint32_t>(popped_.size());
  const uint32_t known = by_state_.find_or_add(fragment.hash(), next, [&](uint32_t i) {
    return scored_[popped_[i].scored].fragment == fragment;
  });
  if (known == next) {
    popped_.push_back({entry, candidate.scored});
    return;
  }
  // Pops come in falling order but for the language model's surprises: keep the best in front.
  Popped& same = popped_[known];
  if (entry.score > same.entry.score) {
    std::swap(entry, same.entry);
    same.entry.alternative = entry.alternative;
  }
  if (!options_.keep_alternatives) return;
  entry.alternative = same.entry.alternative;
  same.entry.alternative = static_cast<uint32_t>(alternatives_.size());
  alternatives_.push_back(entry);
}

// The candidates with the next entry of one tail, each pushed once.
void CubePruner::neighbours(const Candidate& candidate) {
  const Opened& opened = opened_[candidate.opened];
  const RuleGroup& group = forest_->groups[opened.group];
  const std::span<const uint32_t> tails = forest_->tails_of(group);
  uint32_t moved = 0;  // tails beyond their best entry
  for (uint32_t k = 0; k < group.arity; ++k)
    moved += rank_of(candidate.ranks, group.arity, k) > 0 ? 1 : 0;
  for (uint32_t k = 0; k < group.arity; ++k) {
    const uint32_t rank = rank_of(candidate.ranks, group.arity, k);
    if (rank + 1 >= last_entry(tails[k]) - first_entry(tails[k])) continue;
    const Candidate next{candidate.opened, next_ranks(candidate.ranks, group.arity, k), kUnscored};
    // Only candidates with two predecessors can come up twice.
    if (moved + (rank == 0 ? 1 : 0) > 1 && !mark_seen(next.opened, next.ranks, group.arity))
      continue;
    push(next);
  }
}

// True the first time.
bool CubePruner::mark_seen(uint32_t opened, const Ranks& ranks, uint32_t arity) {
  uint64_t hash = opened;
  for (uint32_t k = 0; k < arity; ++k) hash = io::mix64(hash << 16 ^ rank_of(ranks, arity, k));
  const auto next = static_cast<uint32_t>(seen_.size());
  const uint32_t known = by_ranks_.find_or_add(hash, next, [&](uint32_t i) {
    if (seen_[i].opened != opened) return false;
    for (uint32_t k = 0; k < arity; ++k)
      if (rank_of(seen_[i].ranks, arity, k) != rank_of(ranks, arity, k)) return false;
    return true;
  });
  if (known != next) return false;
  seen_.push_back({opened, ranks});
  return true;
}

void CubePruner::store() {
  order_.clear();
  for (uint32_t i = 0; i < popped_.size(); ++i) order_.emplace_back(-popped_[i].entry.score, i);
  std::sort(order_.begin(), order_.end());
  for (const auto& [score, i] : order_) {
    entries_.push_back(popped_[i].entry);
    fragments_.push_back(scored_[popped_[i].scored].fragment);
  }
  node_ends_.push_back(static_cast<uint32_t>(entries_.size()));
}

}  // namespace demotic::decode::hiero
