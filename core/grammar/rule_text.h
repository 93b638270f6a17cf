// Rule tables as the text of other systems, one rule a line, fields between " ||| ":
//
//   cdec          [X] ||| ne [X,1] pas ||| do not [1] ||| Name=0.1 2.5 ||| 0-0 2-1
//   joshua        [X] ||| ne [X,1] pas ||| do not [X,1] ||| 0.1 2.5 Name=1 ||| 0-0 2-1
//   moses_hiero   ne [X][X] pas [X] ||| do not [X][X] [X] ||| 0.1 0.5 ||| 0-0 1-2 2-1 ||| 4 2 1
//   moses_phrase  ne pas ||| do not ||| 0.1 0.5 ||| 0-0 1-1 ||| 4 2 1 ||| name 1 other -0.5
//
//   RuleTextReader reader({RuleFormat::cdec});
//   reader.feed(text);  ...            whole lines
//   reader.finish("rules.bin");
//   print_rules(table, RuleFormat::joshua, begin, end, text);
//
// Scores become natural logs: Moses' probabilities by their logarithm, 0 as 1e-10; Joshua's
// nameless numbers, which are costs, by their negative; cdec's values as they are.  Nameless scores
// are called as each system calls them (PhraseModel_0, tm_pt_0), Moses' first four by what they
// are.
//
// Scores without names are columns of the table.  So are scores whose name stands on every rule, or
// was asked for; other names are sparse features, and Moses' names always are.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "grammar/rule_table.h"
#include "text/vocab.h"

namespace demotic::grammar {

enum class RuleFormat : uint8_t { cdec, joshua, moses_hiero, moses_phrase };

struct RuleTextOptions {
  RuleFormat format = RuleFormat::cdec;
  bool empty_targets = false;    // accept rules that delete their source
  bool first_duplicate = false;  // keep the first alone of rules that differ in their scores
  std::vector<std::string> columns = {};  // scores that are no sparse features in any case
};

// Throws Error(format) with the line of the first thing wrong.
class RuleTextReader {
 public:
  static constexpr size_t kMaxColumns = 256;
  static constexpr size_t kMaxSymbols = 250;  // of a side

  explicit RuleTextReader(const RuleTextOptions& options);

  void feed(std::string_view text);
  void finish(const std::string& path);

 private:
  using Tokens = std::vector<std::string_view>;
  struct Score {
    uint32_t feature;
    float value;
  };
  struct Entry {
    uint64_t line;
    uint64_t symbols, scores, links;  // where they begin in the pools
    uint32_t lhs;
    uint32_t score_count;
    uint16_t source_size, target_size, link_count;
    std::array<float, RuleTable::kCounts> counts;
  };
  struct Feature {
    std::string name;
    bool column;         // not sparse, whatever rules have it
    bool sparse;         // sparse, even if all rules have it
    uint32_t rules = 0;  // lines that have it
    uint64_t line = 0;   // the last of them
  };
  struct Nonterminal {  // of the source side of the line at hand
    uint32_t category;
    uint32_t number;    // how the target side calls it
    uint32_t position;  // among the source symbols
  };

  [[noreturn]] void fail(const std::string& message, const std::string& remedy = {}) const;
  void split(std::string_view line);
  const Tokens& field(size_t at) const { return fields_[at]; }
  bool from_moses() const { return options_.format >= RuleFormat::moses_hiero; }

  void parse_line();
  uint32_t parse_lhs(std::string_view token);
  void parse_source(const Tokens& tokens, size_t count);
  void parse_target(const Tokens& tokens, size_t count);
  void parse_moses_target(const Tokens& tokens, size_t count);
  void parse_links(const Tokens& tokens);
  void parse_scores(const Tokens& tokens);
  void parse_sparse(const Tokens& tokens);
  void add_score(uint32_t feature, double value, std::string_view token);
  void parse_counts(const Tokens& tokens);
  double number(std::string_view token) const;
  uint32_t feature(std::string_view name, bool column, bool sparse);
  std::string nameless(size_t index) const;
  uint32_t category(std::string_view name);

  std::span<const text::Symbol> source(const Entry& entry) const {
    return {symbols_.data() + entry.symbols, entry.source_size};
  }
  std::span<const text::Symbol> target(const Entry& entry) const {
    return {symbols_.data() + entry.symbols + entry.source_size, entry.target_size};
  }
  void refuse_cycles();
  void sort();
  std::vector<uint32_t> choose_columns() const;
  void write(const std::string& path, std::span<const uint32_t> columns);

  RuleTextOptions options_;
  uint64_t line_ = 0;
  std::vector<Tokens> fields_;
  size_t field_count_ = 0;
  std::vector<Nonterminal> nonterminals_;
  std::vector<std::array<uint32_t, 2>> pairs_;  // of the alignment field
  Entry entry_{};
  size_t nameless_count_ = 0;  // scores of each of Moses' rules

  text::Vocab source_vocab_, target_vocab_;
  std::vector<std::string> categories_;
  std::vector<Feature> features_;
  std::unordered_map<std::string, uint32_t> category_ids_;
  std::unordered_map<std::string, uint32_t> feature_ids_;
  std::vector<Entry> entries_;
  std::vector<text::Symbol> symbols_;
  std::vector<Score> scores_;
  std::vector<RuleLink> links_;
  bool counts_everywhere_ = true;
};

// Rules begin .. end-1 as lines.  Words that would be read as something else are written with
// Moses' character references.
void print_rules(const RuleTable& table, RuleFormat format, uint32_t begin, uint32_t end,
                 std::string& out);

}  // namespace demotic::grammar
