// A rule `lhs -> source / target` with co-indexed nonterminals, as every system shares it: a phrase
// is a rule without nonterminals.
//
// Symbols are int32.  Words are ids >= 0 of the side's vocabulary.  On the source side a negative
// symbol is a category, category_symbol(c), and its place among the nonterminals is its slot.  On
// the target side a negative symbol names the slot it repeats, slot_symbol(k).
//
//   X -> ne X1 pas / do not X1      source [ne, category_symbol(kX), pas],
//                                   target [do, not, slot_symbol(0)]
#pragma once

#include <cstdint>
#include <span>

#include "features/sparse_rows.h"
#include "text/symbol.h"

namespace demotic::grammar {

constexpr text::Symbol category_symbol(uint32_t category) {
  return -static_cast<text::Symbol>(category) - 1;
}
constexpr uint32_t category_of(text::Symbol symbol) { return static_cast<uint32_t>(-(symbol + 1)); }

inline constexpr uint32_t kMaxArity = 8;  // nonterminals of a rule; extraction stays at two

// A word link inside a rule, by position among the side's symbols.
struct RuleLink {
  uint8_t source;
  uint8_t target;
  friend bool operator==(RuleLink, RuleLink) = default;
};

// One rule, all of it; RuleTable::rule() makes one of what a table has.
struct RuleView {
  uint32_t lhs;  // category
  std::span<const text::Symbol> source;
  std::span<const text::Symbol> target;
  std::span<const float> scores;  // dense, natural logs; the table names the columns
  std::span<const RuleLink> links;
  std::span<const uint32_t> origins;  // ids of a few training sentences it was extracted from
  std::span<const float> counts;      // of its target, of its source and of both; or none
  features::SparseRow sparse = {};    // ids of the table's sparse_space(), ascending
};

// Does the target side repeat each of the source side's `arity` nonterminals exactly once?
template <class Symbols>
bool repeats_slots(const Symbols& target, uint32_t arity) {
  uint32_t seen = 0;
  for (const text::Symbol symbol : target) {
    if (text::is_word(symbol)) continue;
    if (text::slot_of(symbol) >= arity || (seen >> text::slot_of(symbol) & 1) != 0) return false;
    seen |= 1u << text::slot_of(symbol);
  }
  return seen == (1u << arity) - 1;
}

}  // namespace demotic::grammar
