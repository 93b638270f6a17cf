// The inner half of search.h: how one stack is filled from the grids that lead to it.  search.cc
// goes from stack to stack.
#include <algorithm>
#include <array>
#include <limits>

#include "decode/phrase/search.h"

namespace demotic::decode::phrase {

namespace {

constexpr double kNever = -std::numeric_limits<double>::infinity();
constexpr uint32_t kAhead = 8;  // cells that wait for their memory

}  // namespace

double PhraseSearch::promise(const Grid& grid, uint32_t row, uint32_t column) const {
  const PhraseHypothesis& hypothesis = hypotheses_[grid.first + row];
  const uint32_t option = options_.ordered(grid.list, grid.orientation, column);
  double sum = hypothesis.score + grid.constant + options_.option(option).estimate;
  if (model_.lexicalised()) {
    const auto o = static_cast<size_t>(grid.orientation);
    sum += options_.reordering(option).previous[o];
    if (hypothesis.arc.option != kNoOption)
      sum += options_.reordering(hypothesis.arc.option).next[o];
  }
  return sum;
}

// The top of the heap makes room for another cell.
void PhraseSearch::replace_top(const Cell& cell) {
  size_t at = 0;
  const size_t size = heap_.size();
  while (true) {
    size_t child = 2 * at + 1;
    if (child >= size) break;
    if (child + 1 < size && later(heap_[child], heap_[child + 1])) ++child;
    if (!later(cell, heap_[child])) break;
    heap_[at] = heap_[child];
    at = child;
  }
  heap_[at] = cell;
}

void PhraseSearch::fetch(const Grid& grid, uint32_t row, uint32_t column, uint32_t covered) const {
  const lm::Model* lm = model_.grammar().lm();
  if (lm == nullptr) return;
  const Stack& before = stack(covered - (grid.end - grid.begin));
  const uint32_t source = grid.first + row - before.first;
  const uint32_t option = options_.ordered(grid.list, grid.orientation, column);
  lm::fetch_seam(*lm, before.states[source], options_.fragment(option));
  for (uint32_t i = 0; i < further_; ++i)
    lm::fetch_seam(model_.grammar().further_lm(i), before.further[size_t{source} * further_ + i],
                   options_.further_fragments(option)[i]);
}

void PhraseSearch::fill_by_cubes(uint32_t covered) {
  std::vector<Grid>& grids = stack(covered).grids;
  counters_.grids += grids.size();
  heap_.clear();
  for (uint32_t g = 0; g < grids.size(); ++g) heap_.push_back({promise(grids[g], 0, 0), g, 0, 0});
  std::make_heap(heap_.begin(), heap_.end(), later);
  const auto most = static_cast<uint32_t>(std::min<uint64_t>(settings_.pops, share_));
  best_total_ = bound_ = kNever;
  // What is taken does not depend on the scores of what was taken just before: cells wait a little
  // until the memory is there that the language model looks them up in.
  std::array<Cell, kAhead> waiting;
  uint32_t taken = 0;
  uint32_t done = 0;
  const auto take_next = [&] {
    const Cell& cell = waiting[done++ % kAhead];
    take(grids[cell.grid], cell.row, cell.column, covered);
  };
  while (taken < most && !heap_.empty()) {
    const Cell cell = heap_.front();
    if (cell.promise < bound_) {
      counters_.discarded += heap_.size();
      break;
    }
    const Grid& grid = grids[cell.grid];
    fetch(grid, cell.row, cell.column, covered);
    // A row is opened by the first cell of the row before it: no cell comes twice.
    const bool onward = cell.column + 1 < grid.list.count;
    const bool below = cell.column == 0 && cell.row + 1 < grid.count;
    const auto neighbour = [&](uint32_t row, uint32_t column) {
      return Cell{promise(grid, row, column), cell.grid, row, column};
    };
    if (onward) {
      replace_top(neighbour(cell.row, cell.column + 1));
    } else if (below) {
      replace_top(neighbour(cell.row + 1, 0));
    } else {
      std::pop_heap(heap_.begin(), heap_.end(), later);
      heap_.pop_back();
    }
    if (onward && below) {
      heap_.push_back(neighbour(cell.row + 1, 0));
      std::push_heap(heap_.begin(), heap_.end(), later);
    }
    if (taken - done == kAhead) take_next();
    waiting[taken++ % kAhead] = cell;
  }
  while (done < taken) take_next();
  counters_.pops += taken;
}

void PhraseSearch::fill_by_all(uint32_t covered) {
  std::vector<Grid>& grids = stack(covered).grids;
  counters_.grids += grids.size();
  best_total_ = bound_ = kNever;
  // Without what the language model says of the phrase, a promise is the most that it can become.
  const bool bounded = model_.grammar().lm_costs();
  for (Grid& grid : grids)
    for (uint32_t row = 0; row < grid.count; ++row)
      for (uint32_t column = 0; column < grid.list.count; ++column) {
        const uint32_t number = options_.ordered(grid.list, grid.orientation, column);
        const double own =
            model_.grammar().lm_score(options_.option(number).lm) + options_.option(number).further;
        if (bounded && promise(grid, row, column) - own < bound_) {
          ++counters_.discarded;
          continue;
        }
        ++counters_.pops;
        take(grid, row, column, covered);
        if (pending_.size() / 2 >= most_) prune(most_);
      }
}

void PhraseSearch::take(Grid& grid, uint32_t row, uint32_t column, uint32_t covered) {
  const uint32_t source = grid.first + row;
  const PhraseHypothesis& from = hypotheses_[source];
  const uint32_t number = options_.ordered(grid.list, grid.orientation, column);
  const PhraseOption& option = options_.option(number);
  if (grid.to == kNoCoverage) grid.to = coverages_.add(grid.from, grid.begin, grid.end);

  Pending made;
  made.further = 0;
  float change = 0;
  double further = 0;
  if (const lm::Model* lm = model_.grammar().lm(); lm != nullptr) {
    const Stack& before = stack(covered - (grid.end - grid.begin));
    made.state = before.states[source - before.first];
    change = lm::append(*lm, made.state, options_.fragment(number)) + option.lm;
    if (further_ > 0)
      further = take_further(made, number,
                             before.further.data() + size_t{source - before.first} * further_);
  } else {
    made.state = {};
  }
  double score = from.score + option.score + model_.distortion(from.end, grid.begin) +
                 model_.grammar().lm_score(change) + further;
  if (model_.lexicalised()) {
    const auto o = static_cast<size_t>(grid.orientation);
    score += options_.reordering(number).previous[o];
    if (from.arc.option != kNoOption) score += options_.reordering(from.arc.option).next[o];
  }
  const auto logs = static_cast<uint32_t>(logs_.size()) - further_;
  made.hypothesis = {
      score, {source, number, grid.begin, change, UINT32_MAX, logs}, grid.end, grid.to};
  made.total = score + future_behind(grid.to, grid.end);
  made.next = option.next;
  if (made.total < bound_) {
    if (further_ > 0) forget_further(made, true);
    return;
  }
  accept(made);
  if (made.total > best_total_) {
    best_total_ = made.total;
    bound_ = std::max(bound_, best_total_ - settings_.threshold);
  }
}

// Appends the states and the logs of further language models; what they add, weighted.
double PhraseSearch::take_further(Pending& made, uint32_t option, const lm::State* before) {
  made.further = static_cast<uint32_t>(pending_further_.size());
  double sum = 0;
  for (uint32_t i = 0; i < further_; ++i) {
    lm::State& state = pending_further_.emplace_back(before[i]);
    const float change =
        lm::append(model_.grammar().further_lm(i), state, options_.further_fragments(option)[i]) +
        options_.further_logs(option)[i];
    logs_.push_back(change);
    sum += model_.grammar().further_score(i, change);
  }
  return sum;
}

bool PhraseSearch::same_further(const Pending& a, const Pending& b) const {
  for (uint32_t i = 0; i < further_; ++i)
    if (!(pending_further_[a.further + i] == pending_further_[b.further + i])) return false;
  return true;
}

// Of the one that was taken last.
void PhraseSearch::forget_further(const Pending& last, bool logs) {
  pending_further_.resize(last.further);
  if (logs) logs_.resize(last.hypothesis.arc.further);
}

// Of the words that count; cheaper than State::hash, and good enough for a table in memory.
uint64_t PhraseSearch::hash_of(const Pending& candidate) const {
  constexpr uint64_t kFactor = 0x9fb21c651e98df25ull;
  const PhraseHypothesis& ours = candidate.hypothesis;
  const uint32_t begin = model_.lexicalised() ? ours.arc.begin : 0;
  uint64_t hash = (uint64_t{ours.coverage} << 32 | ours.end) * kFactor +
                  (uint64_t{candidate.next} << 32 | begin);
  for (uint32_t i = 0; i < candidate.state.length; ++i)
    hash = (hash ^ candidate.state.words[i]) * kFactor;
  for (uint32_t m = 0; m < further_; ++m) {
    const lm::State& state = pending_further_[candidate.further + m];
    for (uint32_t i = 0; i < state.length; ++i) hash = (hash ^ state.words[i]) * kFactor;
  }
  return io::mix64(hash);
}

void PhraseSearch::accept(const Pending& candidate) {
  const PhraseHypothesis& ours = candidate.hypothesis;
  const bool lexicalised = model_.lexicalised();
  const auto next = static_cast<uint32_t>(pending_.size());
  const uint32_t number = by_state_.find_or_add(hash_of(candidate), next, [&](uint32_t i) {
    const Pending& other = pending_[i];
    const PhraseHypothesis& theirs = other.hypothesis;
    return theirs.coverage == ours.coverage && theirs.end == ours.end &&
           other.next == candidate.next && (!lexicalised || theirs.arc.begin == ours.arc.begin) &&
           other.state == candidate.state && (further_ == 0 || same_further(other, candidate));
  });
  if (number != next) {
    Pending& other = pending_[number];
    PhraseHypothesis& theirs = other.hypothesis;
    ++counters_.recombined;
    const bool better = ours.score > theirs.score;
    if (further_ > 0) forget_further(candidate, !better && !settings_.keep_alternatives);
    if (settings_.keep_alternatives) {
      PhraseArc loser = better ? theirs.arc : ours.arc;
      const uint32_t rest = theirs.arc.alternative;
      if (better) theirs.arc = ours.arc;
      loser.alternative = rest;
      theirs.arc.alternative = static_cast<uint32_t>(alternatives_.size());
      alternatives_.push_back(loser);
    } else if (better) {
      theirs.arc = ours.arc;
    }
    if (better) {
      theirs.score = ours.score;
      other.total = candidate.total;
    }
    return;
  }
  pending_.push_back(candidate);
}

// Leaves the best `most`; of equals those that were found first.
void PhraseSearch::prune(uint32_t most) {
  if (pending_.size() > most) {
    std::vector<double> totals;
    for (const Pending& each : pending_) totals.push_back(each.total);
    std::nth_element(totals.begin(), totals.begin() + (most - 1), totals.end(), std::greater<>());
    const double worst = totals[most - 1];
    bound_ = std::max(bound_, worst);
    size_t better = 0;
    for (const Pending& each : pending_) better += each.total > worst;
    size_t ties = most - better;
    std::erase_if(pending_, [&](const Pending& each) {
      if (each.total > worst) return false;
      if (each.total < worst || ties == 0) return true;
      --ties;
      return false;
    });
  } else {
    std::erase_if(pending_, [&](const Pending& each) { return each.total < bound_; });
  }
  if (further_ > 0) {
    std::vector<lm::State> left;
    for (Pending& each : pending_) {
      const auto first = pending_further_.begin() + each.further;
      each.further = static_cast<uint32_t>(left.size());
      left.insert(left.end(), first, first + further_);
    }
    pending_further_.swap(left);
  }
  by_state_.clear();
  for (uint32_t i = 0; i < pending_.size(); ++i) by_state_.add(hash_of(pending_[i]), i);
}

}  // namespace demotic::decode::phrase
