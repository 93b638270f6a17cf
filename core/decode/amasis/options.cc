#include "decode/amasis/options.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace demotic::decode::amasis {

ItemOptions::ItemOptions(const AmasisModel& model, const AmasisSettings& settings,
                         FragmentTable& fragments)
    : model_(model), settings_(settings), fragments_(fragments), models_(model.models()) {
  const grammar::LabelModel* labels = model.labels();
  most_reductions_ = settings.reductions != 0 ? settings.reductions
                     : labels != nullptr      ? labels->most_reductions()
                                              : 1;
  buckets_ = std::max(most_reductions_, grammar::kDepthRows - 1) + 1;
  stride_ = labels == nullptr ? 0 : labels->stride();
  sees_stack_ = labels != nullptr && labels->sees_stack() && settings.order == Order::learned;
  scores_.resize(stride_);
  if (labels != nullptr && labels->trees() != nullptr) atoms_.emplace(*labels);
}

void ItemOptions::forget() {
  drop_from(0);
  nodes_.clear();
  node_index_.clear();
  kept_items_ = 0;
}

void ItemOptions::drop_from(size_t item) {
  items_.resize(item);
  parts_.resize(item * models_);
  logs_.resize(item * models_);
}

void ItemOptions::find(const SourceSentence& sentence, const Areas& areas) {
  drop_from(kept_items_);  // words that passed through were those of the last sentence
  const bool choices = model_.grammar().choices() > 0;
  if (choices || kept_items_ > kMostKept) forget();
  sentence_ = sentence.source;
  areas_ = &areas;
  begins_.assign(1, 0);
  options_.clear();
  places_.clear();
  place_scores_.clear();
  place_rows_.clear();
  sides_.clear();
  all_choices_.clear();

  const auto words = static_cast<uint32_t>(sentence_.size());
  if (pieces_.size() < words + size_t{1}) pieces_.resize(words + size_t{1});
  for (uint32_t end = 0; end <= words; ++end) pieces_[end].clear();
  std::vector<std::vector<NodeList>> lists(words);
  for (uint32_t begin = 0; begin < words; ++begin) {
    uint32_t node = grammar::RuleTable::kRoot;
    for (uint32_t end = begin; end < words; ++end) {
      // An unknown word is id 0, which is in no rule.
      node = sentence_[end] == text::kUnknown
                 ? grammar::RuleTable::kNone
                 : model_.table().step(node, static_cast<text::Symbol>(sentence_[end]));
      if (node == grammar::RuleTable::kNone) break;
      lists[begin].push_back(!areas.allow(begin, end + 1)
                                 ? NodeList{}
                                 : of_node(node, choices ? begin : 0, sentence.choices));
    }
  }
  kept_items_ = items_.size();
  for (uint32_t begin = 0; begin < words; ++begin) {
    bool has_words = false;
    for (uint32_t length = 1; length <= lists[begin].size(); ++length) {
      const NodeList& list = lists[begin][length - 1];
      place(list, begin, begin + length);
      if (length > 1) continue;
      for (uint32_t i = list.first; i < list.first + list.count; ++i)
        has_words = has_words || items_[i].words;
    }
    if (!has_words) {
      const auto first = static_cast<uint32_t>(items_.size());
      const uint32_t passed = sentence.lm[begin];
      const size_t further = size_t{begin} * model_.grammar().further();
      add_item(kPassThrough, model_.grammar().score(kPassThrough, passed), 1, HashIndex::kNone,
               {events::kForeignWord, events::kForeignWord}, [&](uint32_t m, size_t) {
                 return m == 0 ? passed : sentence.further[further + m - 1];
               });
      place({0, 0, first, 1}, begin, begin + 1);
    }
    begins_.push_back(static_cast<uint32_t>(options_.size()));
  }
  place_zones();
  choices_.assign(options_.size() * buckets_, {});
  known_.assign(atoms_ ? options_.size() : 0, {});
  all_known_.clear();
}

ItemOptions::NodeList ItemOptions::of_node(uint32_t node, uint32_t begin,
                                           const SentenceChoices& choices) {
  const auto next = static_cast<uint32_t>(nodes_.size());
  const uint32_t number = node_index_.find_or_add(
      io::mix64(uint64_t{begin} << 32 | node), next,
      [&](uint32_t i) { return nodes_[i].node == node && nodes_[i].begin == begin; });
  if (number == next) nodes_.push_back(make(node, begin, choices));
  return nodes_[number];
}

ItemOptions::NodeList ItemOptions::make(uint32_t node, uint32_t begin,
                                        const SentenceChoices& choices) {
  const grammar::RuleTable& table = model_.table();
  const auto first = static_cast<uint32_t>(items_.size());
  if (!table.owns_rules(node)) return {node, begin, first, 0};
  std::vector<text::Symbol> source;
  if (model_.grammar().sees_units()) source = table.source_of(node);
  std::vector<text::Symbol> target;
  std::vector<uint32_t> further;
  for (uint32_t rule = table.first_rule(node); rule < table.last_rule(node); ++rule) {
    if (!table.usable(rule, 0)) continue;
    const io::PackedRow<text::Symbol> symbols = table.target(rule);
    target.assign(symbols.begin(), symbols.end());
    const uint32_t row = model_.labels() == nullptr
                             ? HashIndex::kNone
                             : model_.labels()->row(grammar::target_key(target));
    further.clear();
    model_.grammar().further_words(rule, source, further);
    Border border;
    if (!target.empty())
      border = {static_cast<uint32_t>(target.front()), static_cast<uint32_t>(target.back())};
    double score = model_.grammar().score(rule);
    if (model_.grammar().choices() > 0)
      score += model_.grammar().choice_score(choices.of_phrase(table, rule, begin));
    add_item(rule, score, target.size(), row, border, [&](uint32_t m, size_t i) {
      return m == 0 ? model_.grammar().lm_word(target[i]) : further[(m - 1) * target.size() + i];
    });
  }
  return close(node, begin, first);
}

template <class Word>
void ItemOptions::add_item(uint32_t rule, double score, size_t words, uint32_t target_row,
                           const Border& border, Word&& word) {
  double estimate = score;
  for (uint32_t m = 0; m < models_; ++m) {
    lm::Fragment& made = parts_.emplace_back();
    lm::FragmentScorer scorer(model_.lm(m), made);
    for (size_t i = 0; i < words; ++i) scorer.terminal(word(m, i));
    const float log10 = words == 0 ? 0.0f : scorer.finish();  // what has no words stays open
    logs_.push_back(log10);
    estimate += model_.lm_score(m, log10);
  }
  items_.push_back({score, estimate, rule, target_row, words > 0, border});
}

// Sorts the items from `first` on, best first, and drops those beyond the limit, but not all that
// have words.
ItemOptions::NodeList ItemOptions::close(uint32_t node, uint32_t begin, uint32_t first) {
  std::vector<uint32_t> best(items_.size() - first);
  std::iota(best.begin(), best.end(), first);
  std::stable_sort(best.begin(), best.end(),
                   [&](uint32_t a, uint32_t b) { return items_[a].estimate > items_[b].estimate; });
  const auto words = [&](uint32_t i) { return items_[i].words; };
  if (best.size() > settings_.table_limit) {
    const auto end = best.begin() + settings_.table_limit;
    if (std::none_of(best.begin(), end, words))
      if (const auto next = std::find_if(end, best.end(), words); next != best.end())
        std::iter_swap(end - 1, next);
    best.resize(settings_.table_limit);
  }
  std::vector<Item> items;
  std::vector<lm::Fragment> parts;
  std::vector<float> logs;
  for (const uint32_t i : best) {
    items.push_back(items_[i]);
    for (uint32_t m = 0; m < models_; ++m) {
      parts.push_back(parts_[size_t{i} * models_ + m]);
      logs.push_back(logs_[size_t{i} * models_ + m]);
    }
  }
  drop_from(first);
  items_.insert(items_.end(), items.begin(), items.end());
  parts_.insert(parts_.end(), parts.begin(), parts.end());
  logs_.insert(logs_.end(), logs.begin(), logs.end());
  return {node, begin, first, static_cast<uint32_t>(best.size())};
}

void ItemOptions::place(const NodeList& list, uint32_t begin, uint32_t end) {
  if (list.count == 0) return;
  score_place(begin, end);
  const auto first = static_cast<uint32_t>(options_.size());
  const uint32_t area = areas_->of(begin, end);
  pieces_[end].push_back({begin, end, first, first + list.count, area});
  const auto place = stride_ == 0 ? 0 : static_cast<uint32_t>(sides_.size()) - 1;
  for (uint32_t i = list.first; i < list.first + list.count; ++i) {
    const auto parts = std::span(parts_).subspan(size_t{i} * models_, models_);
    const uint32_t fragment =
        items_[i].words ? fragments_.add(parts, items_[i].border) : FragmentTable::kEmpty;
    options_.push_back({items_[i].estimate, items_[i].rule, begin, end, fragment, i, area});
    places_.push_back(place);
  }
}

// Whole zones, whose words on the target side only a hypothesis knows.
void ItemOptions::place_zones() {
  for (uint32_t zone = areas_->between_walls(); zone < areas_->size(); ++zone) {
    const Area& area = (*areas_)[zone];
    const auto item = static_cast<uint32_t>(items_.size());
    add_item(kZoneEnd, 0.0, 0, HashIndex::kNone, {}, [](uint32_t, size_t) { return 0u; });
    items_.back().words = true;
    score_place(area.begin, area.end);
    options_.push_back(
        {0.0, kZoneEnd, area.begin, area.end, FragmentTable::kEmpty, item, area.outer});
    places_.push_back(stride_ == 0 ? 0 : static_cast<uint32_t>(sides_.size()) - 1);
  }
}

// Of labels, without the target side: shared by all options of a span.  Of trees only the rows.
void ItemOptions::score_place(uint32_t begin, uint32_t end) {
  const grammar::LabelModel* labels = model_.labels();
  if (labels == nullptr) return;
  grammar::LabelKeys keys;
  grammar::place_keys(sentence_, begin, end, labels->templates(), labels->classes(), keys);
  sides_.push_back(keys[grammar::kSourceSide]);
  if (atoms_) {
    for (uint32_t t = 0; t < labels->templates(); ++t)
      place_rows_.push_back(t == grammar::kTargetSide ? HashIndex::kNone : labels->row(keys[t]));
    return;
  }
  place_scores_.resize(place_scores_.size() + stride_, 0.0f);
  const std::span<float> scores = std::span(place_scores_).last(stride_);
  for (uint32_t t = 0; t < labels->templates(); ++t)
    if (t != grammar::kTargetSide) labels->add(labels->row(keys[t]), scores);
}

// -- labels ------------------------------------------------------------------------------------

std::span<const LabelChoice> ItemOptions::choices(uint32_t option, uint32_t depth) {
  // What is deeper than any label can reach makes no difference, unless the stack must close.
  const uint32_t bucket = this->bucket(depth);
  if (bucket >= buckets_) {
    choose(option, depth, scratch_);
    return scratch_;
  }
  Choices& known = choices_[size_t{option} * buckets_ + bucket];
  if (known.first == UINT32_MAX) {
    choose(option, bucket, scratch_);
    known = {static_cast<uint32_t>(all_choices_.size()), static_cast<uint32_t>(scratch_.size())};
    all_choices_.insert(all_choices_.end(), scratch_.begin(), scratch_.end());
  }
  return std::span(all_choices_).subspan(known.first, known.count);
}

bool ItemOptions::allowed(uint32_t option, uint32_t depth, uint32_t label) const {
  const uint32_t left = words_behind(option);
  const uint32_t r = events::reductions_of(label);
  if (r > depth) return false;
  return settings_.close == Close::join ||
         events::LabelMask{depth, left, most_reductions_}.allows(label);
}

void ItemOptions::choose(uint32_t option, uint32_t depth, std::vector<LabelChoice>& out) {
  out.clear();
  if (!items_[options_[option].item].words || settings_.order == Order::monotone) {
    // Joins what is before it; the stack can still close if it could without.
    const uint32_t label = depth == 0 ? events::kShift : events::kShiftReduce;
    const uint32_t left = words_behind(option);
    const uint64_t closes = 1 + uint64_t{left} * (most_reductions_ - 1);
    if (settings_.close == Close::join || std::max(depth, 1u) <= closes) out.push_back({label, 0});
    return;
  }
  if (settings_.order == Order::all) {
    for (uint32_t label = 0; label <= 2 * most_reductions_; ++label)
      if (allowed(option, depth, label)) out.push_back({label, 0});
    return;
  }
  choose_learned(option, depth, out);
}

void ItemOptions::choose_learned(uint32_t option, uint32_t depth, std::vector<LabelChoice>& out) {
  score_item(option, depth);
  take_best(option, depth, out);
}

// Of trees: the rows of all but the stack's words and labels.
void ItemOptions::collect_item(uint32_t option, uint32_t depth) {
  const grammar::LabelModel& labels = *model_.labels();
  const size_t templates = labels.templates();
  const auto place = std::span(place_rows_).subspan(places_[option] * templates, templates);
  rows_.assign(place.begin(), place.end());
  rows_.push_back(items_[options_[option].item].target_row);
  Choices& known = known_[option];
  if (known.first == UINT32_MAX) {
    atoms_->clear();
    for (const uint32_t row : rows_) atoms_->add(row);
    known.first = static_cast<uint32_t>(all_known_.size());
    atoms_->keep(all_known_);
    known.count = static_cast<uint32_t>(all_known_.size()) - known.first;
  }
  atoms_->start_from(rows_, std::span(all_known_).subspan(known.first, known.count));
  if (labels.sees_depth()) atoms_->add(labels.depth_row(depth));
}

// Of labels, by all but the stack's words and labels.
void ItemOptions::score_item(uint32_t option, uint32_t depth) {
  if (atoms_) {
    collect_item(option, depth);
    return atoms_->score(scores_);
  }
  const grammar::LabelModel& labels = *model_.labels();
  const float* const of_place = place_scores_.data() + size_t{places_[option]} * stride_;
  std::copy(of_place, of_place + stride_, scores_.begin());
  labels.add(items_[options_[option].item].target_row, scores_);
  if (labels.sees_depth()) labels.add(labels.depth_row(depth), scores_);
}

void ItemOptions::score_state(const events::LabelState& state, std::span<float> scores) const {
  std::fill(scores.begin(), scores.end(), 0.0f);
  if (atoms_) return;  // all rows at once, later
  const grammar::LabelModel& labels = *model_.labels();
  events::StateKeys keys;
  events::own_state_keys(state, keys);
  for (uint32_t k = 0; k < events::kOwnStateTemplates; ++k) labels.add(labels.row(keys[k]), scores);
}

std::span<const LabelChoice> ItemOptions::choices(uint32_t option, const Border& border,
                                                  uint32_t depth, const events::LabelState& state,
                                                  std::span<const float> scores) {
  if (!items_[options_[option].item].words) return choices(option, depth);
  const grammar::LabelModel& labels = *model_.labels();
  events::StateKeys keys;
  events::item_state_keys(state, sides_[places_[option]], border.first, border.last, keys);
  if (atoms_) {
    events::own_state_keys(state, keys);
    collect_item(option, depth);
    for (const uint64_t key : keys) atoms_->add(labels.row(key));
    atoms_->score(scores_);
  } else {
    score_item(option, depth);
    for (uint32_t i = 0; i < stride_; ++i) scores_[i] += scores[i];
    for (uint32_t k = events::kOwnStateTemplates; k < events::kStateTemplates; ++k)
      labels.add(labels.row(keys[k]), scores_);
  }
  scratch_.clear();
  take_best(option, depth, scratch_);
  return scratch_;
}

void ItemOptions::take_best(uint32_t option, uint32_t depth, std::vector<LabelChoice>& out) {
  const grammar::LabelModel& labels = *model_.labels();
  // Labels of training; where none of these is allowed, all that are.
  const auto collect = [&](bool seen) {
    for (const uint32_t label : labels.by_frequency())
      if (labels.seen(label) == seen && allowed(option, depth, label))
        out.push_back({label, grammar::LabelModel::finite(scores_[label])});
  };
  collect(true);
  if (out.empty()) collect(false);
  std::stable_sort(out.begin(), out.end(), [](const LabelChoice& a, const LabelChoice& b) {
    return a.logprob > b.logprob;
  });
  double total = 0;
  const float best = out.empty() ? 0.0f : out.front().logprob;
  for (LabelChoice& each : out) {
    each.logprob = static_cast<float>((each.logprob - best) / labels.temperature());
    total += std::exp(static_cast<double>(each.logprob));
  }
  for (LabelChoice& each : out) each.logprob -= static_cast<float>(std::log(total));
  if (settings_.labels != 0 && out.size() > settings_.labels) out.resize(settings_.labels);
}

}  // namespace demotic::decode::amasis
