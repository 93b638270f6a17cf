// Counted rules, ordered, into a scored table.
//
//   RuleScorer scorer(builder, lexicon, {.max_targets = 30, .min_sentences = 2});
//   scorer.add(source, target, links, mass, origins, total);   rows of rule_columns.h; total: c(e)
//   scorer.finish();
//
// Source sides ascend; rows of one target side follow each other.  A row with the total 0 is the
// mass of rules of a source side that nobody wants: no rule, but probabilities count it.
//
// Scores, natural logs: P(e|f) = c(f,e) / c(f), P(f|e) = c(f,e) / c(e), and the lexical weights of
// the rule's most frequent word links (Koehn, Och and Marcu 2003): the product, over the words of a
// side, of the mean probability of their links; of NULL for words without a link.  Relative
// frequencies of rare rules say little: SeenOnce and SeenTwice are 1 for rules that were seen in so
// many sentences, so that a learner can weigh that.  On demand, Deleted and Inserted are the words
// of the source and of the target side that have no link among these.
//
// Rows with orientations add six more, the smoothed log-probabilities of monotone, swap and other
// towards what comes before and after on the target side (Koehn et al. 2005); `orientations` are
// the shares among all occurrences, to which rare rules are drawn.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "align/lexical_table.h"
#include "grammar/fisher_test.h"
#include "grammar/hiero_extract.h"
#include "grammar/lowest_origins.h"
#include "grammar/rule_columns.h"
#include "grammar/rule_table_builder.h"

namespace demotic::grammar {

// A lexical table under the ids of other vocabularies.
class RuleLexicon {
 public:
  RuleLexicon(const align::LexicalTable& table, text::VocabView source, text::VocabView target);

  struct Weights {
    double target_given_source;  // logs
    double source_given_target;
  };
  Weights weights(std::span<const text::Symbol> source, std::span<const text::Symbol> target,
                  std::span<const RuleLink> links) const;
  // Of a target side without words: how likely it is that none of these words has a link.
  double deletion(std::span<const text::Symbol> source) const;
  // Are these words of the vocabularies, and do links join words?
  bool knows(std::span<const text::Symbol> source, std::span<const text::Symbol> target,
             std::span<const RuleLink> links) const;

 private:
  const align::LexicalTable& table_;
  std::vector<uint32_t> source_ids_;
  std::vector<uint32_t> target_ids_;
};

// Which of the counted rules the table gets.  Probabilities count the others too.
struct RuleChoice {
  uint32_t max_targets = 0;    // of most mass for each source side; 0: all
  uint32_t min_sentences = 1;  // that gave a rule with nonterminals; at most kOrigins
  uint32_t min_loose = 1;      // that gave a rule with an unaligned word at an edge; likewise
  uint32_t short_loose = 0;    // symbols of a source side for which one is enough even so
  double significance = 0;     // least fisher_evidence; rows then count sentences
  int64_t sentences = 0;       // of the corpus
  uint32_t min_composed = 1;   // that gave a rule whose links let it fall into two; likewise
};

// Columns beyond those that all tables have.
struct RuleExtras {
  bool unaligned = false;
  bool orientations = false;
  // Not a column: an empty target side has the lexical weight of its source words' having no link,
  // instead of an empty product, which rewards those who write nothing.
  bool pay_deletions = false;
};

class RuleScorer {
 public:
  static constexpr double kFloor = 1e-10;  // the least probability
  static std::vector<std::string> feature_names(const RuleExtras& extras);
  static const std::vector<std::string>& orientation_names();

  // Throws Error(argument) where the choice is out of its range.
  RuleScorer(RuleTableBuilder& out, const RuleLexicon& lexicon, const RuleChoice& choice,
             const RuleExtras& extras);

  // Counts of all occurrences: to what is before, to what is after.  Before the first add(), where
  // orientations are asked for.
  void use_orientations(const std::array<uint64_t, 2 * kOrientations>& counts);

  // `sentences` are those of a row, of its target side all.
  void add(std::string_view source, std::string_view target, std::string_view links, int64_t mass,
           std::string_view origins, int64_t target_total, const SentenceCounts& sentences = {});
  void finish();

 private:
  struct Bytes {
    uint64_t begin;
    uint32_t size;
  };
  struct Candidate {  // one target side of the current source side
    Bytes target;
    Bytes links;  // the most frequent
    int64_t mass;
    int64_t target_total;
    LowestOrigins origins;
    std::array<int64_t, 2 * kOrientations> orientations{};
    SentenceCounts sentences{};  // of the source side those in which this was its first target
  };
  struct Variant {  // one way to link the words of the current target side
    Bytes links;
    int64_t mass;
  };

  Bytes keep(std::string_view bytes);
  std::string_view view(Bytes at) const { return {bytes_.data() + at.begin, at.size}; }
  void end_target();
  void end_source();
  void choose();
  void read_target(const Candidate& candidate);
  bool is_loose(const Candidate& candidate);
  bool is_composed(const Candidate& candidate) const;
  void write(const Candidate& candidate, double source_total);

  RuleTableBuilder& out_;
  const RuleLexicon& lexicon_;
  RuleChoice choice_;
  RuleExtras extras_;

  static constexpr double kSmoothing = 1.5;  // occurrences that the shares count for
  std::array<double, 2 * kOrientations> shares_{};

  std::vector<char> source_;
  bool open_ = false;                              // are there rows of this source side?
  int64_t left_out_ = 0, left_out_sentences_ = 0;  // of it
  std::vector<char> bytes_;
  std::vector<Candidate> candidates_;
  std::vector<Variant> variants_;
  std::vector<text::Symbol> source_symbols_, target_symbols_;
  std::vector<float> scores_;
  std::vector<RuleLink> links_;
};

}  // namespace demotic::grammar
