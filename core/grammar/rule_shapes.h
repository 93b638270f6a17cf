// What kinds of rules a table holds, told by their source sides: w stands for words, X for a
// nonterminal of any category.
//
//   for (const RuleShape& shape : rule_shapes(table))
//     shape.source, shape.rules ...              "w X w", 1234; shorter shapes first
//
// One pass over the trie and the target sides; nothing of the table is copied.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "grammar/rule_table.h"

namespace demotic::grammar {

struct RuleShape {
  std::string source;    // "w", "X w", "w X w X w" ...
  uint64_t sources = 0;  // different source sides
  uint64_t rules = 0;
  uint64_t reordered = 0;  // of the rules, those whose target side swaps the nonterminals
};

std::vector<RuleShape> rule_shapes(const RuleTable& table);

}  // namespace demotic::grammar
