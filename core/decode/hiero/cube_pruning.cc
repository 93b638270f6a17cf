#include "decode/hiero/cube_pruning.h"

#include <algorithm>
#include <cstring>

namespace demotic::decode::hiero {

void CubePruner::operator()(const ContextFreeForest& forest, const SourceSentence& sentence) {
  counters_ = {};
  counters_.edges = forest.edges.size();
  entries_.clear();
  fragments_.clear();
  node_ends_.clear();
  alternatives_.clear();
  const auto size = static_cast<uint32_t>(forest.nodes.size());
  for (uint32_t v = 0; v < size; ++v) {
    passed_ = sentence.lm[forest.nodes[v].begin];
    node(forest, v, share(size - v));
  }
}

uint64_t CubePruner::share(uint32_t nodes_left) const {
  const uint64_t used = entries_.size() + alternatives_.size();
  const uint64_t left = options_.max_entries > used ? options_.max_entries - used : 0;
  return std::clamp<uint64_t>(left / nodes_left, 1, std::max(options_.pops, 1u));
}

bool CubePruner::worse(const Candidate& a, const Candidate& b) {
  if (a.score != b.score) return a.score < b.score;
  if (a.edge != b.edge) return a.edge > b.edge;
  return a.ranks > b.ranks;
}

void CubePruner::node(const ContextFreeForest& forest, uint32_t v, uint64_t most_pops) {
  heap_.clear();
  scored_.clear();
  popped_.clear();
  empty_tables();
  for (uint32_t edge = forest.first_in(v); edge < forest.last_in(v); ++edge)
    push(forest.edges[edge], edge, {0, 0});
  std::make_heap(heap_.begin(), heap_.end(), worse);
  for (uint64_t pops = 0; pops < most_pops && !heap_.empty();) {
    std::pop_heap(heap_.begin(), heap_.end(), worse);
    Candidate candidate = heap_.back();
    heap_.pop_back();
    if (candidate.scored == kNoEntry) {
      score(forest.edges[candidate.edge], candidate);
      // Still the best of all: no need to go through the heap once more.
      if (!heap_.empty() && worse(candidate, heap_.front())) {
        heap_.push_back(candidate);
        std::push_heap(heap_.begin(), heap_.end(), worse);
        continue;
      }
    }
    ++pops;
    ++counters_.pops;
    accept(candidate);
    const size_t before = heap_.size();
    if (pops < most_pops) neighbours(forest, candidate);
    for (size_t size = before + 1; size <= heap_.size(); ++size)
      std::push_heap(heap_.begin(), heap_.begin() + static_cast<std::ptrdiff_t>(size), worse);
  }
  store();
}

// Tables that one node made large would cost the others more to clear than to grow again.
void CubePruner::empty_tables() {
  constexpr size_t kLarge = 4096;
  by_state_.assign(by_state_.size() > kLarge ? 0 : by_state_.size(), 0);
  if (seen_count_ > 0) seen_.assign(seen_.size() > kLarge ? 0 : seen_.size(), Seen{});
  seen_count_ = 0;
}

void CubePruner::push(const ForestEdge& edge, uint32_t number,
                      std::array<uint32_t, grammar::kMaxArity> ranks) {
  Candidate candidate{0, number, ranks, kNoEntry};
  if (options_.eager)
    score(edge, candidate);
  else
    candidate.score =
        grammar_.score(edge, passed_) + tails_score(edge, ranks) + rule_estimate(edge.rule);
  heap_.push_back(candidate);
}

// The language model's part of a candidate.  "<s>" and "</s>" enter at Goal.
void CubePruner::score(const ForestEdge& edge, Candidate& candidate) {
  candidate.score = grammar_.score(edge, passed_) + tails_score(edge, candidate.ranks);
  candidate.scored = static_cast<uint32_t>(scored_.size());
  Scored& made = scored_.emplace_back();
  made.lm = 0;
  const lm::Model* lm = grammar_.lm();
  if (lm == nullptr) {
    std::memset(&made.fragment, 0, sizeof made.fragment);
    return;
  }
  lm::FragmentScorer scorer(*lm, made.fragment);
  const auto word = [&](uint32_t id) {
    scorer.terminal(id);
    ++counters_.lm_words;
  };
  const auto child = [&](uint32_t slot) {
    scorer.nonterminal(fragments_[first_entry(edge.tails[slot]) + candidate.ranks[slot]]);
  };
  if (edge.rule < kGlueFirst) {
    for (const text::Symbol symbol : grammar_.table().target(edge.rule)) {
      if (text::is_word(symbol))
        word(grammar_.lm_word(symbol));
      else
        child(text::slot_of(symbol));
    }
  } else if (edge.rule == kPassThrough) {
    word(passed_);
  } else {
    if (edge.rule == kGoal) scorer.begin_sentence();
    child(0);
    if (edge.rule == kGlueNext) child(1);
    if (edge.rule == kGoal) word(lm->end_word());
  }
  made.lm = scorer.finish();
  // Nothing comes after Goal: all its entries are one state.
  if (edge.rule == kGoal) std::memset(&made.fragment, 0, sizeof made.fragment);
  ++counters_.lm_edges;
  candidate.score += grammar_.lm_score(made.lm);
}

double CubePruner::tails_score(const ForestEdge& edge,
                               const std::array<uint32_t, grammar::kMaxArity>& ranks) const {
  double sum = 0;
  for (uint32_t k = 0; k < grammar::kMaxArity && edge.tails[k] != kNoNode; ++k)
    sum += entries_[first_entry(edge.tails[k]) + ranks[k]].score;
  return sum;
}

// What the language model would say of the rule's own words, runs between its slots taken alone.
double CubePruner::rule_estimate(uint32_t rule) {
  const lm::Model* lm = grammar_.lm();
  if (lm == nullptr || rule >= kGlueFirst) return 0;
  if (estimates_.empty()) estimates_.assign(kEstimates, {UINT32_MAX, 0});
  Estimate& known = estimates_[io::mix64(rule) & (kEstimates - 1)];
  if (known.rule != rule) {
    float sum = 0;
    lm::State state = lm->empty_context();
    for (const text::Symbol symbol : grammar_.table().target(rule)) {
      if (text::is_word(symbol)) {
        lm::State next;
        sum += lm->score(state, grammar_.lm_word(symbol), next).prob;
        state = next;
      } else {
        state = lm->empty_context();
      }
    }
    known = {rule, sum};
  }
  return grammar_.lm_score(known.log10);
}

// Keeps the candidate, or hangs it on an entry with the same state.
void CubePruner::accept(const Candidate& candidate) {
  if (popped_.size() * 2 >= by_state_.size()) grow_states();
  const lm::Fragment& fragment = scored_[candidate.scored].fragment;
  ChartEntry entry{candidate.score, scored_[candidate.scored].lm, candidate.edge, candidate.ranks,
                   kNoEntry};
  const size_t mask = by_state_.size() - 1;
  size_t at = fragment.hash() & mask;
  for (; by_state_[at] != 0; at = (at + 1) & mask) {
    Popped& same = popped_[by_state_[at] - 1];
    if (!(scored_[same.scored].fragment == fragment)) continue;
    // Pops come in falling order but for the language model's surprises: keep the best in front.
    if (entry.score > same.entry.score) {
      std::swap(entry, same.entry);
      same.entry.alternative = entry.alternative;
    }
    if (options_.keep_alternatives) {
      entry.alternative = same.entry.alternative;
      same.entry.alternative = static_cast<uint32_t>(alternatives_.size());
      alternatives_.push_back(entry);
    }
    return;
  }
  popped_.push_back({entry, candidate.scored});
  by_state_[at] = static_cast<uint32_t>(popped_.size());
}

void CubePruner::grow_states() {
  by_state_.assign(std::max<size_t>(by_state_.size() * 2, 64), 0);
  const size_t mask = by_state_.size() - 1;
  for (uint32_t i = 0; i < popped_.size(); ++i) {
    size_t at = scored_[popped_[i].scored].fragment.hash() & mask;
    while (by_state_[at] != 0) at = (at + 1) & mask;
    by_state_[at] = i + 1;
  }
}

// The candidates with the next entry of one tail, each pushed once.
void CubePruner::neighbours(const ContextFreeForest& forest, const Candidate& candidate) {
  const ForestEdge& edge = forest.edges[candidate.edge];
  const uint32_t arity = edge.arity();
  for (uint32_t k = 0; k < arity; ++k) {
    std::array<uint32_t, grammar::kMaxArity> ranks = candidate.ranks;
    ++ranks[k];
    const uint32_t available = last_entry(edge.tails[k]) - first_entry(edge.tails[k]);
    if (ranks[k] >= available) continue;
    // Only candidates with two predecessors can come up twice.
    if (arity == 2 && ranks[0] > 0 && ranks[1] > 0 && !mark_seen(candidate.edge, ranks)) continue;
    push(edge, candidate.edge, ranks);
  }
}

// True the first time.
bool CubePruner::mark_seen(uint32_t edge, const std::array<uint32_t, grammar::kMaxArity>& ranks) {
  if (seen_count_ * 2 >= seen_.size()) {
    std::vector<Seen> old(std::max<size_t>(seen_.size() * 2, 256));
    old.swap(seen_);
    seen_count_ = 0;
    for (const Seen& candidate : old)
      if (candidate.edge != UINT32_MAX) insert_seen(candidate);
  }
  return insert_seen({edge, ranks});
}

bool CubePruner::insert_seen(const Seen& candidate) {
  const size_t mask = seen_.size() - 1;
  const uint64_t ranks = uint64_t{candidate.ranks[0]} << 32 | candidate.ranks[1];
  size_t at = io::mix64(io::mix64(ranks) ^ candidate.edge) & mask;
  for (; seen_[at].edge != UINT32_MAX; at = (at + 1) & mask)
    if (seen_[at].edge == candidate.edge && seen_[at].ranks == candidate.ranks) return false;
  seen_[at] = candidate;
  ++seen_count_;
  return true;
}

void CubePruner::store() {
  std::stable_sort(popped_.begin(), popped_.end(),
                   [](const Popped& a, const Popped& b) { return a.entry.score > b.entry.score; });
  for (const Popped& popped : popped_) {
    entries_.push_back(popped.entry);
    fragments_.push_back(scored_[popped.scored].fragment);
  }
  node_ends_.push_back(static_cast<uint32_t>(entries_.size()));
}

}  // namespace demotic::decode::hiero
