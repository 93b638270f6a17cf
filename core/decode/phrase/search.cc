#include "decode/phrase/search.h"

#include <algorithm>
#include <limits>

namespace demotic::decode::phrase {

namespace {

constexpr double kNever = -std::numeric_limits<double>::infinity();

}  // namespace

// Tables of future costs grow with words times limit: a very long sentence gets a lower limit.
void PhraseSearch::choose_limit(uint32_t words) {
  constexpr uint32_t kCells = 1u << 16;
  const uint32_t wanted = std::min(settings_.distortion_limit, words);
  limit_ = std::min(wanted, std::max(64u, kCells / words));
  shortened_ = limit_ < wanted;
}

void PhraseSearch::prepare(const SourceSentence& sentence) {
  words_ = static_cast<uint32_t>(sentence.source.size());
  choose_limit(words_);
  counters_ = {};
  limits_ = sentence.limits.empty() ? nullptr : &sentence.limits;
  options_.find(sentence);
  for (uint32_t begin = 0; begin < words_; ++begin)
    for (uint32_t length = 1; length <= options_.depth(begin); ++length)
      counters_.options += options_.at(begin, length).count;
  future_.compute(model_, options_, words_, limit_);
}

void PhraseSearch::run() {
  start();
  for (uint32_t covered = 1; covered <= words_; ++covered) {
    if (settings_.cube)
      fill_by_cubes(covered);
    else
      fill_by_all(covered);
    close(covered);
  }
  finish();
}

void PhraseSearch::start() {
  coverages_.start(limit_);
  coverage_future_.clear();
  hypotheses_.clear();
  alternatives_.clear();
  stacks_.resize(std::max<size_t>(stacks_.size(), options_.deepest() + size_t{1}));
  logs_.assign(further_, 0.0f);  // of the empty hypothesis
  pending_further_.clear();
  for (Stack& each : stacks_) {
    each.states.clear();
    each.further.clear();
    each.grids.clear();
  }
  share_ = std::max<uint64_t>(1, settings_.max_hypotheses / words_);
  most_ = static_cast<uint32_t>(std::min<uint64_t>(share_, settings_.stack));

  hypotheses_.push_back({0, {}, 0, 0});
  const lm::Model* lm = model_.grammar().lm();
  stack(0).first = 0;
  stack(0).last = 1;
  stack(0).states.assign(1, lm != nullptr ? lm->begin_sentence() : lm::State{});
  for (uint32_t i = 0; i < further_; ++i)
    stack(0).further.push_back(model_.grammar().further_lm(i).begin_sentence());
  expand({0, 1, 0, 0, 0}, 0);
}

// What the words that a coverage leaves can add, with a leap over all that lies between them and
// over what lies behind the last of them.
double PhraseSearch::future_of(uint32_t coverage) {
  while (coverage_future_.size() < coverages_.size()) {
    const auto set = static_cast<uint32_t>(coverage_future_.size());
    double sum = 0;
    for (uint32_t at = coverages_.first_gap(set); at < words_;) {
      const uint32_t end = std::min(coverages_.next_covered(set, at), words_);
      sum += future_(at, end);
      at = end < words_ ? std::min(coverages_.next_free(set, end), words_) : words_;
      if (at > end) sum += future_.leap(at - end);
    }
    coverage_future_.push_back(sum);
  }
  return coverage_future_[coverage];
}

// The same for a hypothesis, which has to leap to the first gap.
double PhraseSearch::future_behind(uint32_t coverage, uint32_t end) {
  const uint32_t gap = coverages_.first_gap(coverage);
  if (gap >= words_) return 0;
  const double rest = future_of(coverage);
  return gap == end ? rest : rest + future_.leap(gap < end ? end - gap : gap - end);
}

// Where the next phrase must lie: within the zone that was begun last, and before the first wall
// that has uncovered words in front of it.
Zone PhraseSearch::room_of(uint32_t coverage) {
  Zone room{0, words_};
  if (limits_ == nullptr) return room;
  const uint32_t gap = coverages_.first_gap(coverage);
  for (const Zone& zone : limits_->zones) {
    if (zone.end <= gap || !room.contains(zone.begin, zone.end)) continue;
    const bool begun = zone.begin < gap || coverages_.next_covered(coverage, zone.begin) < zone.end;
    if (begun && coverages_.next_free(coverage, std::max(gap, zone.begin)) < zone.end) room = zone;
  }
  for (const uint32_t wall : limits_->walls)
    if (gap < wall) room.end = std::min(room.end, wall);
  return room;
}

// A zone is begun before the words in front of it only if it can be finished: before these get out
// of reach, and without a wall that waits for them.
bool PhraseSearch::may_cover(uint32_t gap, uint32_t begin, uint32_t end) const {
  if (limits_->forbid(begin, end)) return false;
  for (const Zone& zone : limits_->zones) {
    if (gap >= zone.begin || !zone.contains(begin, end)) continue;
    if (zone.end > gap + limit_) return false;
    for (const uint32_t wall : limits_->walls)
      if (zone.begin < wall && wall < zone.end) return false;
  }
  return true;
}

// Where hypotheses of a group can go: grids for the stacks to come.  Each knows the future of what
// it leads to, as future_behind() will say it: a phrase at the first gap changes no leaps (one that
// fills it leaps over what is covered behind it, as was expected); any other one asks for a leap
// back and later for one over itself, which is part of another one where it touches covered words.
void PhraseSearch::expand(const Group& group, uint32_t covered) {
  const uint32_t gap = coverages_.first_gap(group.coverage);
  const double whole = future_of(group.coverage);
  const uint32_t lowest = group.end > limit_ ? group.end - limit_ : 0;
  const uint32_t highest = group.end + limit_;
  const Zone room = room_of(group.coverage);
  for (uint32_t at = gap; at < words_ && at <= highest;) {
    const uint32_t next = std::min(coverages_.next_covered(group.coverage, at), words_);
    const double without = whole - future_(at, next);
    for (uint32_t begin = std::max(at, lowest); begin < next && begin <= highest; ++begin) {
      const uint32_t farthest = begin == gap ? next : std::min(next, gap + limit_);
      if (begin >= farthest) break;
      const uint32_t longest = std::min(options_.depth(begin), farthest - begin);
      const double distortion = model_.distortion(group.end, begin);
      for (uint32_t length = 1; length <= longest; ++length) {
        const OptionList& list = options_.at(begin, length);
        if (list.count == 0) continue;
        const uint32_t end = begin + length;
        if (limits_ != nullptr && (!room.contains(begin, end) || !may_cover(gap, begin, end)))
          continue;
        double future = without + future_(at, begin) + future_(end, next);
        if (covered + length == words_) {
          future = 0;
        } else if (begin != gap) {
          future += future_.leap(end - gap) + future_.leap(length);
          if (begin == at) future -= future_.leave();
          if (end == next && next < words_) future -= future_.leave();
        }
        stack(covered + length)
            .grids.push_back({distortion + future, group.first, group.count, list, group.coverage,
                              kNoCoverage, begin, end,
                              orientation(group.begin, group.end, begin, end)});
      }
    }
    at = next < words_ ? coverages_.next_free(group.coverage, next) : words_;
  }
}

// The hypotheses get their places, group by group, best first, and go on from there.
void PhraseSearch::close(uint32_t covered) {
  Stack& here = stack(covered);
  here.grids.clear();
  if (pending_.size() > most_ || bound_ > kNever) prune(most_);
  const bool lexicalised = model_.lexicalised();
  placing_.clear();
  for (uint32_t i = 0; i < pending_.size(); ++i) {
    const PhraseHypothesis& each = pending_[i].hypothesis;
    placing_.push_back({uint64_t{each.coverage} << 32 | each.end, each.score,
                        lexicalised ? each.arc.begin : 0, i});
  }
  std::sort(placing_.begin(), placing_.end(), [](const Placing& x, const Placing& y) {
    if (x.where != y.where) return x.where < y.where;
    if (x.begin != y.begin) return x.begin < y.begin;
    return x.score != y.score ? x.score > y.score : x.number < y.number;
  });
  here.first = hypotheses();
  here.states.clear();
  here.further.clear();
  for (const Placing& each : placing_) {
    hypotheses_.push_back(pending_[each.number].hypothesis);
    here.states.push_back(pending_[each.number].state);
    if (further_ == 0) continue;
    const auto further = pending_further_.begin() + pending_[each.number].further;
    here.further.insert(here.further.end(), further, further + further_);
  }
  here.last = hypotheses();
  counters_.hypotheses += placing_.size();
  pending_.clear();
  pending_further_.clear();
  by_state_.clear();
  if (covered == words_) return;
  for (uint32_t first = here.first; first < here.last;) {
    const PhraseHypothesis& head = hypotheses_[first];
    uint32_t last = first + 1;
    while (last < here.last && hypotheses_[last].coverage == head.coverage &&
           hypotheses_[last].end == head.end &&
           (!lexicalised || hypotheses_[last].arc.begin == head.arc.begin))
      ++last;
    expand({first, last - first, head.coverage, head.arc.begin, head.end}, covered);
    first = last;
  }
}

void PhraseSearch::finish() {
  const Stack& last = stack(words_);
  first_complete_ = last.first;
  end_lm_.clear();
  end_further_ = static_cast<uint32_t>(logs_.size());
  const lm::Model* lm = model_.grammar().lm();
  double best_score = kNever;
  best_ = last.first;
  for (uint32_t h = last.first; h < last.last; ++h) {
    lm::State after;
    const float change =
        lm == nullptr ? 0 : lm->score(last.states[h - last.first], lm->end_word(), after).prob;
    end_lm_.push_back(change);
    const PhraseHypothesis& each = hypotheses_[h];
    for (uint32_t i = 0; i < further_; ++i) {
      const lm::Model& model = model_.grammar().further_lm(i);
      const lm::State& before = last.further[size_t{h - last.first} * further_ + i];
      logs_.push_back(model.score(before, model.end_word(), after).prob);
    }
    double score = each.score + model_.grammar().lm_score(change) +
                   model_.grammar().further_score(end_further(h));
    if (model_.lexicalised()) {
      const auto o = static_cast<size_t>(orientation(each.arc.begin, each.end, words_, words_));
      score += options_.reordering(each.arc.option).next[o];
    }
    if (score > best_score) {
      best_score = score;
      best_ = h;
    }
  }
}

}  // namespace demotic::decode::phrase
