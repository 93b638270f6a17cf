// The rules of one source side, scored and put in order once, for every place where they match.
//
//   RuleRanking ranking(grammar);
//   ranking.begin(groups, passed);              of the next sentence
//   ranking.best_local(group)                   the best score of its rules, no language model
//   ranking.rule(group, rank)                   in falling order of RankedRule::score
//   ranking.reweigh(grammar)                    other weights: orders are worked out anew
//
// A group is what the forest has of one source side over the same tails: its edges differ in their
// target sides alone.  So their order is a matter of the rules, not of the sentence, and is kept
// across sentences.  The language model's part of RankedRule::score counts only words whose whole
// context stands within the rule; it does not depend on weights, and what surrounds the rule cannot
// change it.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "decode/scored_grammar.h"

namespace demotic {

// Edges of one head with the same tails and consecutive rules of the table, or one edge with a rule
// that is not in the table.
struct RuleGroup {
  uint32_t head;
  std::array<uint32_t, kMaxArity> tails;
  uint32_t first_rule;
  uint32_t rules;
  uint32_t first_edge;  // of the forest: edges and rules count in step

  uint32_t arity() const { return (tails[0] != kNoNode) + (tails[1] != kNoNode); }
};

struct RankedRule {
  double score;    // local + weighted lm
  double local;    // weighted features without the language model's
  float lm;        // log10 of words whose context is complete within the rule
  uint32_t place;  // in its group
};

class RuleRanking {
 public:
  explicit RuleRanking(const ScoredGrammar& grammar) : grammar_(&grammar) {}

  void reweigh(const ScoredGrammar& grammar);
  // `groups` must stay until the next call; `passed` is, by group, the language model's id of the
  // word that passes through (kUnknown for all others).
  void begin(std::span<const RuleGroup> groups, std::span<const uint32_t> passed);

  double best_local(uint32_t group) { return side(group).best; }
  // Sorts when the second rule is asked for, not before.
  const RankedRule& rule(uint32_t group, uint32_t rank) {
    if (rank == 0) return side(group).top;
    Side& known = side(group);
    if (known.ranked == kNone) sort(known);
    return ranked_[known.ranked + rank];
  }

 private:
  static constexpr uint32_t kNone = UINT32_MAX;
  static constexpr size_t kMost = size_t{1} << 20;  // sides, and ranked rules, kept for later

  // What is known of a source side.
  struct Side {
    uint32_t first_rule = kNone;
    uint32_t rules = 0;
    uint32_t ranked = kNone;  // place in ranked_
    double best = 0;          // of RankedRule::local
    RankedRule top{};
  };

  Side& side(uint32_t group) {
    if (places_[group] == kNone) places_[group] = find(group);
    return sides_[places_[group]];
  }
  uint32_t find(uint32_t group);
  void sort(Side& side);
  void grow();
  void forget();
  RankedRule built_in(uint32_t group) const;
  RankedRule in_table(uint32_t first_rule, uint32_t place) const;
  float inner_lm(uint32_t rule) const;

  const ScoredGrammar* grammar_;
  std::span<const RuleGroup> groups_;
  std::span<const uint32_t> passed_;
  std::vector<uint32_t> places_;  // by group: its side
  std::vector<RankedRule> ranked_;
  std::vector<Side> sides_;
  std::vector<uint32_t> table_;  // open addressing by first rule: place in sides_
};

}  // namespace demotic
