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
  areas_.find(sentence.limits, words_);
  options_.find(sentence, areas_);
  counters_.options = options_.size();
  start();
  for (uint32_t position = 0; position <= words_; ++position) {
    for (const uint32_t zone : areas_.ending_at(position)) leave(zone);
    if (position > 0) fill(position, position);
    if (settings_.pops > 0 || position == words_) continue;
    const Beam& beam = beams_[position];
    for (uint32_t h = beam.first; h < beam.last; ++h) expand(h);
  }
  first_complete_ = beams_[words_].first;
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
  const size_t beams = words_ + size_t{1} + areas_.size() - areas_.between_walls();
  if (beams_.size() < beams) beams_.resize(beams);
  for (size_t i = 0; i < beams; ++i) {
    beams_[i].candidates.clear();
    beams_[i].index.clear();
  }
  beams_[0].first = kStart;
  beams_[0].last = 1;
  grouped_.assign((words_ + size_t{1}) * areas_.size(), {});
  groups_.clear();
  rows_.clear();
  state_scores_.clear();
}

void AmasisSearch::fill(uint32_t beam, uint32_t position) {
  if (settings_.pops > 0) fill_by_cubes(beam, position);
  close(beam);
}

// All hypotheses that have reached the end of a zone go on in the area around it.
void AmasisSearch::leave(uint32_t zone) {
  const Area& area = areas_[zone];
  const uint32_t beam = beam_of(zone, area.end);
  fill(beam, area.end);
  const uint32_t option = options_.closing(zone);
  for (uint32_t h = beams_[beam].first; h < beams_[beam].last; ++h) {
    const uint32_t below = pushed(h, option, [](const Joined&) {}).below;
    const uint32_t depth = depth_in(area.outer, below);
    events::LabelState state;
    if (options_.sees_stack()) {
      state = state_of(hypotheses_[below], depth);
      state_scores_.resize(state_scores_.size() + options_.stride());
      options_.score_state(state, std::span(state_scores_).last(options_.stride()));
    }
    push_all(h, option, depth, state);
    if (options_.sees_stack()) state_scores_.resize(state_scores_.size() - options_.stride());
  }
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
void AmasisSearch::close(uint32_t beam) {
  std::vector<Candidate>& all = beams_[beam].candidates;
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
  beams_[beam].first = hypotheses();
  for (const uint32_t i : chosen_) {
    const AmasisHypothesis& made = all[i].made;
    const double joined = joined_score(made.below, made.fragment, scratch_.data());
    hypotheses_.push_back(made);
    joined_.push_back(joined);
    states_.insert(states_.end(), scratch_.begin(), scratch_.end());
  }
  beams_[beam].last = hypotheses();
  all.clear();
  beams_[beam].index.clear();
}

uint32_t AmasisSearch::depth_in(uint32_t area, uint32_t hypothesis) const {
  const uint32_t begin = areas_[area].begin;
  if (begin == 0) return hypotheses_[hypothesis].depth;
  uint32_t depth = 0;
  for (; hypotheses_[hypothesis].end > begin; hypothesis = hypotheses_[hypothesis].below) ++depth;
  return depth;
}

events::LabelState AmasisSearch::state_of(const AmasisHypothesis& hypothesis,
                                          uint32_t depth) const {
  events::LabelState state;
  state.last = hypothesis.last;
  state.before = hypothesis.before_last;
  if (depth > 0) {
    const Border& top = fragments_.border(hypothesis.fragment);
    state.top_first = top.first;
    state.top_last = top.last;
  }
  if (depth > 1) state.below_last = fragments_.border(hypotheses_[hypothesis.below].fragment).last;
  return state;
}

void AmasisSearch::expand(uint32_t hypothesis) {
  const AmasisHypothesis before = hypotheses_[hypothesis];
  uint32_t area = kNoArea;
  uint32_t depth = 0;
  events::LabelState state;
  for (const uint32_t option : options_.from(before.end)) {
    if (options_.option(option).area != area) {
      area = options_.option(option).area;
      depth = depth_in(area, hypothesis);
      if (options_.sees_stack()) {
        state = state_of(before, depth);
        state_scores_.resize(options_.stride());
        options_.score_state(state, state_scores_);
      }
    }
    push_all(hypothesis, option, depth, state);
  }
}

void AmasisSearch::push_all(uint32_t before, uint32_t option, uint32_t depth,
                            const events::LabelState& state) {
  const bool closes = options_.option(option).rule == kZoneEnd;
  const Pushed top = pushed(before, option, [](const Joined&) {});
  const bool capped = depth >= events::kMaxDepth;
  if (capped) capped_ = true;
  if (capped || waits(hypotheses_[top.below], depth) ||
      (closes && !fragments_.has_words(top.fragment))) {
    push(before, option, depth, {depth == 0 ? events::kShift : events::kShiftReduce, 0});
  } else if (options_.sees_stack()) {
    const Border& border = closes ? fragments_.border(top.fragment) : options_.border(option);
    const auto scores = std::span(state_scores_).last(options_.stride());
    for (const LabelChoice& choice : options_.choices(option, border, depth, state, scores))
      push(before, option, depth, choice);
  } else {
    for (const LabelChoice& choice : options_.choices(option, depth))
      push(before, option, depth, choice);
  }
}

template <class Visit>
AmasisSearch::Pushed AmasisSearch::pushed(uint32_t before, uint32_t option, Visit&& joined) {
  const ItemOption& item = options_.option(option);
  if (item.rule != kZoneEnd) return {item.fragment, before};
  uint32_t fragment = hypotheses_[before].fragment;
  uint32_t below = hypotheses_[before].below;
  for (; hypotheses_[below].end > item.begin; below = hypotheses_[below].below) {
    const Joined& both = fragments_.join(hypotheses_[below].fragment, fragment);
    fragment = both.fragment;
    joined(both);
  }
  return {fragment, below};
}

template <class Visit>
AmasisSearch::Pushed AmasisSearch::reduce(const Pushed& top, uint32_t label, Visit&& joined) {
  auto [fragment, below] = top;
  for (uint32_t k = 0; k < events::reductions_of(label); ++k) {
    const uint32_t other = hypotheses_[below].fragment;
    const Joined& both = events::inverted(label, k) ? fragments_.join(fragment, other)
                                                    : fragments_.join(other, fragment);
    fragment = both.fragment;
    joined(both);
    below = hypotheses_[below].below;
  }
  return {fragment, below};
}

void AmasisSearch::push(uint32_t before, uint32_t option, uint32_t depth,
                        const LabelChoice& choice) {
  ++counters_.candidates;
  const ItemOption& item = options_.option(option);
  double score = hypotheses_[before].score + item.score + model_.label_score(choice.logprob);
  const auto add = [&](const Joined& both) { score += both.score; };
  const Pushed top = pushed(before, option, add);
  const auto [fragment, below] = reduce(top, choice.label, add);
  AmasisHypothesis made{
      .score = score,
      .arc = {before, option, choice.label, choice.logprob, UINT32_MAX},
      .fragment = fragment,
      .below = below,
      .depth = hypotheses_[top.below].depth + 1 - events::reductions_of(choice.label),
      .begin = hypotheses_[below].end,
      .end = item.end};
  if (options_.sees_stack()) {
    const AmasisHypothesis& earlier = hypotheses_[top.below];
    // Labels that are forced teach nothing, and nobody looks back at them.
    const bool forced = !fragments_.has_words(top.fragment) || waits(earlier, depth);
    made.last = forced ? earlier.last : static_cast<uint8_t>(choice.label);
    made.before_last = forced ? earlier.before_last : earlier.last;
  }
  accept(made, beam_of(item.area, item.end));
}

void AmasisSearch::accept(const AmasisHypothesis& made, uint32_t to) {
  Beam& beam = beams_[to];
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
  counters_.unclosed = hypotheses_[best_].depth > areas_.between_walls() ? 1 : 0;
  bool words = false;
  for (uint32_t h = best_; h != kStart; h = hypotheses_[h].below)
    words = words || fragments_.has_words(hypotheses_[h].fragment);
  counters_.empty = words ? 0 : 1;
}

AmasisSearch::Reduced AmasisSearch::reduced(const AmasisArc& arc) const {
  Reduced found;
  uint32_t h = arc.before;
  const auto take = [&] {
    found.elements.push_back(h);
    h = hypotheses_[h].below;
  };
  const ItemOption& item = options_.option(arc.option);
  if (item.rule == kZoneEnd)
    for (; hypotheses_[h].end > item.begin; ++found.zone) take();
  for (uint32_t k = 0; k < events::reductions_of(arc.label); ++k) take();
  std::reverse(found.elements.begin(), found.elements.end());
  return found;
}

void AmasisSearch::arc_logs(const AmasisArc& arc, std::vector<float>& logs) {
  const std::span<const float> own = options_.logs(arc.option);
  logs.assign(own.begin(), own.end());
  const auto add = [&](const Joined& both) {
    const std::span<const float> more = fragments_.logs(both);
    for (uint32_t m = 0; m < models_; ++m) logs[m] += more[m];
  };
  reduce(pushed(arc.before, arc.option, add), arc.label, add);
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
