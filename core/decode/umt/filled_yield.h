// The yield of a partial tree as it would be if every gap held the best branch of its node: what
// the undirected decoder looks at when it looks ahead.  Around it stand the best surroundings of
// its open head.
//
//   FilledYield filled;
//   filled.begin(model, branches, surroundings);    by node: the best branch's Fragment; none: off
//   filled.grow(tree, edge, slot, made)             after the tree has grown
//   Outlook outlook = filled.outlook(tree, slot);   what surrounds a gap
//   filled.change(tree, edge, slot, outlook)        log10 that an edge with its tails filled brings
//   filled.change(tree, edge)                       likewise, of one that the tree begins with
//
// A run, the words between a gap and the next one, is kept as one Fragment, so a look costs no more
// than the rule's own words and the joints between them, its branches and the runs on both sides.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "decode/rule_ranking.h"
#include "decode/umt/forest.h"
#include "decode/umt/gap_carry.h"
#include "decode/umt/surroundings.h"
#include "lm/chart.h"

namespace demotic::decode::umt {

class PartialTree;
struct EdgeChoice;

struct Outlook {
  lm::State left;      // of a gap: the context before it
  lm::Fragment right;  // of a gap: what follows it; of a head: the whole yield
  float base;          // log10 that the best branch brings to the gap, or surroundings to the yield

  bool operator==(const Outlook& other) const {
    return left == other.left && right == other.right && base == other.base;
  }
};

// At most what better context can add to the words at a Fragment's left edge, log10.
inline double most_gain(const lm::Fragment& fragment) {
  double sum = 0;
  for (unsigned i = 0; i < fragment.left_length; ++i) sum -= fragment.left_probs[i];
  return sum;
}

class FilledYield {
 public:
  void begin(const lm::Model* model, std::span<const lm::Fragment> branches,
             std::span<const Surroundings> surroundings) {
    model_ = model;
    branches_ = branches;
    surroundings_ = surroundings;
    runs_.clear();
  }
  bool on() const { return !branches_.empty(); }

  // `made` are the slots of the edge's tails, `head` the new open head or none.
  void grow(const PartialTree& tree, const EdgeChoice& edge, uint32_t closed,
            std::span<const uint32_t> made, uint32_t head);
  Outlook outlook(const PartialTree& tree, uint32_t slot) const;
  float change(const PartialTree& tree, const EdgeChoice& edge, uint32_t slot,
               const Outlook& outlook, LmCounters& counters) const;
  float change(const PartialTree& tree, const EdgeChoice& edge, LmCounters& counters) const {
    return around(tree, edge, kNoTail, {}, counters);
  }

 private:
  class Runs;

  // From a gap on, branches and runs until nothing before can matter; true if the yield's end was
  // reached, where `gap` is the open head or none.
  bool append(const PartialTree& tree, uint32_t& gap, lm::FragmentScorer& scorer,
              lm::Fragment& made) const;
  // An edge with its surroundings, over the tree's own yield as its tail `child`.
  float around(const PartialTree& tree, const EdgeChoice& edge, uint32_t child,
               const lm::Fragment& yield, LmCounters& counters) const;
  lm::State context(const PartialTree& tree, uint32_t gap) const;

  const lm::Model* model_ = nullptr;
  std::span<const lm::Fragment> branches_;
  std::span<const Surroundings> surroundings_;
  std::vector<lm::Fragment>
      runs_;                  // by slot: the words after it; of a head: at the yield's left edge
  lm::Fragment first_run_{};  // from <s> on, once there is a Goal
};

}  // namespace demotic::decode::umt
