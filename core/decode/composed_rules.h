// Rules that others put together do without: whose source and target side both come of one rule
// with another in the place of a nonterminal, for a score that is next to as good.
//
//   std::vector<char> composed = composed_rules(grammar, margin);    by rule
//
//   X -> the big house / das große Haus     is composed of   X -> the big X1 / das große X1
//                                                     and    X -> house / Haus
//
// What the language models say is a matter of the words, which are the same.  So wherever such a
// rule is part of a derivation, the two can take its place, and the score falls by no more than
// `margin`.  Neither of the two is composed itself, so that what is left without all of them still
// has, for each of them, two rules.
#pragma once

#include <vector>

#include "decode/scored_grammar.h"

namespace demotic::decode {

std::vector<char> composed_rules(const ScoredGrammar& grammar, double margin);

}  // namespace demotic::decode
