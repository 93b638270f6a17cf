// The source sides that can match some sentences, as far as their words are in a text, and where in
// the text rules with these source sides are looked for: the first half of lazy_rules.h.
//
//   WantedPatterns wanted(text, span);
//   wanted.add(words);  ...                        of each sentence, ids of the text
//   wanted.finish();
//   wanted.places()                                anchors to look at, ascending
//   wanted.find(hash)                              of a pattern: its anchor, what a place stands
//   for
//
// A pattern is a source side without nonterminals at its edges; a rule with them is wanted wherever
// the pattern is.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "grammar/aligned_text.h"
#include "hash_index.h"
#include "io/checksum.h"

namespace demotic::grammar {

// Patterns are known by hashes of their symbols, from left to right.
class PatternHash {
 public:
  void add_word(uint32_t word) { add(word); }
  void add_gap() { add(uint64_t{1} << 32); }
  uint64_t value() const { return value_; }

 private:
  void add(uint64_t symbol) { value_ = io::mix64(value_ ^ (symbol + 1) * 0x9e3779b97f4a7c15ull); }

  uint64_t value_ = 0x243f6a8885a308d3ull;
};

class WantedPatterns {
 public:
  static constexpr uint32_t kMaxRun = 64;  // words; longer ones are not looked for

  struct Pattern {
    uint64_t hash;
    uint32_t anchor;  // which of its runs is the rarest
    double weight;    // places of the anchor for each that is looked at
  };
  struct Place {
    uint32_t place;  // in the text
    uint32_t words;  // of the anchor
  };

  WantedPatterns(const AlignedText& text, uint32_t span);

  void add(std::span<const uint32_t> sentence);
  void finish();

  bool has_word(uint32_t word) const { return word < words_.size() && words_[word] != 0; }
  std::span<const Place> places() const { return places_; }
  const Pattern* find(uint64_t hash) const;

 private:
  using Range = text::SuffixArray::Range;
  struct Run {
    Range range;
    uint32_t words;
  };
  // A pattern that is being made from left to right.
  struct Made {
    PatternHash hash;
    uint32_t begin;  // in the sentence
    uint32_t runs, symbols;
    uint32_t anchor;
    Run rarest;
  };

  void go_on(const Made& made, uint32_t at);
  void add_pattern(const Made& made);

  const AlignedText& text_;
  uint32_t span_;
  std::vector<char> words_;  // by id: does a sentence have it?

  std::span<const uint32_t> sentence_;      // at hand
  std::vector<std::vector<Range>> ranges_;  // of its runs: by beginning and length - 1
  std::vector<Pattern> patterns_;
  HashIndex index_;        // of patterns
  std::vector<Run> runs_;  // anchors
  std::vector<Place> places_;
};

}  // namespace demotic::grammar
