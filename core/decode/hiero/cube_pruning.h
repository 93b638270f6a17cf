// The language model meets the context-free forest: cube pruning (Chiang 2007; Huang and Chiang
// 2007), bottom-up, a bounded number of pops at each node.
//
//   CubePruner prune(grammar, options);
//   prune(forest, sentence);                     scratch memory is reused between sentences
//   prune.best()                                 the best entry of Goal
//   prune.first_entry(node) ... last_entry(node) what each node kept, best first
//
// An entry is an edge with one entry for each tail; entries of a node whose Fragments are equal are
// merged, the better one stays and the others hang on it as alternatives (for k-best and forests).
// Ties fall to the lower edge, then to the lower ranks, so results never depend on the heap.
//
// `eager` scores every in-edge with the language model before the first pop, as cdec does; `lazy`
// orders edges by what is known without it and scores an edge when its turn comes.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "counters.h"
#include "decode/scored_grammar.h"
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

struct ChartEntry {
  double score;   // of the whole subtree, LM estimates of its left edge too
  float lm;       // log10 that this edge adds
  uint32_t edge;  // of the forest
  std::array<uint32_t, grammar::kMaxArity> ranks;  // of the tails' entries, 0 being the best
  uint32_t alternative;                            // of the same state; kNoEntry ends the list
};

class CubePruner {
 public:
  CubePruner(const ScoredGrammar& grammar, const CubePruningOptions& options)
      : grammar_(grammar), options_(options) {}

  void operator()(const ContextFreeForest& forest, const SourceSentence& sentence);

  const ChartEntry& entry(uint32_t number) const { return entries_[number]; }
  const ChartEntry& alternative(uint32_t number) const { return alternatives_[number]; }
  uint32_t first_entry(uint32_t node) const { return node == 0 ? 0 : node_ends_[node - 1]; }
  uint32_t last_entry(uint32_t node) const { return node_ends_[node]; }
  uint32_t entries() const { return static_cast<uint32_t>(entries_.size()); }
  uint32_t best() const { return first_entry(static_cast<uint32_t>(node_ends_.size()) - 1); }
  const CubePruningCounters& counters() const { return counters_; }
  void keep_alternatives(bool keep) { options_.keep_alternatives = keep; }

 private:
  struct Candidate {
    double score;
    uint32_t edge;
    std::array<uint32_t, grammar::kMaxArity> ranks;
    uint32_t scored;  // place in scored_, or kNoEntry while the language model has not seen it
  };
  struct Scored {
    lm::Fragment fragment;
    float lm;
  };
  struct Popped {
    ChartEntry entry;
    uint32_t scored;
  };
  struct Seen {
    uint32_t edge = UINT32_MAX;
    std::array<uint32_t, grammar::kMaxArity> ranks{};
  };
  struct Estimate {
    uint32_t rule;
    float log10;
  };
  static constexpr size_t kEstimates = size_t{1} << 16;

  static bool worse(const Candidate& a, const Candidate& b);
  uint64_t share(uint32_t nodes_left) const;
  void node(const ContextFreeForest& forest, uint32_t node, uint64_t most_pops);
  void empty_tables();
  void push(const ForestEdge& edge, uint32_t number,
            std::array<uint32_t, grammar::kMaxArity> ranks);
  void score(const ForestEdge& edge, Candidate& candidate);
  double tails_score(const ForestEdge& edge,
                     const std::array<uint32_t, grammar::kMaxArity>& ranks) const;
  double rule_estimate(uint32_t rule);
  void accept(const Candidate& candidate);
  void grow_states();
  void neighbours(const ContextFreeForest& forest, const Candidate& candidate);
  bool mark_seen(uint32_t edge, const std::array<uint32_t, grammar::kMaxArity>& ranks);
  bool insert_seen(const Seen& candidate);
  void store();

  const ScoredGrammar& grammar_;
  CubePruningOptions options_;
  CubePruningCounters counters_;

  std::vector<ChartEntry> entries_;  // by node, best first
  std::vector<lm::Fragment> fragments_;
  std::vector<uint32_t> node_ends_;
  std::vector<ChartEntry> alternatives_;

  // Of the node at hand:
  uint32_t passed_ = text::kUnknown;  // the language model's id of its first word
  std::vector<Candidate> heap_;
  std::vector<Scored> scored_;
  std::vector<Popped> popped_;
  std::vector<uint32_t> by_state_;  // open addressing: place in popped_ + 1
  std::vector<Seen> seen_;          // open addressing: candidates pushed
  size_t seen_count_ = 0;
  std::vector<Estimate> estimates_;  // of rules met before, direct-mapped; independent of weights
};

}  // namespace demotic::decode::hiero
