// One derivation as it leaves any decoder: rules and spans, the words they make, where each word
// comes from, features.
//
//   Derivation d;
//   add_steps(d, root, visit);                     a tree, or step by step as a decoder likes
//   complete(d, tokens, sentence, grammar);        everything that follows from a scored grammar
//   write_words(d, tokens, table);                 or the words alone
//
// Steps stand in depth-first order, a step before its children, these in source order.  A
// derivation without nonterminals has its goal first, then all phrases, its children, in target
// order.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "decode/scored_grammar.h"
#include "forest/forest.h"
#include "grammar/rule_table.h"

namespace demotic::decode {

inline constexpr uint32_t kNoStep = UINT32_MAX;

struct DerivationStep {
  uint32_t rule;      // of the table, or kGlueFirst, ...
  uint32_t category;  // of the decoder's labels
  uint32_t begin;     // source words
  uint32_t end;
  double lm = 0;             // log10 added here
  double score = 0;          // added here
  uint32_t first_child = 0;  // in Derivation::children
  uint32_t arity = 0;
  uint32_t first_further = 0;  // in Derivation::further
};

struct Derivation {
  std::vector<DerivationStep> steps;  // none for an empty sentence, or if there is no derivation
  std::vector<uint32_t> children;     // steps; those of each step together
  // Log10 that each further language model added; those of each step together.
  std::vector<float> further;
  uint32_t further_models = 0;
  std::vector<std::string> tokens;
  std::vector<uint32_t> word_steps;                // by token: the step whose rule wrote it
  std::vector<std::array<uint32_t, 2>> alignment;  // source and target positions, sorted
  std::vector<double> features;                    // dense ones
  std::vector<uint32_t> sparse_ids;                // of the table's sparse features, ascending
  std::vector<double> sparse_values;               // of each
  double score = 0;
  double gain = 0;  // by consensus, where that chose it
  uint32_t span_limit = 0;

  std::span<const uint32_t> children_of(const DerivationStep& step) const {
    return std::span(children).subspan(step.first_child, step.arity);
  }
  std::span<const float> further_of(const DerivationStep& step) const {
    return std::span(further).subspan(step.first_further, further_models);
  }
  // Where they are from then on.
  uint32_t add_further(std::span<const float> log10) {
    further_models = static_cast<uint32_t>(log10.size());
    further.insert(further.end(), log10.begin(), log10.end());
    return static_cast<uint32_t>(further.size()) - further_models;
  }
  void add_word(std::string_view word, uint32_t step) {
    tokens.emplace_back(word);
    word_steps.push_back(step);
  }
  // A word that passes through, with its link.
  void pass_word(std::string_view word, uint32_t step) {
    alignment.push_back({steps[step].begin, static_cast<uint32_t>(tokens.size())});
    add_word(word, step);
  }
  // All steps but the first become children of the first one.
  void flatten();
};

// Adds the steps of a tree.  `visit(item, below)` gives the step of an item, without children, and
// puts the items of these into `below`, in source order.
template <class Item, class Visit>
void add_steps(Derivation& derivation, Item root, Visit visit) {
  std::vector<std::pair<Item, uint32_t>> waiting{{root, kNoStep}};  // with its place in children
  std::vector<Item> below;
  while (!waiting.empty()) {
    const auto [item, place] = waiting.back();
    waiting.pop_back();
    if (place != kNoStep)
      derivation.children[place] = static_cast<uint32_t>(derivation.steps.size());
    below.clear();
    DerivationStep step = visit(item, below);
    step.first_child = static_cast<uint32_t>(derivation.children.size());
    step.arity = static_cast<uint32_t>(below.size());
    derivation.steps.push_back(step);
    derivation.children.resize(derivation.children.size() + below.size(), kNoStep);
    for (uint32_t k = step.arity; k-- > 0;) waiting.push_back({below[k], step.first_child + k});
  }
}

// The words that the rules write, and their links.
void write_words(Derivation& derivation, std::span<const std::string> tokens,
                 const grammar::RuleTable& table);

// Log10 of each further language model at an edge of a forest.
std::vector<float> further_logs(const forest::Forest& packed, uint32_t edge,
                                const ScoredGrammar& grammar);

// The sparse features of the rules.
void sum_sparse(Derivation& derivation, const grammar::RuleTable& table);

// Fills in everything but steps' rules, spans and language model scores.
void complete(Derivation& derivation, std::span<const std::string> tokens,
              const SourceSentence& sentence, const ScoredGrammar& grammar);

}  // namespace demotic::decode
