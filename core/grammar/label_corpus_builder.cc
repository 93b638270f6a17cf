#include "grammar/label_corpus_builder.h"

#include <algorithm>

#include "events/stack_labels.h"
#include "io/error.h"

namespace demotic::grammar {

LabelCorpusBuilder::LabelCorpusBuilder(const LabelOptions& options, const ItgOptions& items)
    : options_(options), extract_(items) {
  if (!is_template_set(options.templates))
    throw io::Error(io::Fault::argument, "there are no such features");
  if ((options.templates == kClassTemplates) == options.classes.empty())
    throw io::Error(io::Fault::argument, "classes of words go with the features that look at them");
  made_.train.width = made_.held_out.width = options.templates;
}

uint32_t LabelCorpusBuilder::number_of(uint64_t key, bool counts) {
  const auto next = static_cast<uint32_t>(keys_.size());
  const uint32_t number =
      index_.find_or_add(key, next, [&](uint32_t i) { return keys_[i] == key; });
  if (number == next) {
    keys_.push_back(key);
    counts_.push_back(0);
  }
  if (counts) ++counts_[number];
  return number;
}

bool LabelCorpusBuilder::is_beyond() const {
  const uint32_t most = options_.max_reductions;
  return most != 0 && std::ranges::any_of(extract_.items(), [&](const ItgItem& item) {
           return events::reductions_of(item.label) > most;
         });
}

void LabelCorpusBuilder::add(const text::TokenLines& source, const text::TokenLines& target,
                             const align::Links& links, size_t begin, size_t end) {
  if (end > links.size() || end > source.size() || end > target.size() || begin > end)
    throw io::Error(io::Fault::argument, "links and texts differ in their number of lines");
  for (size_t line = begin; line < end; ++line) {
    for (const align::Link& link : links[line])
      if (link.source >= source[line].size() || link.target >= target[line].size())
        throw io::Error(io::Fault::format, "a link outside its sentences", line + 1);
    if (!extract_(static_cast<uint32_t>(source[line].size()),
                  static_cast<uint32_t>(target[line].size()), links[line])) {
      ++made_.skipped;
      continue;
    }
    if (is_beyond()) {
      ++made_.beyond;
      continue;
    }
    const bool held = options_.holdout != 0 && ++sentences_ % options_.holdout == 0;
    add_sentence(held ? made_.held_out : made_.train, source[line], target[line]);
    if (held || extract_.composed().empty()) continue;
    extract_.take_composed();  // a sentence may come in any cut
    if (!is_beyond()) add_sentence(made_.train, source[line], target[line]);
  }
}

void LabelCorpusBuilder::add_sentence(events::LabelCorpus& corpus, std::span<const uint32_t> source,
                                      std::span<const uint32_t> target) {
  const bool train = &corpus == &made_.train;
  bool words_before = false;  // has the stack anything but empty fragments?
  LabelKeys keys;
  stack_.clear();
  for (size_t i = 0; i < extract_.items().size(); ++i) {
    const ItgItem& item = extract_.items()[i];
    const bool forced = item.is_empty() || (i > 0 && !words_before);
    words_before = words_before || !item.is_empty();
    if (item.label > UINT8_MAX)
      throw io::Error(io::Fault::argument, "a label of more than 127 reductions", 0,
                      "set a limit to the reductions of a label");
    corpus.gold.push_back(static_cast<uint8_t>(item.label));
    corpus.forced.push_back(forced);
    corpus.empty.push_back(item.is_empty());
    if (train && !forced) {
      if (item.label >= corpus.label_counts.size()) corpus.label_counts.resize(item.label + 1);
      ++corpus.label_counts[item.label];
    }
    if (options_.words || options_.stack) {
      corpus.sides.push_back(
          LabelKey(kSourceSide).all(source.subspan(item.source_begin, item.source_size())).value());
      add_words(corpus, item, target, forced, train);
    }
    if (forced) {
      corpus.rows.resize(corpus.rows.size() + options_.templates, events::kNoRow);
      continue;
    }
    place_keys(source, item.source_begin, item.source_end, options_.templates, {options_.classes},
               keys);
    keys[kTargetSide] = target_key(target.subspan(item.target_begin, item.target_size()));
    for (uint32_t t = 0; t < options_.templates; ++t)
      corpus.rows.push_back(number_of(keys[t], train));
  }
  corpus.ends.push_back(corpus.gold.size());
}

void LabelCorpusBuilder::add_words(events::LabelCorpus& corpus, const ItgItem& item,
                                   std::span<const uint32_t> target, bool forced, bool train) {
  const std::span<const uint32_t> own = target.subspan(item.target_begin, item.target_size());
  const auto number = static_cast<uint32_t>(corpus.word_ends.size());
  corpus.words.insert(corpus.words.end(), own.begin(), own.end());
  corpus.word_ends.push_back(corpus.words.size());
  corpus.places.push_back(item.target_begin);
  if (!options_.stack) return;
  if (train && !forced) {
    events::StateKeys keys;
    events::state_keys(stack_.state(), corpus.sides.back(), own.front(), own.back(), keys);
    for (const uint64_t key : keys) number_of(key, true);
  }
  stack_.take(number, own, item.label, forced);
}

void LabelCorpusBuilder::renumber(events::LabelCorpus& corpus,
                                  std::span<const uint32_t> rows) const {
  for (uint32_t& row : corpus.rows)
    if (row != events::kNoRow) row = rows[row];
}

LabelCorpora LabelCorpusBuilder::finish() {
  // Ids are contiguous up to the largest number of reductions.
  std::vector<uint64_t>& counts = made_.train.label_counts;
  const uint32_t most =
      counts.empty() ? 0 : events::reductions_of(static_cast<uint32_t>(counts.size()) - 1);
  if (most == 0)
    throw io::Error(io::Fault::argument,
                    "no two items were ever joined: there is no order to learn", 0,
                    "give text of longer sentences, with links");
  counts.resize(2 * most + 1);
  made_.held_out.label_counts = counts;

  std::vector<uint32_t> rows(keys_.size(), events::kNoRow);
  for (size_t i = 0; i < keys_.size(); ++i) {
    const uint32_t least = keys_[i] == LabelKey(kBias).value() ? 1 : options_.min_count;
    if (counts_[i] < least) continue;
    rows[i] = static_cast<uint32_t>(made_.keys.size());
    made_.keys.push_back(keys_[i]);
  }
  for (events::LabelCorpus* corpus : {&made_.train, &made_.held_out}) {
    renumber(*corpus, rows);
    corpus->features = static_cast<uint32_t>(made_.keys.size());
  }
  if (options_.stack)
    made_.train.state_rows = made_.held_out.state_rows =
        std::make_shared<const events::LabelRows>(made_.keys);
  return std::move(made_);
}

}  // namespace demotic::grammar
