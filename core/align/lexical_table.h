// Lexical translation tables w(e|f) and w(f|e) as relative frequencies of word links (Koehn, Och
// and Marcu 2003, section 2.4), equal to the lex.f2e and lex.e2f that Moses writes:
//
//   each link counts once for its two words; each word without a link counts once with NULL;
//   w(e|f) = count(f,e) / sum over e' of count(f,e'),  w(f|e) likewise.
//
//   1. LexicalCounts counts(source_vocab, target_vocab);
//      counts.add(source, target, links, begin, end);       in slices, as often as there is text
//   2. LexicalTable table(counts, source_vocab, target_vocab);
//   3. table.target_given_source(f, e);                     0 for a pair never seen; kNull is a
//   word
//   4. table.save(path);  LexicalTable again(path);         mapped, checksums verified
//
// As in Moses' files the word "NULL" of a text and the empty word are one.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "align/links.h"
#include "io/container.h"
#include "text/token_lines.h"
#include "text/vocab.h"

namespace demotic::align {

inline constexpr uint32_t kNull = UINT32_MAX;
inline constexpr std::string_view kNullWord = "NULL";

// Counts of (source, target) word pairs.  Memory follows the number of different pairs.
class LexicalCounts {
 public:
  struct Count {
    uint64_t pair;  // source << 32 | target
    uint64_t count;
  };

  LexicalCounts(const text::Vocab& source, const text::Vocab& target);

  // Lines begin .. end-1.
  void add(const text::TokenLines& source, const text::TokenLines& target, const Links& links,
           size_t begin, size_t end);
  // Sorted by pair; settles what was added so far.
  std::span<const Count> counts();

 private:
  void add_pair(uint32_t source, uint32_t target);
  void settle();

  uint32_t source_null_word_;  // ids of the word "NULL", kUnknown if the text has none
  uint32_t target_null_word_;
  std::vector<uint64_t> pending_;
  std::vector<Count> counts_;
};

// The two probabilities of one pair.
struct LexicalEntry {
  uint64_t pair;
  double target_given_source;
  double source_given_target;
};

class LexicalTable {
 public:
  static constexpr uint32_t kVersion = 1;

  LexicalTable(LexicalCounts& counts, const text::Vocab& source, const text::Vocab& target);
  // `entries` sorted by pair, each pair once.
  LexicalTable(std::span<const LexicalEntry> entries, const text::Vocab& source,
               const text::Vocab& target);
  // Compares the file with its checksums, if wanted; a damaged one gives wrong numbers at worst.
  explicit LexicalTable(const std::string& path, bool verify = true);

  double target_given_source(uint32_t source, uint32_t target) const {
    const size_t at = find(source, target);
    return at < targets_.size() ? target_given_source_[at] : 0.0;
  }
  double source_given_target(uint32_t source, uint32_t target) const {
    const size_t at = find(source, target);
    return at < targets_.size() ? source_given_target_[at] : 0.0;
  }

  // kNull for "NULL", kUnknown for a word that never occurred.
  uint32_t source_id(std::string_view word) const { return id_of(source_words_, word); }
  uint32_t target_id(std::string_view word) const { return id_of(target_words_, word); }

  size_t size() const { return targets_.size(); }
  size_t rows() const { return row_ends_.size(); }  // one per source word, and NULL

  // Rows begin .. end-1 in Moses' text form: "e f w(e|f)" or "f e w(f|e)", seven decimals.
  void print(bool target_given_source, size_t begin, size_t end, std::string& out) const;

  void save(const std::string& path) const;

 private:
  static uint32_t id_of(text::VocabView words, std::string_view word) {
    return word == kNullWord ? kNull : words.find(word);
  }
  size_t find(uint32_t source, uint32_t target) const;
  std::span<const uint32_t> row(size_t row) const;
  void own(std::span<const LexicalEntry> entries);

  struct Owned {
    text::Vocab source;
    text::Vocab target;
    std::vector<uint64_t> row_ends;
    std::vector<uint32_t> targets;
    std::vector<double> target_given_source;
    std::vector<double> source_given_target;
  };
  std::shared_ptr<Owned> owned_;  // of a table that was made here
  io::Container file_;            // of a table that was loaded

  text::VocabView source_words_;
  text::VocabView target_words_;
  std::span<const uint64_t> row_ends_;  // of source word i; the last row is NULL's
  std::span<const uint32_t> targets_;   // ascending in each row
  std::span<const double> target_given_source_;
  std::span<const double> source_given_target_;
};

// Both text files, in pieces, into a table.
class LexicalReader {
 public:
  void add(std::string_view text, bool target_given_source, uint64_t first_line);
  LexicalTable finish();

 private:
  struct Half {
    uint64_t pair;
    double probability;
  };
  static void sort_unique(std::vector<Half>& half, const char* name);

  text::Vocab source_;
  text::Vocab target_;
  std::vector<Half> target_given_source_;
  std::vector<Half> source_given_target_;
};

}  // namespace demotic::align
