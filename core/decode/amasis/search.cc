#include "decode/amasis/search.h"

#include <algorithm>
#include <limits>
#include <numeric>

namespace demotic::decode::amasis {

AmasisSearch::AmasisSearch(const AmasisModel& model, const AmasisSettings& settings)
    : model_(model),
      settings_(settings),
      fragments_(model, model.labels() != nullptr && model.labels()->sees_stack() &&
                            settings.order == Order::learned),
      options_(model, settings_, fragments_),
      models_(model.models()),
      scratch_(models_) {}

void AmasisSearch::run(const SourceSentence& sentence) {
  words_ = static_cast<uint32_t>(sentence.source.size());
  counters_ = {};
  capped_ = false;
  fragments_.clear();
  options_.find(sentence);
  counters_.options = options_.size();
  start();
  for (uint32_t position = 0; position < words_; ++position) {
    const uint32_t first = position == 0 ? kStart : hypotheses();
    if (position > 0) {
      if (settings_.pops > 0) fill_by_cubes(position);
      close(position);
    }
    if (settings_.pops > 0) {
      group(position, first);
      continue;
    }
    const uint32_t last = hypotheses();
    for (uint32_t h = first; h < last; ++h) expand(h);
  }
  first_complete_ = hypotheses();
  if (settings_.pops > 0) fill_by_cubes(words_);
  close(words_);
  finish();
  counters_.hypotheses = hypotheses() - 1;
  counters_.fragments = fragments_.size();
  counters_.joins = fragments_.joins();
  counters_.shortened = capped_ ? 1 : 0;
}

void AmasisSearch::start() {
  hypotheses_.assign(1, {.score = 0,
                         .arc = {},
                         .fragment = FragmentTable::kEmpty,
                         .below = kNoHypothesis,
                         .depth = 0,
                         .begin = 0,
                         .end = 0});
  alternatives_.clear();
  joined_.assign(1, 0);
  states_.clear();
  for (uint32_t m = 0; m < models_; ++m) states_.push_back(model_.lm(m).begin_sentence());
  if (beams_.size() < words_ + size_t{1}) beams_.resize(words_ + size_t{1});
  for (uint32_t i = 0; i <= words_; ++i) {
    beams_[i].candidates.clear();
    beams_[i].index.clear();
  }
  grouped_.assign(words_ + size_t{1}, {});
  groups_.clear();
  rows_.clear();
  state_scores_.clear();
}

// Weighted, of a fragment behind the joined stack of `below`; `states` become those behind it.
double AmasisSearch::joined_score(uint32_t below, uint32_t fragment, lm::State* states) const {
  double score = joined_[below];
  for (uint32_t m = 0; m < models_; ++m) {
    states[m] = states_[size_t{below} * models_ + m];
    score += model_.lm_score(m, lm::append(model_.lm(m), states[m], fragments_.part(fragment, m)));
  }
  return score;
}

// Keeps the best of a beam; of equals those that were found first.
void AmasisSearch::close(uint32_t position) {
  std::vector<Candidate>& all = beams_[position].candidates;
  for (Candidate& each : all)
    each.total =
        each.made.score + (settings_.concatenate
                               ? joined_score(each.made.below, each.made.fragment, scratch_.data())
                               : 0.0);
  chosen_.resize(all.size());
  std::iota(chosen_.begin(), chosen_.end(), 0u);
  if (all.size() > settings_.beam) {
    std::nth_element(chosen_.begin(), chosen_.begin() + settings_.beam, chosen_.end(),
                     [&](uint32_t a, uint32_t b) {
                       return all[a].total != all[b].total ? all[a].total > all[b].total : a < b;
                     });
    chosen_.resize(settings_.beam);
    std::sort(chosen_.begin(), chosen_.end());
  }
  for (const uint32_t i : chosen_) {
    const AmasisHypothesis& made = all[i].made;
    const double joined = joined_score(made.below, made.fragment, scratch_.data());
    hypotheses_.push_back(made);
    joined_.push_back(joined);
    states_.insert(states_.end(), scratch_.begin(), scratch_.end());
  }
  all.clear();
  beams_[position].index.clear();
}

events::LabelState AmasisSearch::state_of(const AmasisHypothesis& hypothesis) const {
  events::LabelState state;
  state.last = hypothesis.last;
  state.before = hypothesis.before_last;
  if (hypothesis.depth > 0) {
    const Border& top = fragments_.border(hypothesis.fragment);
    state.top_first = top.first;
    state.top_last = top.last;
  }
  if (hypothesis.depth > 1)
    state.below_last = fragments_.border(hypotheses_[hypothesis.below].fragment).last;
  return state;
}

void AmasisSearch::expand(uint32_t hypothesis) {
  const AmasisHypothesis before = hypotheses_[hypothesis];
  const uint32_t depth = before.depth;
  const bool waiting = waits(before);
  events::LabelState state;
  if (options_.sees_stack()) {
    state = state_of(before);
    state_scores_.resize(options_.stride());
    options_.score_state(state, state_scores_);
  }
  for (const uint32_t option : options_.from(before.end)) {
    if (waiting) {
      push(hypothesis, option, {events::kShiftReduce, 0});
    } else if (depth >= events::kMaxDepth) {
      capped_ = true;
      push(hypothesis, option, {events::kShiftReduce, 0});
    } else {
      for (const LabelChoice& choice : options_.sees_stack()
                                           ? options_.choices(option, depth, state, state_scores_)
                                           : options_.choices(option, depth))
        push(hypothesis, option, choice);
    }
  }
}

void AmasisSearch::push(uint32_t before, uint32_t option, const LabelChoice& choice) {
  ++counters_.candidates;
  const ItemOption& item = options_.option(option);
  const AmasisHypothesis* below = &hypotheses_[before];
  uint32_t number = before;
  uint32_t fragment = item.fragment;
  double score = below->score + item.score + model_.label_score(choice.logprob);
  const uint32_t reductions = events::reductions_of(choice.label);
  for (uint32_t k = 0; k < reductions; ++k) {
    const Joined& joined = events::inverted(choice.label, k)
                               ? fragments_.join(fragment, below->fragment)
                               : fragments_.join(below->fragment, fragment);
    fragment = joined.fragment;
    score += joined.score;
    number = below->below;
    below = &hypotheses_[number];
  }
  AmasisHypothesis made{.score = score,
                        .arc = {before, option, choice.label, choice.logprob, UINT32_MAX},
                        .fragment = fragment,
                        .below = number,
                        .depth = hypotheses_[before].depth + 1 - reductions,
                        .begin = below->end,
                        .end = item.end};
  if (options_.sees_stack()) {
    const AmasisHypothesis& earlier = hypotheses_[before];
    // Labels that are forced teach nothing, and nobody looks back at them.
    const bool forced = !options_.has_words(option) || waits(earlier);
    made.last = forced ? earlier.last : static_cast<uint8_t>(choice.label);
    made.before_last = forced ? earlier.before_last : earlier.last;
  }
  accept(made);
}

void AmasisSearch::accept(const AmasisHypothesis& made) {
  Beam& beam = beams_[made.end];
  const auto next = static_cast<uint32_t>(beam.candidates.size());
  const uint64_t key = uint64_t{made.fragment} << 32 | made.below;
  const uint64_t seen = uint64_t{made.last} << 8 | made.before_last;  // the same unless looked at
  const uint32_t number =
      beam.index.find_or_add(io::mix64(key ^ seen << 24), next, [&](uint32_t i) {
        const AmasisHypothesis& other = beam.candidates[i].made;
        return other.fragment == made.fragment && other.below == made.below &&
               other.last == made.last && other.before_last == made.before_last;
      });
  if (number == next) {
    beam.candidates.push_back({made, 0});
    return;
  }
  ++counters_.recombined;
  AmasisHypothesis& other = beam.candidates[number].made;
  const bool better = made.score > other.score;
  if (settings_.keep_alternatives) {
    AmasisArc loser = better ? other.arc : made.arc;
    const uint32_t rest = other.arc.alternative;
    if (better) other.arc = made.arc;
    loser.alternative = rest;
    other.arc.alternative = static_cast<uint32_t>(alternatives_.size());
    alternatives_.push_back(loser);
  } else if (better) {
    other.arc = made.arc;
  }
  if (better) other.score = made.score;
}

void AmasisSearch::finish() {
  best_ = kNoHypothesis;
  double best = -std::numeric_limits<double>::infinity();
  std::vector<float> logs;
  for (uint32_t h = first_complete_; h < hypotheses(); ++h) {
    double total = hypotheses_[h].score + joined_[h];
    end_logs(h, logs);
    for (uint32_t m = 0; m < models_; ++m) total += model_.lm_score(m, logs[m]);
    if (best_ != kNoHypothesis && !(total > best)) continue;
    best_ = h;
    best = total;
  }
  if (best_ == kNoHypothesis) return;
  counters_.unclosed = hypotheses_[best_].depth > 1 ? 1 : 0;
  bool words = false;
  for (uint32_t h = best_; h != kStart; h = hypotheses_[h].below)
    words = words || fragments_.has_words(hypotheses_[h].fragment);
  counters_.empty = words ? 0 : 1;
}

void AmasisSearch::arc_logs(const AmasisArc& arc, std::vector<float>& logs) {
  const std::span<const float> own = options_.logs(arc.option);
  logs.assign(own.begin(), own.end());
  uint32_t below = arc.before;
  uint32_t fragment = options_.option(arc.option).fragment;
  for (uint32_t k = 0; k < events::reductions_of(arc.label); ++k) {
    const uint32_t other = hypotheses_[below].fragment;
    const Joined joined = events::inverted(arc.label, k) ? fragments_.join(fragment, other)
                                                         : fragments_.join(other, fragment);
    const std::span<const float> more = fragments_.logs(joined);
    for (uint32_t m = 0; m < models_; ++m) logs[m] += more[m];
    fragment = joined.fragment;
    below = hypotheses_[below].below;
  }
}

void AmasisSearch::join_logs(uint32_t hypothesis, std::vector<float>& logs) const {
  logs.clear();
  const AmasisHypothesis& top = hypotheses_[hypothesis];
  for (uint32_t m = 0; m < models_; ++m) {
    lm::State state = states_of(top.below)[m];
    logs.push_back(lm::append(model_.lm(m), state, fragments_.part(top.fragment, m)));
  }
}

void AmasisSearch::end_logs(uint32_t hypothesis, std::vector<float>& logs) const {
  logs.clear();
  for (uint32_t m = 0; m < models_; ++m) {
    lm::State behind;
    const lm::Model& lm = model_.lm(m);
    logs.push_back(lm.score(states_of(hypothesis)[m], lm.end_word(), behind).prob);
  }
}

}  // namespace demotic::decode::amasis
