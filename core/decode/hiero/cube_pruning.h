// The language model meets the context-free forest: cube pruning (Chiang 2007; Huang and Chiang
// 2007), bottom-up, a bounded number of pops at each node.
//
//   CubePruner prune(grammar, plan.s(), options);
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
#include <optional>
#include <span>
#include <vector>

#include "counters.h"
#include "decode/hiero/candidate_heap.h"
#include "decode/rule_ranking.h"
#include "decode/scored_grammar.h"
#include "hash_index.h"
#include "lm/fragment_memo.h"

namespace demotic::decode::hiero {

struct CubePruningOptions {
  uint32_t pops = 30;  // at each node
  // At nodes of pieces, those below the category of sentences: no more than `pops`.
  uint32_t inner_pops = UINT32_MAX;
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
  // `sentences` is the category that a sentence is of.
  CubePruner(const ScoredGrammar& grammar, uint32_t sentences, const CubePruningOptions& options)
      : grammar_(grammar),
        sentences_(sentences),
        options_(options),
        ranking_(grammar, options.eager ? RankBy::certain : RankBy::estimate),
        further_(grammar.further()) {
    if (grammar.lm() != nullptr) memo_.emplace(*grammar.lm());
    for (uint32_t i = 0; i < further_; ++i) further_memos_.emplace_back(grammar.further_lm(i));
  }

  void operator()(const ContextFreeForest& forest, const SourceSentence& sentence);

  const ChartEntry& entry(uint32_t number) const { return entries_[number]; }
  const ChartEntry& alternative(uint32_t number) const { return alternatives_[number]; }
  // Log10 that each further language model adds there.
  std::span<const float> further_of_entry(uint32_t number) const {
    return std::span(entry_logs_).subspan(size_t{number} * further_, further_);
  }
  std::span<const float> further_of_alternative(uint32_t number) const {
    return std::span(alternative_logs_).subspan(size_t{number} * further_, further_);
  }
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
    double local = 0;     // weighted features
    double estimate = 0;  // of the language model's part
    uint32_t group;
    uint32_t place = 0;
    uint32_t rank = 0;  // in the group's order
    uint32_t edge;      // for ties
    uint32_t arity = 0;
    // Of the first two tails, so that most rules need no look at the forest.
    std::array<uint32_t, 2> first_entries{};
    std::array<uint32_t, 2> entry_counts{};
  };
  struct Candidate {
    double known;  // without the language model's part
    uint32_t opened;
    Ranks ranks;
    uint32_t scored;  // place in scored_, or kUnscored, kSeed while the language model has not seen
                      // it
  };
  static constexpr uint32_t kUnscored = UINT32_MAX;
  static constexpr uint32_t kSeed = UINT32_MAX - 1;  // the best entries: the next rule waits for it
  struct Scored {
    lm::FragmentNumber fragment;
    float lm;
  };
  // The words before a rule's first nonterminal, or all of them: the same wherever the rule
  // matches in a sentence.
  struct Opening {
    uint32_t rule = 0;
    uint32_t sentence = 0;
    uint32_t words = 0;
    lm::MemoScorer::Opening scored;
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
  bool comes_before(uint32_t a, uint32_t b) const;
  void score_choices(const SourceSentence& sentence);
  uint64_t share(uint32_t nodes_left) const;
  uint64_t pops_at(const ForestNode& node) const;
  void node(uint32_t node, uint64_t most_pops);
  void seed();
  Waiting open(uint32_t group, uint32_t rank);
  Opened over_tails(uint32_t group) const;
  Waiting add_opened(const Opened& opened);
  Ranks first_ranks(uint32_t arity);
  // The same with the next entry of one tail.
  Ranks next_ranks(Ranks ranks, uint32_t arity, uint32_t tail) {
    if (arity > ranks.size()) [[unlikely]]
      return next_of_many(ranks, arity, tail);
    ++ranks[tail];
    return ranks;
  }
  Ranks next_of_many(const Ranks& ranks, uint32_t arity, uint32_t tail);
  Waiting add(uint32_t opened, const Ranks& ranks, uint32_t scored);
  double score(Candidate& candidate);
  void begin_sentence();
  const Opening& opening(uint32_t rule, const io::PackedRow<text::Symbol>& target);
  uint32_t score_in_table(const Opened& opened, const Ranks& ranks, uint32_t rule, Scored& made);
  void open_further(uint32_t rule, uint32_t words);
  double score_further(const Candidate& candidate, uint32_t rule, uint32_t from);
  bool same_further(uint32_t a, uint32_t b) const;
  uint64_t hash_further(uint32_t scored, uint64_t hash) const;
  // Of what was scored.
  bool same_state(uint32_t a, uint32_t b) const {
    return scored_[a].fragment == scored_[b].fragment && (further_ == 0 || same_further(a, b));
  }
  uint64_t hash_of(uint32_t scored) const {
    const uint64_t hash = scored_[scored].fragment.hash();
    return further_ == 0 ? hash : hash_further(scored, hash);
  }
  void keep_logs(uint32_t scored, std::vector<float>& logs) const;
  // The entry that a candidate has for a tail, and how many there are to choose from.
  uint32_t entry_of(const Opened& opened, const Ranks& ranks, uint32_t tail) const {
    if (opened.arity <= 2) [[likely]]
      return opened.first_entries[tail] + ranks[tail];
    return tail_entry(tail_of(opened, tail), ranks, opened.arity, tail);
  }
  uint32_t entries_for(const Opened& opened, uint32_t tail) const {
    if (opened.arity <= 2) [[likely]]
      return opened.entry_counts[tail];
    const uint32_t node = tail_of(opened, tail);
    return last_entry(node) - first_entry(node);
  }
  uint32_t tail_of(const Opened& opened, uint32_t tail) const {
    return forest_->tails_of(forest_->groups[opened.group])[tail];
  }
  void accept(const Candidate& candidate, double score);
  void neighbours(Candidate candidate);
  bool mark_seen(uint32_t opened, const Ranks& ranks, uint32_t arity);
  void store();

  const ScoredGrammar& grammar_;
  uint32_t sentences_;
  CubePruningOptions options_;
  CubePruningCounters counters_;
  RuleRanking ranking_;
  std::optional<lm::FragmentMemo> memo_;
  std::vector<Opening> openings_;  // by rule, direct-mapped
  uint32_t sentence_ = 0;          // counts from 1
  const ContextFreeForest* forest_ = nullptr;
  std::vector<double> extra_;  // by edge, what classifiers of words say; empty: there are none
  std::vector<uint32_t> places_;

  // Of further language models, as many as there are for each opening, entry, alternative or thing
  // scored; beside what the first one has, so that one model alone pays nothing for them.
  uint32_t further_;
  std::vector<lm::FragmentMemo> further_memos_;
  std::vector<lm::MemoScorer::Opening> further_openings_;
  std::vector<lm::FragmentNumber> further_fragments_;
  std::vector<Scored> further_scored_;
  std::vector<float> entry_logs_, alternative_logs_;
  const uint32_t* further_passed_ = nullptr;  // their ids of the node's first word

  std::vector<ChartEntry> entries_;  // by node, best first
  std::vector<double> scores_;       // of entries_, side by side: they are looked at most often
  std::vector<lm::FragmentNumber> fragments_;
  std::vector<uint32_t> node_ends_;
  std::vector<ChartEntry> alternatives_;
  std::vector<uint32_t> more_ranks_;  // of rules with more tails than Ranks has room for

  // Of the node at hand:
  uint32_t node_ = 0;
  uint32_t passed_ = text::kUnknown;  // the language model's id of its first word
  std::vector<Opened> opened_;
  std::vector<Candidate> candidates_;
  CandidateHeap heap_;
  std::vector<Waiting> next_;   // neighbours of what was accepted
  std::vector<Scored> scored_;  // the first scored_count_; the others keep their memory
  uint32_t scored_count_ = 0;
  std::vector<Popped> popped_;
  HashIndex by_state_;  // of popped_
  std::vector<Seen> seen_;
  HashIndex by_ranks_;  // of seen_
  std::vector<std::pair<double, uint32_t>> order_;
};

}  // namespace demotic::decode::hiero
