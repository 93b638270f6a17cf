// A bitext with its word links in one mapped file, and where each sequence of words stands in it:
// what rules are made from when they are wanted (lazy_rules.h).
//
//   AlignedTextOptions options{...};
//   write_aligned_text(path, source_vocab, target_vocab, source, target, links, options, threads);
//   AlignedText text(path);
//   text.source().narrow(...), text.line_of(place), text.read(line, pair)
//
// Sections: PREFIX.words, PREFIX.ends and PREFIX.places of both sides, numbers of one to four bytes
// (the words of a sentence, then 0; where that 0 is; the suffix array), links as two bytes or two
// numbers of two, and where those of each pair end.  Damaged bytes give wrong words or an
// Error(corrupt), never a look outside.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "align/links.h"
#include "grammar/hiero_extract.h"
#include "grammar/rule_scorer.h"
#include "io/container.h"
#include "text/suffix_array.h"
#include "text/token_lines.h"

namespace demotic::grammar {

// Which rules there are, and what they get: as for a table of all rules.
struct LazyOptions {
  HieroOptions rules;
  RuleChoice choice;
  RuleExtras extras;
  uint32_t sample = 100;  // places of a sequence of words that are looked at, at most
};

void write_aligned_text(const std::string& path, const text::Vocab& source_vocab,
                        const text::Vocab& target_vocab, const text::TokenLines& source,
                        const text::TokenLines& target, const align::Links& links,
                        const LazyOptions& options, unsigned threads);

// One sentence pair, out of the file.
struct AlignedPair {
  std::vector<uint32_t> source, target;
  std::vector<align::Link> links;
};

class AlignedText {
 public:
  static constexpr uint32_t kVersion = 1;

  // Compares the file with its checksums and checks everything; without `verify`, if it is small.
  explicit AlignedText(const std::string& path, std::optional<bool> verify = {});

  size_t size() const { return source_.ends.size(); }  // sentence pairs
  const LazyOptions& options() const { return options_; }
  const std::array<uint64_t, 2 * kOrientations>& orientations() const { return orientations_; }
  const text::SuffixArray& source() const { return source_.array; }
  const text::SuffixArray& target() const { return target_.array; }
  text::VocabView source_vocab() const { return source_.vocab; }
  text::VocabView target_vocab() const { return target_.vocab; }

  size_t line_of(uint32_t place) const;  // of a word of the source side
  uint32_t begin_of(size_t line) const { return source_.begin_of(line); }
  void read(size_t line, AlignedPair& out) const;

 private:
  struct Side {
    text::VocabView vocab;
    io::PackedInts<uint32_t> words, ends;
    text::SuffixArray array;

    Side() = default;
    Side(const io::Container& file, const std::string& prefix, std::span<const uint32_t> widths);
    uint32_t begin_of(size_t line) const { return line == 0 ? 0 : ends[line - 1] + 1; }
    void read(size_t line, std::vector<uint32_t>& out) const;
    bool is_sound() const;
  };

  std::shared_ptr<const io::Container> file_;
  LazyOptions options_;
  std::array<uint64_t, 2 * kOrientations> orientations_{};
  Side source_, target_;
  std::span<const uint8_t> links_;
  uint32_t link_bytes_ = 2;
  std::span<const uint64_t> link_ends_;
};

}  // namespace demotic::grammar
