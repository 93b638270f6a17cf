// A connected piece of a derivation, grown one rule at a time in any order (Gesmundo and Henderson
// 2014, section 3): what the undirected decoder holds while it works.
//
//   PartialTree tree;
//   tree.begin(forest, grammar);
//   tree.open()                                   slots, oldest first; one without any is complete
//   tree.change(edge, slot, budget, ...)          what an action would do to the language model
//   tree.grow(edge, slot)                         does it; slots whose carries changed lose `best`
//
// An action puts an edge on a slot: `down` below an open tail, by the edge's head; `up` above the
// open head, by one of the edge's tails; `start` on the empty tree, which has no slot.  Any legal
// order of actions ends in a derivation, since the forest holds only what Goal can reach.
//
// The yield is kept as the list of its gaps with their carries (gap_carry.h); the open head stands
// for both ends of it, so that the list is a ring until Goal closes it.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "decode/scored_grammar.h"
#include "decode/umt/filled_yield.h"
#include "decode/umt/forest.h"
#include "decode/umt/gap_carry.h"

namespace demotic::decode::umt {

inline constexpr uint32_t kNoSlot = UINT32_MAX;

// An edge of the forest and, going up, the tail by which it takes the tree.
struct EdgeChoice {
  uint32_t group;
  uint32_t place;  // of the rule in its group
  uint32_t child;

  auto operator<=>(const EdgeChoice&) const = default;  // of edges, then of tails
};

class PartialTree {
 public:
  struct Step {
    EdgeChoice edge;
    uint32_t slot;    // closed by it
    ByTail children;  // steps, or UINT32_MAX while they are missing
  };
  // The best action on a slot, as long as it holds.
  struct Best {
    bool valid = false;
    bool known = false;  // it held in the surroundings `outlook`
    double score = 0;
    double margin = 0;  // over the next best, where the search wants to know
    EdgeChoice edge{};
    LmChange lm;
  };
  struct Slot {
    uint32_t node;
    uint32_t step;      // whose nonterminal it is
    uint32_t which;     // tail, or kHeadSlot
    uint32_t previous;  // gap in the yield
    uint32_t next;
    Carry carry;
    Best best;
    Outlook outlook;  // of the search, when it looks ahead
  };

  // `stale`: change() looks at carries as they were when their slots opened.  With `branches` and
  // `surroundings`, by node, the yield with filled gaps is kept as well.
  void begin(const UndirectedForest& forest, const ScoredGrammar& grammar, bool stale,
             std::span<const lm::Fragment> branches = {},
             std::span<const Surroundings> surroundings = {});

  std::span<const uint32_t> open() const { return open_; }
  const Slot& slot(uint32_t number) const { return slots_[number]; }
  Slot& slot(uint32_t number) { return slots_[number]; }
  // The carry that scores look at.
  const Carry& carry(uint32_t number) const {
    return stale_ ? frozen_[number] : slots_[number].carry;
  }
  uint32_t slots() const { return static_cast<uint32_t>(slots_.size()); }
  uint32_t first_gap() const { return first_gap_; }  // of a tree with a Goal
  const FilledYield& filled() const { return filled_; }
  std::span<const Step> steps() const { return steps_; }
  bool complete() const { return open_.empty() && !steps_.empty(); }
  const LmChange& lm() const { return lm_; }         // sums over complete and incomplete words
  uint64_t signature() const { return signature_; }  // of the set of edges

  std::span<const uint32_t> tails(const EdgeChoice& edge) const {
    return forest_->tails(forest_->group(edge.group));
  }
  uint32_t head(const EdgeChoice& edge) const { return forest_->group(edge.group).head; }
  // The words of an edge, as the language model reads them, and its tails, from left to right.
  template <class Begin, class Word, class Tail>
  void each_symbol(const EdgeChoice& edge, Begin&& begin, Word&& word, Tail&& tail) const {
    grammar_->each_lm_symbol(rule(edge), forest_->passed()[edge.group], begin, word, tail);
  }
  // The words of an edge's target side that come to stand next to others: at its ends and beside
  // its nonterminals; kNoWord where there is none.
  struct Target {
    uint32_t first = kNoWord;
    uint32_t last = kNoWord;
    ByTail left_of = by_tail(kNoWord);
    ByTail right_of = by_tail(kNoWord);
  };
  Target target(const EdgeChoice& edge) const;
  // What an edge adds to the signature.
  uint64_t mark(const EdgeChoice& edge) const {
    return io::mix64(forest_->group(edge.group).first_edge + edge.place + uint64_t{1});
  }

  // False, and nothing known, as soon as the words cost more than `budget` (log10), those of
  // incomplete ones times kappa.
  bool change(const EdgeChoice& edge, uint32_t slot, double budget, double kappa, LmChange& made,
              LmCounters& counters) const;
  LmChange grow(const EdgeChoice& edge, uint32_t slot, LmCounters& counters);

  uint32_t rule(const EdgeChoice& edge) const {
    return forest_->group(edge.group).first_rule + edge.place;
  }

 private:
  struct Grower;

  template <class Recorder>
  void walk(const EdgeChoice& edge, const Slot* slot, const Carry* carry, LmWalk<Recorder>& walk,
            Recorder& recorder) const;
  template <class Recorder>
  void through_yield(const Slot& head, const Carry& carry, LmWalk<Recorder>& walk,
                     Recorder& recorder) const;
  uint32_t open_slot(uint32_t node, uint32_t step, uint32_t which);
  void outdate(uint32_t from, uint32_t Slot::* link);

  const UndirectedForest* forest_ = nullptr;
  const ScoredGrammar* grammar_ = nullptr;
  const lm::Model* lm_model_ = nullptr;
  bool stale_ = false;
  std::vector<Step> steps_;
  std::vector<Slot> slots_;
  std::vector<Carry> frozen_;  // by slot, if stale
  std::vector<uint32_t> open_;
  uint32_t head_ = kNoSlot;
  uint32_t first_gap_ = kNoSlot;
  FilledYield filled_;
  LmChange lm_;
  uint64_t signature_ = 0;
};

}  // namespace demotic::decode::umt
