#include "grammar/lazy_rules.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "grammar/rule_counts.h"
#include "grammar/rule_key.h"
#include "grammar/rule_sums.h"
#include "grammar/wanted_patterns.h"
#include "parallel.h"
#include "text/vocab.h"

namespace demotic::grammar {

namespace {

using Pair = HieroExtractor::Pair;

constexpr size_t kMostCells = size_t{1} << 26;  // of a sentence pair that is looked at

// Extracts what is wanted from sentence pairs, one after the other.
class Searcher {
 public:
  Searcher(const AlignedText& text, const WantedPatterns& wanted)
      : text_(text), wanted_(wanted), extract_(text.options().rules), counts_(true) {}

  // All places of one line.
  void look_at(size_t line, std::span<const WantedPatterns::Place> places) {
    text_.read(line, pair_);
    const size_t size = pair_.source.size();
    if ((size + 1) * (pair_.target.size() + 1) > kMostCells) return;
    anchors_.assign(size, 0);
    for (const auto& [place, words] : places)
      if (place - text_.begin_of(line) < size)
        anchors_[place - text_.begin_of(line)] |= uint64_t{1} << (words - 1);
    known_before_.assign(size + 1, 0);
    anchors_before_.assign(size + 1, 0);
    for (size_t at = 0; at < size; ++at) {
      known_before_[at + 1] = known_before_[at] + (wanted_.has_word(pair_.source[at]) ? 1 : 0);
      anchors_before_[at + 1] = anchors_before_[at] + (anchors_[at] != 0 ? 1 : 0);
    }
    extract_.wanted(
        pair_.source, pair_.target, pair_.links,
        [&](const Pair& pair) {
          return anchors_before_[pair.source_begin] < anchors_before_[pair.source_end];
        },
        [&](const Pair& pair, std::span<const Pair> holes) { return is_wanted(pair, holes); },
        [&](const ExtractedRule& rule) { counts_.add(rule, static_cast<uint32_t>(line)); });
  }

  RuleCounts& counts() { return counts_; }

 private:
  uint32_t known(const Pair& pair) const {
    return known_before_[pair.source_end] - known_before_[pair.source_begin];
  }

  bool is_wanted(const Pair& pair, std::span<const Pair> holes) const {
    uint32_t words = pair.source_size(), known_words = known(pair);
    for (const Pair& hole : holes) {
      words -= hole.source_size();
      known_words -= known(hole);
    }
    if (words != known_words) return false;
    struct Run {
      uint32_t begin, words;
    };
    std::array<Run, kMaxExtracted + 1> runs;
    uint32_t count = 0;
    PatternHash hash;
    const auto add_run = [&](uint32_t begin, uint32_t end) {
      if (begin == end) return;
      if (count > 0) hash.add_gap();
      for (uint32_t at = begin; at < end; ++at) hash.add_word(pair_.source[at]);
      runs[count++] = {begin, end - begin};
    };
    uint32_t at = pair.source_begin;
    for (const Pair& hole : holes) {
      add_run(at, hole.source_begin);
      at = hole.source_end;
    }
    add_run(at, pair.source_end);
    const WantedPatterns::Pattern* pattern = wanted_.find(hash.value());
    if (pattern == nullptr || pattern->anchor >= count) return false;
    const Run anchor = runs[pattern->anchor];
    return anchor.words <= WantedPatterns::kMaxRun &&
           (anchors_[anchor.begin] >> (anchor.words - 1) & 1) != 0;
  }

  const AlignedText& text_;
  const WantedPatterns& wanted_;
  HieroExtractor extract_;
  RuleCounts counts_;
  AlignedPair pair_;
  std::vector<uint64_t> anchors_;  // by source word: lengths of anchors that begin there, as bits
  std::vector<uint32_t> anchors_before_, known_before_;
};

SummedRows search(const AlignedText& text, const WantedPatterns& wanted, unsigned threads) {
  struct Line {
    size_t number;
    std::span<const WantedPatterns::Place> places;
  };
  std::vector<Line> lines;
  const auto places = wanted.places();
  for (size_t begin = 0, end; begin < places.size(); begin = end) {
    const size_t line = text.line_of(places[begin].place);
    for (end = begin + 1; end < places.size() && text.line_of(places[end].place) == line;) ++end;
    lines.push_back({line, places.subspan(begin, end - begin)});
  }
  std::vector<Searcher> searchers(std::max(1u, threads), Searcher(text, wanted));
  constexpr size_t kChunk = 64;
  parallel_for((lines.size() + kChunk - 1) / kChunk, std::max(1u, threads),
               [&](size_t chunk, unsigned worker) {
                 const size_t last = std::min(lines.size(), (chunk + 1) * kChunk);
                 for (size_t at = chunk * kChunk; at < last; ++at)
                   searchers[worker].look_at(lines[at].number, lines[at].places);
               });
  RuleParts parts(1);
  for (Searcher& searcher : searchers) searcher.counts().spill(parts, 0);
  searchers.clear();
  const std::vector<RulePart> found = parts.take();
  RuleSums sums(text.options().choice.min_sentences);
  for (const RulePart& part : found) sums.add(part.columns.view());
  return sums.finish();
}

// How often the rarest run of words of a target side stands in the target text.
class TargetCounts {
 public:
  explicit TargetCounts(const text::SuffixArray& array) : array_(array) {}

  uint64_t operator()(std::string_view target) {
    const auto next = static_cast<uint32_t>(counts_.size());
    const uint32_t number = index_.find_or_add(
        text::hash_word(target), next, [&](uint32_t i) { return counts_[i].first == target; });
    if (number == next) counts_.emplace_back(target, count(target));
    return counts_[number].second;
  }

 private:
  uint64_t count(std::string_view target) const {
    uint64_t rarest = array_.words();
    text::SuffixArray::Range range = array_.all();
    uint32_t words = 0;
    for_each_symbol(target, [&](text::Symbol symbol) {
      if (!text::is_word(symbol)) {
        range = array_.all();
        words = 0;
        return;
      }
      range = array_.narrow(range, words++, static_cast<uint32_t>(symbol));
      rarest = std::min(rarest, range.empty() ? 0 : range.size());
    });
    return rarest;
  }

  const text::SuffixArray& array_;
  HashIndex index_;
  std::vector<std::pair<std::string_view, uint64_t>> counts_;  // of the columns' bytes
};

// Words of the text that a column has, under numbers of their own, in the same order.
class FewWords {
 public:
  FewWords(const BinaryColumn& column, size_t rows, text::VocabView vocab) {
    for (size_t row = 0; row < rows; ++row)
      for_each_symbol(column.view()[row], [&](text::Symbol symbol) {
        if (text::is_word(symbol)) words_.push_back(static_cast<uint32_t>(symbol));
      });
    std::sort(words_.begin(), words_.end());
    words_.erase(std::unique(words_.begin(), words_.end()), words_.end());
    for (const uint32_t word : words_) numbers_.push_back(few_.add(vocab.word(word)));
  }

  text::VocabView vocab() const { return few_.view(); }
  void rewrite(std::string_view key, std::vector<char>& out) const {
    out.clear();
    for_each_symbol(key, [&](text::Symbol symbol) {
      if (text::is_word(symbol)) {
        const auto at =
            std::lower_bound(words_.begin(), words_.end(), static_cast<uint32_t>(symbol));
        symbol = static_cast<text::Symbol>(numbers_[at - words_.begin()]);
      }
      put_symbol(symbol, out);
    });
  }

 private:
  std::vector<uint32_t> words_, numbers_;
  text::Vocab few_;
};

uint64_t pattern_of(std::string_view source) {
  PatternHash hash;
  bool gap = false, words = false;
  for_each_symbol(source, [&](text::Symbol symbol) {
    if (!text::is_word(symbol)) {
      gap = words;
      return;
    }
    if (std::exchange(gap, false)) hash.add_gap();
    hash.add_word(static_cast<uint32_t>(symbol));
    words = true;
  });
  return hash.value();
}

}  // namespace

LazyRules::LazyRules(const AlignedText& text, const align::LexicalTable& lexical, uint32_t span)
    : text_(text), lexical_(lexical), span_(span) {}

void LazyRules::write(const std::vector<std::vector<std::string>>& sentences,
                      const std::string& path, unsigned threads) const {
  WantedPatterns wanted(text_, span_);
  std::vector<uint32_t> words;
  for (const std::vector<std::string>& sentence : sentences) {
    words.clear();
    for (const std::string& word : sentence) words.push_back(text_.source_vocab().find(word));
    wanted.add(words);
  }
  wanted.finish();
  const SummedRows found = search(text_, wanted, threads);
  const RuleColumns& columns = found.columns;
  const size_t rows = columns.rows();
  const FewWords source(columns.source, rows, text_.source_vocab());
  const FewWords target(columns.target, rows, text_.target_vocab());
  RuleTableBuilder builder(path, {"X"}, RuleScorer::feature_names(text_.options().extras),
                           source.vocab(), target.vocab());
  const RuleLexicon lexicon(lexical_, source.vocab(), target.vocab());
  RuleScorer scorer(builder, lexicon, text_.options().choice, text_.options().extras);
  if (text_.options().extras.orientations) scorer.use_orientations(text_.orientations());
  TargetCounts target_counts(text_.target());
  std::vector<char> source_key, target_key;
  for (size_t begin = 0, end; begin < rows; begin = end) {
    const std::string_view f = columns.source.view()[begin], e = columns.target.view()[begin];
    int64_t mass = 0, seen = 0;
    for (end = begin;
         end < rows && columns.source.view()[end] == f && columns.target.view()[end] == e &&
         found.totals[end] != 0 && (end == begin || found.totals[begin] != 0);
         ++end) {
      mass += columns.mass[end];
      seen += columns.sentences[end];
    }
    end = std::max(end, begin + 1);
    int64_t total = 0;
    if (found.totals[begin] != 0) {
      const WantedPatterns::Pattern* pattern = wanted.find(pattern_of(f));
      const double weight = pattern == nullptr ? 1 : pattern->weight;
      const double each =
          static_cast<double>(mass) / static_cast<double>(std::max<int64_t>(1, seen));
      const double all = static_cast<double>(target_counts(e)) / weight * each;
      total = std::max(mass, static_cast<int64_t>(std::min(all, 4e18)));
    }
    source.rewrite(f, source_key);
    target.rewrite(e, target_key);
    for (size_t row = begin; row < end; ++row)
      scorer.add({source_key.data(), source_key.size()}, {target_key.data(), target_key.size()},
                 columns.links.view()[row], columns.mass[row], columns.origins.view()[row], total);
  }
  scorer.finish();
  builder.finish();
}

}  // namespace demotic::grammar
