// What classifiers of words say of the translations of one sentence's words, for the rules of a
// table (grammar/word_choices.h): the same wherever a rule with these links matches.
//
//   ChoiceModel model(choices, table);              threads share it; it keeps what it needs alive
//   SentenceChoices found = model.score(tokens);    once for each sentence
//   found.of(position, target_id)                   of one link
//   found.of_rule(table, rule, places)              summed over a rule's links
//
// Two values for each link: ln of the word's share among the candidates (softmax of h), and minus
// the cost ln(1 + exp(-h)).  Neither falls below kLeast, which is also what translations have that
// training has not seen; source words that training has not seen say nothing.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "grammar/rule_table.h"
#include "grammar/word_choices.h"

namespace demotic::decode {

inline constexpr uint32_t kChoiceFeatures = 2;
inline constexpr uint32_t kNoPlace = UINT32_MAX;  // where a rule's symbol is no word

using ChoiceValues = std::array<double, kChoiceFeatures>;

class SentenceChoices {
 public:
  static constexpr float kLeast = -7.0f;

  ChoiceValues of(uint32_t position, text::Symbol target) const;
  // `places`: where in the sentence each symbol of the rule's source side stands.
  ChoiceValues of_rule(const grammar::RuleTable& table, uint32_t rule,
                       std::span<const uint32_t> places) const;
  // The same of a phrase, whose symbols are all words.
  ChoiceValues of_phrase(const grammar::RuleTable& table, uint32_t rule, uint32_t begin) const;

 private:
  friend class ChoiceModel;
  struct Value {
    text::Symbol target;
    std::array<float, kChoiceFeatures> values;
  };
  template <class Place>
  ChoiceValues sum(const grammar::RuleTable& table, uint32_t rule, Place&& place) const;

  std::vector<uint32_t> ends_;  // by position: values of known words, by rising target
  std::vector<Value> values_;
  std::vector<uint8_t> known_;  // by position: has training seen the word?
};

class ChoiceModel {
 public:
  ChoiceModel(const grammar::WordChoices& choices, const grammar::RuleTable& table);

  SentenceChoices score(std::span<const std::string> tokens) const;

 private:
  grammar::WordChoices choices_;       // shares its file
  std::vector<text::Symbol> symbols_;  // of the table, by the classifiers' target word
};

// Where each symbol of a rule's source side stands; `tail_end(k)` is where its k-th nonterminal
// ends.
template <class TailEnd>
void find_places(const grammar::RuleTable& table, uint32_t rule, uint32_t begin, TailEnd&& tail_end,
                 std::vector<uint32_t>& places) {
  places.clear();
  uint32_t slot = 0;
  for (const text::Symbol symbol : table.source_of(table.node_of(rule))) {
    places.push_back(text::is_word(symbol) ? begin : kNoPlace);
    begin = text::is_word(symbol) ? begin + 1 : tail_end(slot++);
  }
}

}  // namespace demotic::decode
