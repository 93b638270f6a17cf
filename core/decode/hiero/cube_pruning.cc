#include "decode/hiero/cube_pruning.h"

#include <algorithm>

namespace demotic::decode::hiero {

void CubePruner::operator()(const ContextFreeForest& forest, const SourceSentence& sentence) {
  counters_ = {};
  counters_.edges = forest.edges();
  forest_ = &forest;
  begin_sentence();
  extra_.clear();
  if (grammar_.choices() > 0) score_choices(sentence);
  ranking_.begin(forest.groups, {}, extra_);
  entries_.clear();
  scores_.clear();
  fragments_.clear();
  node_ends_.clear();
  alternatives_.clear();
  more_ranks_.clear();
  further_fragments_.clear();
  entry_logs_.clear();
  alternative_logs_.clear();
  const auto size = static_cast<uint32_t>(forest.nodes.size());
  for (uint32_t v = 0; v < size; ++v) {
    passed_ = sentence.lm[forest.nodes[v].begin];
    further_passed_ = sentence.further.data() + size_t{forest.nodes[v].begin} * further_;
    node(v, std::min(share(size - v), pops_at(forest.nodes[v])));
  }
}

// What classifiers say of each edge.
void CubePruner::score_choices(const SourceSentence& sentence) {
  const grammar::RuleTable& table = grammar_.table();
  extra_.resize(forest_->edges(), 0.0);
  for (const RuleGroup& group : forest_->groups) {
    if (group.first_rule >= kGlueFirst) continue;
    find_places(*forest_, group, table, places_);
    for (uint32_t place = 0; place < group.rules; ++place)
      extra_[group.first_edge + place] =
          grammar_.choice_score(sentence.choices.of_rule(table, group.first_rule + place, places_));
  }
}

uint64_t CubePruner::share(uint32_t nodes_left) const {
  const uint64_t used = entries_.size() + alternatives_.size();
  const uint64_t left = options_.max_entries > used ? options_.max_entries - used : 0;
  return std::max<uint64_t>(left / nodes_left, 1);
}

// Goal, the last node, stands above sentences.
uint64_t CubePruner::pops_at(const ForestNode& node) const {
  const bool piece = node.category != sentences_ && &node != &forest_->nodes.back();
  return std::max(piece ? std::min(options_.inner_pops, options_.pops) : options_.pops, 1u);
}

bool CubePruner::comes_before(uint32_t a, uint32_t b) const {
  const Opened& x = opened_[candidates_[a].opened];
  const Opened& y = opened_[candidates_[b].opened];
  if (x.edge != y.edge) return x.edge < y.edge;
  for (uint32_t k = 0; k < x.arity; ++k) {
    const uint32_t i = rank_of(candidates_[a].ranks, x.arity, k);
    const uint32_t j = rank_of(candidates_[b].ranks, x.arity, k);
    if (i != j) return i < j;
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
  const auto before = [this](uint32_t a, uint32_t b) { return comes_before(a, b); };
  seed();
  heap_.arrange(before);
  for (uint64_t pops = 0; pops < most_pops && !heap_.empty();) {
    Waiting first = heap_.top();
    bool waits = true;  // at the top of the heap
    if (Candidate& candidate = candidates_[first.candidate()]; candidate.scored >= kSeed) {
      const bool seed = candidate.scored == kSeed;
      first = {score(candidate), first.candidate()};
      const Opened& rule = opened_[candidate.opened];
      if (seed && rule.rank + 1 < forest_->groups[rule.group].rules) {
        heap_.replace_top(open(rule.group, rule.rank + 1), before);
        if (CandidateHeap::better(heap_.top(), first, before)) {
          heap_.push(first, before);
          continue;
        }
        waits = false;
      } else {
        heap_.replace_top(first, before);
        if (heap_.top().candidate() != first.candidate()) continue;
      }
    }
    ++pops;
    ++counters_.pops;
    accept(candidates_[first.candidate()], first.score());
    if (pops == most_pops) break;
    neighbours(candidates_[first.candidate()]);
    // Neighbours are nearly as good: one that takes the place at the top has not far to go.
    size_t pushed = 0;
    if (waits && next_.empty()) heap_.pop(before);
    if (waits && !next_.empty()) heap_.replace_top(next_[pushed++], before);
    while (pushed < next_.size()) heap_.push(next_[pushed++], before);
  }
  store();
}

// The first rule of each group, or all rules.
void CubePruner::seed() {
  for (uint32_t g = forest_->first_group(node_); g < forest_->last_group(node_); ++g) {
    const RuleGroup& group = forest_->groups[g];
    if (!options_.eager && group.first_rule < kGlueFirst) {
      heap_.append(open(g, 0));
      continue;
    }
    Opened opened = over_tails(g);
    if (group.first_rule >= kGlueFirst) {
      opened.local = grammar_.score(group.first_rule, passed_);
      heap_.append(add_opened(opened));
      continue;
    }
    for (const RankedRule& rule : ranking_.rules(g)) {
      opened.local = rule.local;
      opened.place = rule.place;
      opened.edge = group.first_edge + rule.place;
      heap_.append(add_opened(opened));
    }
  }
}

Waiting CubePruner::open(uint32_t group, uint32_t rank) {
  const RankedRule& rule = ranking_.rule(group, rank);
  Opened opened = over_tails(group);
  opened.local = rule.local;
  opened.estimate = grammar_.lm_score(rule.estimate) + rule.further;
  opened.place = rule.place;
  opened.rank = rank;
  opened.edge += rule.place;
  return add_opened(opened);
}

// Of any rule of a group, the first one by its number.
CubePruner::Opened CubePruner::over_tails(uint32_t group) const {
  const RuleGroup& of = forest_->groups[group];
  const std::span<const uint32_t> tails = forest_->tails_of(of);
  Opened opened{.group = group, .edge = of.first_edge, .arity = of.arity};
  for (uint32_t k = 0; k < std::min<uint32_t>(of.arity, 2); ++k) {
    opened.first_entries[k] = first_entry(tails[k]);
    opened.entry_counts[k] = last_entry(tails[k]) - first_entry(tails[k]);
  }
  return opened;
}

// A rule with the best entries of its tails.
Waiting CubePruner::add_opened(const Opened& opened) {
  opened_.push_back(opened);
  return add(static_cast<uint32_t>(opened_.size()) - 1, first_ranks(opened.arity), kSeed);
}

Waiting CubePruner::add(uint32_t rule, const Ranks& ranks, uint32_t scored) {
  const Opened& opened = opened_[rule];
  double tails = 0;
  for (uint32_t k = 0; k < opened.arity; ++k) tails += scores_[entry_of(opened, ranks, k)];
  const auto number = static_cast<uint32_t>(candidates_.size());
  Candidate& made = candidates_.emplace_back(opened.local + tails, rule, ranks, scored);
  return {options_.eager ? score(made) : made.known + opened.estimate, number};
}

Ranks CubePruner::first_ranks(uint32_t arity) {
  if (arity <= Ranks{}.size()) return {0, 0};
  const auto at = static_cast<uint32_t>(more_ranks_.size());
  more_ranks_.resize(at + arity, 0);
  return {at, 0};
}

Ranks CubePruner::next_of_many(const Ranks& ranks, uint32_t arity, uint32_t tail) {
  const auto at = static_cast<uint32_t>(more_ranks_.size());
  for (uint32_t k = 0; k < arity; ++k)
    more_ranks_.push_back(more_ranks_[ranks[0] + k] + (k == tail ? 1 : 0));
  return {at, 0};
}

// Numbers of fragments begin anew, and no opening of an earlier sentence holds.
void CubePruner::begin_sentence() {
  if (memo_.has_value()) memo_->clear();
  for (lm::FragmentMemo& memo : further_memos_) memo.clear();
  if (++sentence_ == 0) {  // they have all been counted
    openings_.clear();
    sentence_ = 1;
  }
}

const CubePruner::Opening& CubePruner::opening(uint32_t rule,
                                               const io::PackedRow<text::Symbol>& target) {
  if (openings_.empty()) openings_.resize(kOpenings);
  Opening& known = openings_[rule & (kOpenings - 1)];
  if (known.rule == rule && known.sentence == sentence_) return known;
  lm::MemoScorer scorer(*memo_);
  known = {rule, sentence_, 0, {}};
  for (const text::Symbol symbol : target) {
    if (!text::is_word(symbol)) break;
    scorer.terminal(grammar_.lm_word(symbol));
    ++known.words;
  }
  counters_.lm_words += known.words;
  known.scored = scorer.opening();
  if (further_ > 0) open_further(rule, known.words);
  return known;
}

void CubePruner::open_further(uint32_t rule, uint32_t words) {
  if (further_openings_.empty()) further_openings_.resize(kOpenings * further_);
  for (uint32_t i = 0; i < further_; ++i) {
    lm::MemoScorer scorer(further_memos_[i]);
    for (const text::Symbol symbol : grammar_.table().target(rule).first(words))
      scorer.terminal(grammar_.further_word(i, symbol));
    further_openings_[(rule & (kOpenings - 1)) * size_t{further_} + i] = scorer.opening();
  }
}

// What further language models add to a rule, `from` the first symbol behind its opening.
double CubePruner::score_further(const Candidate& candidate, uint32_t rule, uint32_t from) {
  const Opened& opened = opened_[candidate.opened];
  const size_t first = size_t{candidate.scored} * further_;
  if (first + further_ > further_scored_.size())
    further_scored_.resize(std::max(2 * further_scored_.size(), first + further_));
  double sum = 0;
  for (uint32_t i = 0; i < further_; ++i) {
    Scored& made = further_scored_[first + i];
    lm::MemoScorer scorer =
        from > 0
            ? lm::MemoScorer(further_memos_[i],
                             further_openings_[(rule & (kOpenings - 1)) * size_t{further_} + i])
            : lm::MemoScorer(further_memos_[i]);
    grammar_.each_further_symbol(
        i, rule, further_passed_[i], [&] { scorer.begin_sentence(); },
        [&](uint32_t word) { scorer.terminal(word); },
        [&](uint32_t k) {
          const size_t entry = entry_of(opened, candidate.ranks, k);
          scorer.nonterminal(further_fragments_[entry * further_ + i]);
        },
        from);
    made.fragment = scorer.finish(made.lm);
    if (rule == kGoal) made.fragment = {};
    sum += grammar_.further_score(i, made.lm);
  }
  return sum;
}

bool CubePruner::same_further(uint32_t a, uint32_t b) const {
  for (uint32_t i = 0; i < further_; ++i)
    if (!(further_scored_[size_t{a} * further_ + i].fragment ==
          further_scored_[size_t{b} * further_ + i].fragment))
      return false;
  return true;
}

uint64_t CubePruner::hash_further(uint32_t scored, uint64_t hash) const {
  for (uint32_t i = 0; i < further_; ++i)
    hash = io::mix64(hash ^ further_scored_[size_t{scored} * further_ + i].fragment.hash());
  return hash;
}

void CubePruner::keep_logs(uint32_t scored, std::vector<float>& logs) const {
  for (uint32_t i = 0; i < further_; ++i)
    logs.push_back(further_scored_[size_t{scored} * further_ + i].lm);
}

// A rule of the table, and how many words its opening has.
uint32_t CubePruner::score_in_table(const Opened& opened, const Ranks& ranks, uint32_t rule,
                                    Scored& made) {
  const io::PackedRow<text::Symbol> target = grammar_.table().target(rule);
  lm::MemoScorer::Opening at{0, memo_->empty().left, 0};
  uint32_t from = 0;
  if (!target.empty() && text::is_word(target[0])) {
    const Opening& start = opening(rule, target);
    from = start.words;
    at = start.scored;
  }
  lm::MemoScorer scorer(*memo_, at);
  for (size_t i = from; i < target.size(); ++i) {
    if (text::is_word(target[i])) {
      scorer.terminal(grammar_.lm_word(target[i]));
      ++counters_.lm_words;
    } else {
      scorer.nonterminal(fragments_[entry_of(opened, ranks, text::slot_of(target[i]))]);
    }
  }
  made.fragment = scorer.finish(made.lm);
  return from;
}

// With the language model's part.  "<s>" and "</s>" enter at Goal.
double CubePruner::score(Candidate& candidate) {
  const Opened& opened = opened_[candidate.opened];
  candidate.scored = scored_count_++;
  if (scored_count_ > scored_.size()) scored_.resize(std::max<size_t>(2 * scored_.size(), 64));
  Scored& made = scored_[candidate.scored];
  made.lm = 0;
  const lm::Model* lm = grammar_.lm();
  if (lm == nullptr) {
    made.fragment = {};
    return candidate.known;
  }
  const uint32_t rule = forest_->groups[opened.group].first_rule + opened.place;
  ++counters_.lm_edges;
  uint32_t from = 0;
  if (rule < kGlueFirst) {
    from = score_in_table(opened, candidate.ranks, rule, made);
  } else {
    lm::MemoScorer scorer(*memo_);
    grammar_.each_lm_symbol(
        rule, passed_, [&] { scorer.begin_sentence(); },
        [&](uint32_t word) {
          scorer.terminal(word);
          ++counters_.lm_words;
        },
        [&](uint32_t k) { scorer.nonterminal(fragments_[entry_of(opened, candidate.ranks, k)]); });
    made.fragment = scorer.finish(made.lm);
  }
  // Nothing comes after Goal: all its entries are one state.
  if (rule == kGoal) made.fragment = {};
  const double score = candidate.known + grammar_.lm_score(made.lm);
  if (further_ == 0) [[likely]]
    return score;
  return score + score_further(candidate, rule, from);
}

// Keeps the candidate, or hangs it on an entry with the same state.
void CubePruner::accept(const Candidate& candidate, double score) {
  const Opened& opened = opened_[candidate.opened];
  uint32_t scored = candidate.scored;
  ChartEntry entry{score,        scored_[scored].lm, opened.group,
                   opened.place, candidate.ranks,    kNoEntry};
  const auto next = static_cast<uint32_t>(popped_.size());
  const uint32_t known = by_state_.find_or_add(
      hash_of(scored), next, [&](uint32_t i) { return same_state(popped_[i].scored, scored); });
  if (known == next) {
    popped_.push_back({entry, scored});
    return;
  }
  // Pops come in falling order but for the language model's surprises: keep the best in front.
  Popped& same = popped_[known];
  if (entry.score > same.entry.score) {
    std::swap(entry, same.entry);
    std::swap(scored, same.scored);
    same.entry.alternative = entry.alternative;
  }
  if (!options_.keep_alternatives) return;
  entry.alternative = same.entry.alternative;
  same.entry.alternative = static_cast<uint32_t>(alternatives_.size());
  alternatives_.push_back(entry);
  if (further_ > 0) keep_logs(scored, alternative_logs_);
}

// The candidates with the next entry of one tail, each once, become next_.
void CubePruner::neighbours(Candidate candidate) {
  next_.clear();
  const Opened& opened = opened_[candidate.opened];
  uint32_t moved = 0;  // tails beyond their best entry
  for (uint32_t k = 0; k < opened.arity; ++k)
    moved += rank_of(candidate.ranks, opened.arity, k) > 0 ? 1 : 0;
  for (uint32_t k = 0; k < opened.arity; ++k) {
    const uint32_t rank = rank_of(candidate.ranks, opened.arity, k);
    if (rank + 1 >= entries_for(opened, k)) continue;
    const Ranks ranks = next_ranks(candidate.ranks, opened.arity, k);
    // Only candidates with two predecessors can come up twice.
    if (moved + (rank == 0 ? 1 : 0) > 1 && !mark_seen(candidate.opened, ranks, opened.arity))
      continue;
    next_.push_back(add(candidate.opened, ranks, kUnscored));
  }
}

// True the first time.
bool CubePruner::mark_seen(uint32_t opened, const Ranks& ranks, uint32_t arity) {
  uint64_t hash = opened;
  for (uint32_t k = 0; k < arity; ++k)
    hash = (hash ^ rank_of(ranks, arity, k)) * 0x9e3779b97f4a7c15ull;
  hash = io::mix64(hash);
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
    scores_.push_back(-score);
    fragments_.push_back(scored_[popped_[i].scored].fragment);
    if (further_ == 0) continue;
    keep_logs(popped_[i].scored, entry_logs_);
    for (uint32_t k = 0; k < further_; ++k)
      further_fragments_.push_back(
          further_scored_[size_t{popped_[i].scored} * further_ + k].fragment);
  }
  node_ends_.push_back(static_cast<uint32_t>(entries_.size()));
}

}  // namespace demotic::decode::hiero
