// Words of a sentence that no rule translates as part of a phrase: places in ascending order.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "grammar/rule_table.h"

namespace demotic::grammar {

inline std::vector<uint32_t> stranded_words(const RuleTable& table,
                                            std::span<const std::string> sentence) {
  std::vector<uint32_t> ids;
  for (const std::string& word : sentence) ids.push_back(table.source_vocab().find(word));
  std::vector<uint32_t> stranded;
  size_t reached = 0;  // words in front of it are covered, or are among the stranded
  for (size_t begin = 0; begin < ids.size() && table.nodes() > 0; ++begin) {
    uint32_t node = RuleTable::kRoot;
    size_t farthest = begin;
    for (size_t end = begin; end < ids.size() && ids[end] != text::kUnknown; ++end) {
      node = table.step(node, static_cast<text::Symbol>(ids[end]));
      if (node == RuleTable::kNone) break;
      if (table.first_rule(node) < table.last_rule(node)) farthest = end + 1;
    }
    // What stands before `begin` was looked at from every earlier word.
    reached = std::max(reached, farthest);
    if (reached == begin) stranded.push_back(static_cast<uint32_t>(begin));
  }
  return stranded;
}

}  // namespace demotic::grammar
