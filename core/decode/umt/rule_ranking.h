// The rules of one source side, scored and put in order once, for every place where they match.
//
//   RuleRanking ranking(grammar);
//   ranking.begin(groups, passed);              of the next sentence
//   ranking.best(group)                   the most that one of its rules can add: its local score,
//                                               or with estimates the language model's part, too
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

namespace demotic::decode::umt {

// Edges of one head with the same tails and consecutive rules of the table, or one edge with a rule
// that is not in the table.
struct RuleGroup {
  uint32_t head;
  std::array<uint32_t, grammar::kMaxArity> tails;
  uint32_t first_rule;
  uint32_t rules;
  uint32_t first_edge;  // of the forest: edges and rules count in step

  uint32_t arity() const { return (tails[0] != kNoNode) + (tails[1] != kNoNode); }
};

struct RankedRule {
  double score;    // local + weighted lm
  double local;    // weighted features without the language model's
  float lm;        // log10 of words whose context is complete within the rule
  float estimate;  // log10 of all others, each from what stands before it within the rule
  uint32_t place;  // in its group
};

class RuleRanking {
 public:
  // `estimates`: bounds count the language model's part of rules, incomplete words and all.
  RuleRanking(const ScoredGrammar& grammar, bool estimates)
      : grammar_(&grammar), estimates_(estimates) {}

  void reweigh(const ScoredGrammar& grammar);
  // `groups` must stay until the next call; `passed` is, by group, the language model's id of the
  // word that passes through (kUnknown for all others).
  void begin(std::span<const RuleGroup> groups, std::span<const uint32_t> passed);

  // The rule of the highest bound, and the bound.
  const RankedRule& best_rule(uint32_t group) { return side(group).best; }
  double best(uint32_t group) { return bound(side(group).best); }
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
    RankedRule best{};        // by bound()
    RankedRule top{};         // by score
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
  double bound(const RankedRule& rule) const {
    return estimates_ ? rule.score + grammar_->lm_score(rule.estimate) : rule.local;
  }
  void add_lm(uint32_t rule, RankedRule& made) const;

  const ScoredGrammar* grammar_;
  bool estimates_;
  std::span<const RuleGroup> groups_;
  std::span<const uint32_t> passed_;
  std::vector<uint32_t> places_;  // by group: its side
  std::vector<RankedRule> ranked_;
  std::vector<Side> sides_;
  std::vector<uint32_t> table_;  // open addressing by first rule: place in sides_
};

}  // namespace demotic::decode::umt
