// The rules of one source side, scored and put in order once, for every place where they match.
//
//   RuleRanking ranking(grammar, RankBy::estimate);
//   ranking.begin(groups, passed);              of the next sentence
//   ranking.begin(groups, passed, extra);       what each edge is worth in this sentence beside
//   ranking.rule(group, rank)                   in falling order
//   ranking.best(group)                         the most that one of its rules can add
//   ranking.most(group)                         no less than that, and sooner known
//   ranking.reweigh(grammar)                    other weights: orders are worked out anew
//
// The rules of a group differ in their target sides alone, so their order is a matter of the rules,
// not of the sentence, and is kept across sentences; where edges are worth more or less in a
// sentence, what the rules are worth is kept, and put in order anew.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "decode/context_free_forest.h"
#include "decode/scored_grammar.h"
#include "hash_index.h"

namespace demotic::decode {

// What a rule is worth before its surroundings are known.
enum class RankBy : uint8_t {
  // Features, and the language model's score of words whose whole context stands within the rule:
  // what surrounds the rule cannot change it.  best() is that of features alone.
  certain,
  // The same order, but best() counts an estimate of all other words, too: each given what stands
  // before it within the rule.  Only rules that might be the best are looked at for it.
  certain_with_estimates,
  // Features and the estimate of all words, for the order as for best().
  estimate,
};

struct RankedRule {
  double score;    // local + weighted lm
  double local;    // weighted features without the language model's
  float lm;        // log10 of words whose context is complete within the rule
  float estimate;  // log10 of all others, each from what stands before it within the rule; by
                   // RankBy::certain_with_estimates at most that, but for best_rule()
  uint32_t place;  // in its group
  float further;   // weighted estimate of further language models, of all words; RankBy::estimate
};

class RuleRanking {
 public:
  RuleRanking(const ScoredGrammar& grammar, RankBy by) : grammar_(&grammar), by_(by) {
    // What some hundred sentences need: growing to it costs more than looking rules up.
    ranked_.reserve(size_t{1} << 17);
    sides_.reserve(size_t{1} << 15);
  }

  void reweigh(const ScoredGrammar& grammar);
  // `groups` must stay until the next call; `passed` is, by group, the language model's id of the
  // word that passes through (kUnknown for all others).
  // `extra`, weighted, by edge: empty, or not with RankBy::certain_with_estimates.
  void begin(std::span<const RuleGroup> groups, std::span<const uint32_t> passed,
             std::span<const double> extra = {});

  // Fetches the memory that a look at the group's rules will need.
  void fetch(uint32_t group) const {
    const RuleGroup& edges = groups_[group];
    if (edges.first_rule >= kGlueFirst) return;
    const grammar::RuleTable& table = grammar_->table();
    __builtin_prefetch(table.scores(edges.first_rule).bytes());
    __builtin_prefetch(table.scores(edges.first_rule + edges.rules).bytes());
  }
  // The rule that best() is about.
  const RankedRule& best_rule(uint32_t group) {
    Side& known = side(group);
    if (!known.estimated) estimate(known);
    return known.best;
  }
  double best(uint32_t group) { return bound(best_rule(group)); }
  double most(uint32_t group) { return side(group).most; }
  // Sorts when the second rule is asked for, not before.
  const RankedRule& rule(uint32_t group, uint32_t rank) {
    if (rank == 0) return side(group).top;
    Side& known = side(group);
    if (!known.sorted) sort(known);
    return pool()[known.ranked + rank];
  }
  // All of them, in any order.
  std::span<const RankedRule> rules(uint32_t group) {
    const Side& known = side(group);
    return std::span(pool()).subspan(known.ranked, known.rules);
  }

 private:
  static constexpr uint32_t kNone = UINT32_MAX;
  static constexpr size_t kMost = size_t{1} << 20;  // rules kept for later

  // What is known of a source side.
  struct Side {
    uint32_t first_rule = kNone;
    uint32_t rules = 0;
    uint32_t ranked = 0;  // place in ranked_
    bool sorted = false;
    bool estimated = true;  // if not, `best` is not known yet
    double most = 0;        // of bound()
    RankedRule best{};      // by bound()
    RankedRule top{};       // by order()
  };

  Side& side(uint32_t group) {
    if (places_[group] == kNone) places_[group] = extra_.empty() ? find(group) : here(group);
    return extra_.empty() ? sides_[places_[group]] : here_[places_[group]];
  }
  std::vector<RankedRule>& pool() { return extra_.empty() ? ranked_ : ranked_here_; }
  uint32_t find(uint32_t group);
  uint32_t here(uint32_t group);
  void sort(Side& side);
  void estimate(Side& side);
  void forget();
  RankedRule built_in(uint32_t group) const;
  RankedRule in_table(uint32_t first_rule, uint32_t place) const;
  double bound(const RankedRule& rule) const {
    return by_ == RankBy::certain ? rule.local
                                  : rule.score + grammar_->lm_score(rule.estimate) + rule.further;
  }
  double order(const RankedRule& rule) const {
    return by_ == RankBy::estimate ? bound(rule) : rule.score;
  }
  void add_lm(uint32_t rule, bool estimates, RankedRule& made) const;
  void add_run(const io::PackedRow<text::Symbol>& words, RankedRule& made) const;
  double estimate_further(uint32_t rule) const;

  const ScoredGrammar* grammar_;
  RankBy by_;
  std::span<const RuleGroup> groups_;
  std::span<const uint32_t> passed_;
  std::span<const double> extra_;
  std::vector<Side> here_;  // where there is something extra: of this sentence, one for each group
  std::vector<RankedRule> ranked_here_;
  std::vector<uint32_t> places_;  // by group: its side
  std::vector<RankedRule> ranked_;
  std::vector<Side> sides_;
  HashIndex index_;  // of sides of the table, by first rule
};

}  // namespace demotic::decode
