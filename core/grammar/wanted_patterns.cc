#include "grammar/wanted_patterns.h"

#include <algorithm>

namespace demotic::grammar {

namespace {

constexpr uint32_t kWidest = 30;  // words of a sentence that a pattern with gaps may span

}  // namespace

WantedPatterns::WantedPatterns(const AlignedText& text, uint32_t span)
    : text_(text), span_(std::min(span, kWidest)), words_(text.source_vocab().size(), 0) {}

void WantedPatterns::add(std::span<const uint32_t> sentence) {
  const text::SuffixArray& array = text_.source();
  const uint32_t longest = std::min(text_.options().rules.max_symbols, kMaxRun);
  sentence_ = sentence;
  ranges_.assign(sentence.size(), {});
  for (size_t begin = 0; begin < sentence.size(); ++begin) {
    Range range = array.all();
    for (size_t at = begin; at < std::min(sentence.size(), begin + longest); ++at) {
      if (sentence[at] == text::kEnd || sentence[at] >= words_.size()) break;
      range = array.narrow(range, static_cast<uint32_t>(at - begin), sentence[at]);
      if (range.empty()) break;
      ranges_[begin].push_back(range);
    }
    if (!ranges_[begin].empty()) words_[sentence[begin]] = 1;
  }
  for (uint32_t begin = 0; begin < sentence.size(); ++begin) go_on({{}, begin, 0, 0, 0, {}}, begin);
}

// Puts runs that begin at `at` behind what there is, and further ones behind these.
void WantedPatterns::go_on(const Made& made, uint32_t at) {
  const HieroOptions& rules = text_.options().rules;
  Made longer = made;
  ++longer.runs;
  const auto& ranges = ranges_[at];
  for (uint32_t words = 1; words <= ranges.size(); ++words) {
    if (++longer.symbols > rules.max_symbols) return;
    longer.hash.add_word(sentence_[at + words - 1]);
    const Run run{ranges[words - 1], words};
    Made with = longer;
    if (with.runs == 1 || run.range.size() < with.rarest.range.size()) {
      with.anchor = with.runs - 1;
      with.rarest = run;
    }
    add_pattern(with);
    if (with.runs > rules.max_nonterminals || with.symbols + 2 > rules.max_symbols) continue;
    with.hash.add_gap();
    ++with.symbols;
    const size_t end = std::min<size_t>(ranges_.size(), size_t{with.begin} + span_);
    for (uint32_t next = at + words + 1; next < end; ++next)
      if (!ranges_[next].empty()) go_on(with, next);
  }
}

void WantedPatterns::add_pattern(const Made& made) {
  const uint64_t hash = made.hash.value();
  const auto next = static_cast<uint32_t>(patterns_.size());
  if (index_.find_or_add(hash, next, [&](uint32_t i) { return patterns_[i].hash == hash; }) != next)
    return;
  const uint64_t all = made.rarest.range.size();
  const uint64_t seen = std::min<uint64_t>(all, std::max(1u, text_.options().sample));
  patterns_.push_back({hash, made.anchor, static_cast<double>(all) / static_cast<double>(seen)});
  runs_.push_back(made.rarest);
}

void WantedPatterns::finish() {
  const auto order = [](const Run& a, const Run& b) {
    return a.range.begin != b.range.begin ? a.range.begin < b.range.begin : a.words < b.words;
  };
  std::sort(runs_.begin(), runs_.end(), order);
  runs_.erase(std::unique(runs_.begin(), runs_.end(),
                          [&](const Run& a, const Run& b) { return !order(a, b) && !order(b, a); }),
              runs_.end());
  for (const Run& run : runs_) {
    const uint64_t all = run.range.size();
    const uint64_t seen = std::min<uint64_t>(all, std::max(1u, text_.options().sample));
    for (uint64_t i = 0; i < seen; ++i)
      places_.push_back({text_.source().place(run.range.begin + i * all / seen), run.words});
  }
  runs_ = {};
  std::sort(places_.begin(), places_.end(), [](const Place& a, const Place& b) {
    return a.place != b.place ? a.place < b.place : a.words < b.words;
  });
}

const WantedPatterns::Pattern* WantedPatterns::find(uint64_t hash) const {
  const uint32_t number = index_.find(hash, [&](uint32_t i) { return patterns_[i].hash == hash; });
  return number == HashIndex::kNone ? nullptr : &patterns_[number];
}

}  // namespace demotic::grammar
