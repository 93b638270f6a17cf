// The language model meets the context-free forest: cube pruning (Chiang 2007; Huang and Chiang
// 2007), bottom-up, a bounded number of pops at each node.
//
//   CubePruner prune(grammar, options);
//   prune(forest, sentence);                     scratch memory is reused between sentences
//   prune.best()                                 the best entry of Goal
//   prune.first_entry(node) ... last_entry(node) what each node kept, best first
//
// An entry is a rule of a group with one entry for each tail; entries of a node whose Fragments are
// equal are merged, the better one stays and the others hang on it as alternatives (for k-best and
// forests).  Ties fall to the lower edge, then to the lower ranks, so results never depend on the
// heap.
//
// `eager` scores every rule with the language model before the first pop, as cdec does; `lazy`
// orders the rules of a group once, by what is known of them without their surroundings, opens the
// next one when the one before it has had its turn, and scores it when its own turn comes.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "counters.h"
#include "decode/rule_ranking.h"
#include "decode/scored_grammar.h"
#include "hash_index.h"
#include "lm/chart.h"

namespace demotic::decode::hiero {

struct CubePruningOptions {
  uint32_t pops = 30;  // at each node
  bool eager = true;
  bool keep_alternatives = false;
  // Of the whole sentence.  When they are not enough for `pops` at each node that is left, the
  // nodes share what there is, one pop at least.
  uint64_t max_entries = 5'000'000;
};

struct CubePruningCounters {
  uint64_t edges = 0;
  uint64_t pops = 0;
  uint64_t lm_edges = 0;  // edges with their tails' entries that the language model has scored
  uint64_t lm_words = 0;  // words of rules looked up for them

  static constexpr auto kFields =
      std::tuple{CounterField{"edges", &CubePruningCounters::edges},
                 CounterField{"pops", &CubePruningCounters::pops},
                 CounterField{"lm_evaluations", &CubePruningCounters::lm_edges},
                 CounterField{"lm_words", &CubePruningCounters::lm_words}};
};

inline constexpr uint32_t kNoEntry = UINT32_MAX;

// Which entries a rule's tails stand for, 0 being the best of each.  Two fit; of more tails, the
// first number says where CubePruner keeps theirs.
using Ranks = std::array<uint32_t, 2>;

struct ChartEntry {
  double score;          // of the whole subtree, LM estimates of its left edge too
  float lm;              // log10 that this rule adds
  uint32_t group;        // of the forest
  uint32_t place;        // of the rule in its group
  Ranks ranks;           // of the tails' entries
  uint32_t alternative;  // of the same state; kNoEntry ends the list
};

class CubePruner {
 public:
  CubePruner(const ScoredGrammar& grammar, const CubePruningOptions& options)
      : grammar_(grammar), options_(options), ranking_(grammar, RankBy::estimate) {}

  void operator()(const ContextFreeForest& forest, const SourceSentence& sentence);

  const ChartEntry& entry(uint32_t number) const { return entries_[number]; }
  const ChartEntry& alternative(uint32_t number) const { return alternatives_[number]; }
  uint32_t first_entry(uint32_t node) const { return node == 0 ? 0 : node_ends_[node - 1]; }
  uint32_t last_entry(uint32_t node) const { return node_ends_[node]; }
  uint32_t entries() const { return static_cast<uint32_t>(entries_.size()); }
  uint32_t best() const { return first_entry(static_cast<uint32_t>(node_ends_.size()) - 1); }
  // The entry of one of `arity` tails.
  uint32_t tail_entry(uint32_t node, const Ranks& ranks, uint32_t arity, uint32_t tail) const {
    return first_entry(node) + rank_of(ranks, arity, tail);
  }
  const CubePruningCounters& counters() const { return counters_; }
  void keep_alternatives(bool keep) { options_.keep_alternatives = keep; }

 private:
  // A rule of the node at hand that has had its turn, or has one coming.
  struct Opened {
    double local;     // weighted features
    double estimate;  // of the language model's part
    uint32_t group;
    uint32_t place;
    uint32_t rank;  // in the group's order
    uint32_t edge;  // for ties
  };
  struct Candidate {
    uint32_t opened;
    Ranks ranks;
    uint32_t scored;  // place in scored_, or kUnscored, kSeed while the language model has not seen
                      // it
  };
  struct Waiting {  // in the heap, which moves its entries often: they are small
    double score;
    uint32_t candidate;
  };
  static constexpr uint32_t kUnscored = UINT32_MAX;
  static constexpr uint32_t kSeed = UINT32_MAX - 1;  // the best entries: the next rule waits for it
  struct Scored {
    lm::Fragment fragment;
    float lm;
  };
  // The words before a rule's first nonterminal, or all of them: the same wherever the rule
  // matches.
  struct Opening {
    uint32_t rule = UINT32_MAX;
    uint32_t words = 0;
    lm::FragmentScorer::Opening scored;
  };
  static constexpr size_t kOpenings = size_t{1} << 13;  // a power of two

  struct Popped {
    ChartEntry entry;
    uint32_t scored;
  };
  struct Seen {
    uint32_t opened;
    Ranks ranks;
  };

  static uint32_t rank_in(const Ranks& ranks, uint32_t arity, uint32_t tail,
                          const std::vector<uint32_t>& more) {
    return arity <= ranks.size() ? ranks[tail] : more[ranks[0] + tail];
  }
  uint32_t rank_of(const Ranks& ranks, uint32_t arity, uint32_t tail) const {
    return rank_in(ranks, arity, tail, more_ranks_);
  }
  bool worse(const Waiting& a, const Waiting& b) const {
    return a.score != b.score ? a.score < b.score : comes_after(a.candidate, b.candidate);
  }
  bool comes_after(uint32_t a, uint32_t b) const;
  uint64_t share(uint32_t nodes_left) const;
  void node(uint32_t node, uint64_t most_pops);
  void seed();
  void open(uint32_t group, uint32_t rank);
  void push_opened(const Opened& opened);
  Ranks first_ranks(uint32_t arity);
  Ranks next_ranks(const Ranks& ranks, uint32_t arity, uint32_t tail);
  void push(const Candidate& candidate);
  double score(Candidate& candidate);
  const Opening& opening(uint32_t rule);
  double tails_score(const RuleGroup& group, const Ranks& ranks) const;
  void accept(const Candidate& candidate, double score);
  void neighbours(const Candidate& candidate);
  bool mark_seen(uint32_t opened, const Ranks& ranks, uint32_t arity);
  void store();

  const ScoredGrammar& grammar_;
  CubePruningOptions options_;
  CubePruningCounters counters_;
  RuleRanking ranking_;
  std::vector<Opening> openings_;  // by rule, direct-mapped; they do not depend on weights
  const ContextFreeForest* forest_ = nullptr;

  std::vector<ChartEntry> entries_;  // by node, best first
  std::vector<lm::Fragment> fragments_;
  std::vector<uint32_t> node_ends_;
  std::vector<ChartEntry> alternatives_;
  std::vector<uint32_t> more_ranks_;  // of rules with more tails than Ranks has room for

  // Of the node at hand:
  uint32_t node_ = 0;
  uint32_t passed_ = text::kUnknown;  // the language model's id of its first word
  std::vector<Opened> opened_;
  std::vector<Candidate> candidates_;
  std::vector<Waiting> heap_;
  std::vector<Scored> scored_;  // the first scored_count_; the others keep their memory
  uint32_t scored_count_ = 0;
  std::vector<Popped> popped_;
  HashIndex by_state_;  // of popped_
  std::vector<Seen> seen_;
  HashIndex by_ranks_;  // of seen_
  std::vector<std::pair<double, uint32_t>> order_;
};

}  // namespace demotic::decode::hiero
