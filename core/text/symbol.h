// Symbols of rules, int32: words are ids >= 0; a negative symbol stands for a nonterminal.
//
// On a target side, and wherever a rule's tails are numbered, slot_symbol(k) repeats the k-th
// nonterminal of the source side, its slot.
#pragma once

#include <cstdint>

namespace demotic::text {

using Symbol = int32_t;

constexpr bool is_word(Symbol symbol) { return symbol >= 0; }
constexpr bool is_slot(Symbol symbol) { return symbol < 0; }

constexpr Symbol slot_symbol(uint32_t slot) { return -static_cast<Symbol>(slot) - 1; }
constexpr uint32_t slot_of(Symbol symbol) { return static_cast<uint32_t>(-(symbol + 1)); }

}  // namespace demotic::text
