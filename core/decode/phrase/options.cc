#include "decode/phrase/options.h"

#include <algorithm>
#include <cstring>
#include <limits>

namespace demotic::decode::phrase {

void PhraseOptions::forget() {
  drop_from(0);
  reorderings_.clear();
  orders_.clear();
  lists_by_node_.clear();
  nodes_.clear();
  kept_options_ = 0;
  next_classes_.assign(1, {});
  next_index_.clear();
}

void PhraseOptions::find(const SourceSentence& sentence) {
  // Words that passed through were those of the last sentence.
  drop_from(kept_options_);
  if (model_.lexicalised()) {
    reorderings_.resize(kept_options_);
    orders_.resize(grammar::kOrientations * kept_options_);
  }
  const bool choices = model_.grammar().choices() > 0;
  if (choices || kept_options_ > kMostKept) forget();

  const grammar::RuleTable& table = model_.table();
  const auto words = static_cast<uint32_t>(sentence.source.size());
  rows_.assign(1, 0);
  lists_.clear();
  deepest_ = 0;
  for (uint32_t begin = 0; begin < words; ++begin) {
    const size_t first = lists_.size();
    size_t last = first + 1;  // behind the longest span that has options
    uint32_t node = grammar::RuleTable::kRoot;
    for (uint32_t end = begin; end < words; ++end) {
      // An unknown word is id 0, which is in no rule.
      node = sentence.source[end] == text::kUnknown
                 ? grammar::RuleTable::kNone
                 : table.step(node, static_cast<text::Symbol>(sentence.source[end]));
      if (node == grammar::RuleTable::kNone) break;
      lists_.push_back(of_node(node, choices ? begin : 0, sentence.choices));
      if (lists_.back().count > 0) last = lists_.size();
    }
    lists_.resize(last);
    rows_.push_back(static_cast<uint32_t>(lists_.size()));
    deepest_ = std::max(deepest_, depth(begin));
  }
  kept_options_ = options_.size();
  for (uint32_t begin = 0; begin < words; ++begin)
    if (OptionList& single = lists_[rows_[begin]]; single.count == 0)
      single = pass_through(sentence, begin);
}

OptionList PhraseOptions::of_node(uint32_t node, uint32_t begin, const SentenceChoices& choices) {
  const auto next = static_cast<uint32_t>(lists_by_node_.size());
  const uint32_t number =
      nodes_.find_or_add(io::mix64(uint64_t{begin} << 32 | node), next, [&](uint32_t i) {
        return lists_by_node_[i].node == node && lists_by_node_[i].begin == begin;
      });
  if (number == next) lists_by_node_.push_back({node, begin, make(node, begin, choices)});
  return lists_by_node_[number].list;
}

OptionList PhraseOptions::make(uint32_t node, uint32_t begin, const SentenceChoices& choices) {
  const grammar::RuleTable& table = model_.table();
  const auto first = static_cast<uint32_t>(options_.size());
  if (!table.owns_rules(node)) return close(first);
  source_.clear();
  if (model_.grammar().sees_units()) source_ = table.source_of(node);
  for (uint32_t rule = table.first_rule(node); rule < table.last_rule(node); ++rule) {
    if (!table.usable(rule, 0)) continue;
    words_.clear();
    for (const text::Symbol symbol : table.target(rule))
      words_.push_back(model_.grammar().lm_word(symbol));
    further_words_.clear();
    model_.grammar().further_words(rule, source_, further_words_);
    double score = model_.grammar().score(rule);
    if (model_.grammar().choices() > 0)
      score += model_.grammar().choice_score(choices.of_phrase(table, rule, begin));
    add(rule, score, words_, further_words_);
  }
  return close(first);
}

OptionList PhraseOptions::pass_through(const SourceSentence& sentence, uint32_t place) {
  const auto first = static_cast<uint32_t>(options_.size());
  const uint32_t passed = sentence.lm[place];
  const uint32_t models = model_.grammar().further();
  add(kPassThrough, model_.grammar().score(kPassThrough, passed), {&passed, 1},
      std::span(sentence.further).subspan(size_t{place} * models, models));
  return close(first);
}

void PhraseOptions::drop_from(size_t option) {
  options_.resize(option);
  fragments_.resize(option);
  further_fragments_.resize(option * model_.grammar().further());
  further_logs_.resize(option * model_.grammar().further());
}

void PhraseOptions::add(uint32_t rule, double score, std::span<const uint32_t> lm_words,
                        std::span<const uint32_t> further_words) {
  lm::Fragment fragment;
  float lm = 0;
  if (model_.grammar().lm() != nullptr) {
    lm::FragmentScorer scorer(*model_.grammar().lm(), fragment);
    for (const uint32_t word : lm_words) scorer.terminal(word);
    lm = scorer.finish();
    ++scored_;
  } else {
    std::memset(&fragment, 0, sizeof fragment);
  }
  double further = 0;
  for (uint32_t model = 0; model < model_.grammar().further(); ++model) {
    lm::Fragment& made = further_fragments_.emplace_back();
    lm::FragmentScorer scorer(model_.grammar().further_lm(model), made);
    for (const uint32_t word : further_words.subspan(model * lm_words.size(), lm_words.size()))
      scorer.terminal(word);
    further_logs_.push_back(scorer.finish());
    further += model_.grammar().further_score(model, further_logs_.back());
  }
  const double estimate = score + model_.grammar().lm_score(lm) + further;
  options_.push_back({score, estimate, rule, 0, lm, static_cast<float>(further)});
  fragments_.push_back(fragment);
}

// Sorts the options from `first` on, best first, and drops those beyond the limit.
OptionList PhraseOptions::close(uint32_t first) {
  const auto found = static_cast<uint32_t>(options_.size()) - first;
  if (found == 0) return {first, 0, 0};
  candidates_.clear();
  for (uint32_t i = first; i < first + found; ++i) candidates_.push_back({options_[i].estimate, i});
  const uint32_t count = std::min(found, most_);
  std::partial_sort(candidates_.begin(), candidates_.begin() + count, candidates_.end(),
                    [](const Candidate& a, const Candidate& b) {
                      return a.estimate != b.estimate ? a.estimate > b.estimate
                                                      : a.number < b.number;
                    });
  std::vector<PhraseOption> options;
  std::vector<lm::Fragment> fragments, more_fragments;
  std::vector<float> more_logs;
  const auto append = [](auto& to, const auto& from) {
    to.insert(to.end(), from.begin(), from.end());
  };
  for (uint32_t i = 0; i < count; ++i) {
    const uint32_t number = candidates_[i].number;
    options.push_back(options_[number]);
    fragments.push_back(fragments_[number]);
    append(more_fragments, further_fragments(number));
    append(more_logs, further_logs(number));
  }
  drop_from(first);
  append(options_, options);
  append(fragments_, fragments);
  append(further_fragments_, more_fragments);
  append(further_logs_, more_logs);
  const OptionList list{first, count, options.front().estimate};
  if (!model_.lexicalised()) return list;

  for (uint32_t i = first; i < first + count; ++i) {
    reorderings_.push_back(model_.reordering(options_[i].rule));
    options_[i].next = next_class(options_[i].rule);
  }
  for (size_t o = 0; o < grammar::kOrientations; ++o) {
    const auto begin = static_cast<ptrdiff_t>(orders_.size());
    for (uint32_t i = first; i < first + count; ++i) orders_.push_back(i);
    std::sort(orders_.begin() + begin, orders_.end(), [&](uint32_t a, uint32_t b) {
      const double one = options_[a].estimate + reorderings_[a].previous[o];
      const double other = options_[b].estimate + reorderings_[b].previous[o];
      return one != other ? one > other : a < b;
    });
  }
  return list;
}

// Class 0: all zeros.  By the columns themselves, so that features agree as scores do.
uint32_t PhraseOptions::next_class(uint32_t rule) {
  const std::array<float, grammar::kOrientations> raw = model_.raw_reordering(rule).next;
  if (raw == next_classes_[0]) return 0;
  const auto next = static_cast<uint32_t>(next_classes_.size());
  const uint32_t number =
      next_index_.find_or_add(io::checksum64(raw.data(), sizeof raw), next,
                              [&](uint32_t i) { return next_classes_[i] == raw; });
  if (number == next) next_classes_.push_back(raw);
  return number;
}

void FutureCosts::compute_leaps(const PhraseModel& model, const PhraseOptions& options) {
  distance_ = -model.distortion(0, 1);
  leave_ = 0;
  if (!model.lexicalised()) return;
  constexpr auto kMonotone = static_cast<size_t>(grammar::Orientation::monotone);
  constexpr auto kSwap = static_cast<size_t>(grammar::Orientation::swap);
  constexpr auto kOther = static_cast<size_t>(grammar::Orientation::other);
  const auto loss = [](const std::array<float, grammar::kOrientations>& scores) {
    return std::max(scores[kSwap], scores[kOther]) - scores[kMonotone];
  };
  double sum = 0;
  uint32_t lists = 0;
  for (uint32_t begin = 0; begin < words_; ++begin)
    for (uint32_t length = 1; length <= options.depth(begin); ++length) {
      const OptionList& list = options.at(begin, length);
      if (list.count == 0) continue;
      const Reordering& best = options.reordering(list.first);
      sum += loss(best.previous) + loss(best.next);
      ++lists;
    }
  leave_ = std::min(0.0, 0.5 * sum / lists);
}

void FutureCosts::compute(const PhraseModel& model, const PhraseOptions& options, uint32_t words,
                          uint32_t limit) {
  words_ = words;
  limit_ = std::min(limit, words);
  compute_leaps(model, options);
  constexpr double kNever = -std::numeric_limits<double>::infinity();
  tail_.assign(words + size_t{1}, kNever);
  tail_[words] = 0;
  inner_.assign((words + size_t{1}) * (limit_ + 1), kNever);
  const size_t row = limit_ + size_t{1};
  inner_[words * row] = 0;
  for (uint32_t begin = words; begin-- > 0;) {
    inner_[begin * row] = 0;
    for (uint32_t length = 1; length <= options.depth(begin); ++length) {
      const OptionList& list = options.at(begin, length);
      if (list.count == 0) continue;
      tail_[begin] = std::max(tail_[begin], list.best + tail_[begin + length]);
      for (uint32_t all = length; all <= limit_ && begin + all <= words; ++all)
        inner_[begin * row + all] = std::max(
            inner_[begin * row + all], list.best + inner_[(begin + length) * row + all - length]);
    }
  }
}

}  // namespace demotic::decode::phrase
