// Rules as decoders number them, and the words and nonterminals of any rule's target side.
//
//   each_target_symbol(rule, table, word, slot, passed);
//
// From left to right: word(symbol) of the table's words, slot(k) of nonterminals, passed() of a
// word that passes through; of a rule of the table, `from` a symbol on.
//
// ScoredGrammar::each_lm_symbol is the same as the language model reads it.
#pragma once

#include <cstdint>

#include "grammar/rule_table.h"
#include "text/symbol.h"

namespace demotic::decode {

// Rules that are not in the table: rule ids from here on.
inline constexpr uint32_t kGlueFirst = 0xfffffff0u;    // S -> X1
inline constexpr uint32_t kGlueNext = 0xfffffff1u;     // S -> S1 X2
inline constexpr uint32_t kGoal = 0xfffffff2u;         // Goal -> S1
inline constexpr uint32_t kPassThrough = 0xfffffff3u;  // X -> w / w, w being the word at the span
inline constexpr uint32_t kStraight = 0xfffffff4u;     // X -> X1 X2 / X1 X2
inline constexpr uint32_t kInverted = 0xfffffff5u;     // X -> X1 X2 / X2 X1

template <class Word, class Slot, class Passed>
void each_target_symbol(uint32_t rule, const grammar::RuleTable& table, Word&& word, Slot&& slot,
                        Passed&& passed, uint32_t from = 0) {
  if (rule < kGlueFirst) {
    for (const text::Symbol symbol : table.target(rule).subspan(from)) {
      if (text::is_word(symbol))
        word(symbol);
      else
        slot(text::slot_of(symbol));
    }
  } else if (rule == kPassThrough) {
    passed();
  } else {
    if (rule == kInverted) slot(1u);
    slot(0u);
    if (rule == kGlueNext || rule == kStraight) slot(1u);
  }
}

}  // namespace demotic::decode
