// The discriminative parser: classifiers of labels say what a node over some items of the frontier
// costs, ln(1 + exp(-h)), and the cheapest tree is searched for, the cheapest state first.
//
//   FrontierLearner learner(symbols, labels, share, seed);
//   learner.add(tags, words, steps);                what is right in each state, what is not
//   learner.finish(least)                           rows of atoms for boosting
//   FrontierParser parser(symbols, labels, keys, classifiers, {.pops = 30});
//   parser.parse(tags, words, tree)                 false where no tree was found
//
// Each state that is popped is followed to its end, always by what is cheapest there; what was
// left aside waits as further states, unless it costs more than the best tree so far.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "features/tree_ensembles.h"
#include "hash_index.h"
#include "trees/chart_parser.h"
#include "trees/frontier.h"

namespace demotic::trees {

struct FrontierStep {
  uint32_t label, begin, size;
};

class FrontierLearner {
 public:
  // `labels`: the symbols that nodes have, one classifier each.  Of the nodes that are wrong in a
  // state one of `share` is kept, with that weight.
  FrontierLearner(FrontierSymbols symbols, std::vector<uint32_t> labels, uint32_t share,
                  uint64_t seed);

  void add(std::span<const uint32_t> tags, std::span<const uint32_t> words,
           std::span<const FrontierStep> steps);  // throws Error(argument)

  struct Rows {
    std::vector<uint64_t> begins{0};
    std::vector<uint32_t> atoms, label;  // label: which of `labels`, or their number
    std::vector<double> weight;
    std::vector<uint64_t> keys;  // of atoms
  };
  Rows finish(uint32_t least) const;  // atoms seen less often are left out

 private:
  void row(std::span<const uint64_t> atoms, uint32_t label, double weight);

  FrontierSymbols symbols_;
  std::vector<uint32_t> labels_;
  ItemTable items_;
  uint32_t share_;
  uint64_t random_;
  Rows rows_;
  std::vector<uint32_t> counts_;  // of atoms
  HashIndex index_;
};

struct FrontierSearch {
  uint32_t pops = 30;  // states that are followed to their end
  uint32_t open = 8;   // of what is left aside in a state, the cheapest
};

class FrontierParser {
 public:
  FrontierParser(FrontierSymbols symbols, std::vector<uint32_t> labels, std::vector<uint64_t> keys,
                 features::TreeEnsembles classifiers, uint32_t top);  // throws Error(corrupt)

  bool parse(std::span<const uint32_t> tags, std::span<const uint32_t> words,
             const FrontierSearch& search, ParsedTree& tree) const;

  // What may come next after these steps, and what it costs.
  std::vector<std::pair<FrontierStep, double>> next(std::span<const uint32_t> tags,
                                                    std::span<const uint32_t> words,
                                                    std::span<const FrontierStep> steps) const;

  // What a node over these items costs, by label.
  void costs(const ItemTable& items, std::span<const uint32_t> frontier, FrontierSpan span,
             std::vector<uint8_t>& holds, std::span<double> costs) const;

 private:
  friend class FrontierRun;
  FrontierSymbols symbols_;
  std::vector<uint32_t> labels_;
  std::vector<uint64_t> keys_;
  HashIndex index_;
  features::TreeEnsembles classifiers_;
  uint32_t top_;
};

}  // namespace demotic::trees
