// The rules of a table whose source side can match some given sentences, a nonterminal standing for
// any words, at least one.
//
//   RuleFilter filter(table);
//   filter.add("ein kleines haus\n...");
//   filter.write("filtered.bin");
//
// Scores stay what they are.  Each trie node is looked at once for a sentence, with the set of
// places where its symbols can end.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "grammar/rule_table.h"

namespace demotic::grammar {

class RuleFilter {
 public:
  explicit RuleFilter(const RuleTable& table)
      : table_(table), matched_(table.nodes(), 0), opened_(table.nodes(), 0) {}

  void add(std::string_view text);
  void write(const std::string& path) const;
  std::vector<char> matched_rules() const;  // by rule: can it match?

 private:
  void match(std::span<const uint32_t> sentence);
  void open(uint32_t node);
  uint64_t* ends_of(size_t place) { return ends_.data() + place * width_; }

  const RuleTable& table_;
  std::vector<char> matched_;      // by node: some sentence matches
  std::vector<uint32_t> opened_;   // by node: number of the last sentence that reached it
  std::vector<uint32_t> waiting_;  // a stack of nodes, and for each a set of places in ends_
  std::vector<uint64_t> ends_;
  std::vector<uint64_t> here_;
  size_t width_ = 0;  // 64-bit words of a set
  uint32_t sentence_ = 0;
};

}  // namespace demotic::grammar
