// The policy of the undirected decoder: which action comes next (Gesmundo and Henderson 2014).
//
//   UndirectedSearch search(options);
//   search.begin(forest, grammar, cff_weights);     inside-outside under these weights
//   Trajectory path;
//   search.decode(path);                            restarts and beam as the options say
//   search.replay(path, t, tree);                   the tree as it was before action t
//   search.follow(tree, path);                      the best action again and again, to the end
//   search.rank(tree, count, actions);              the best `count` actions of a state, in order
//
// The argmax is exact and lazy: candidates come in falling order of what is known without the words
// beside the gap; with a language model weight >= 0 and probabilities <= 1 those words can add no
// more than a bound that is constant for a slot, so most candidates are never looked at.  With a
// negative weight every candidate is; likewise a sentence is done again if a log probability above
// 0 turned up.
//
// With `lookahead` an action is scored by how the whole yield changes when every gap is filled with
// the best branch of its node (filled_yield.h), before and after.  Features stay what they are.
//
// Ties go to the older slot, then to the lower edge, then to the lower tail.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <utility>
#include <vector>

#include "decode/umt/action_lists.h"
#include "decode/umt/gap_features.h"
#include "decode/umt/partial_tree.h"

namespace demotic::decode::umt {

enum class Cff : uint8_t {
  raw,    // bounds of the slots that an action opens
  delta,  // less the bound of the slot that it closes
  off,
};

// Which of several open slots comes next.
enum class Turn : uint8_t {
  score,   // whose best action has the highest score
  margin,  // whose best action is the furthest ahead of the next best there
  age,     // the oldest
};

inline constexpr uint32_t kBeamWords = 300;

struct UndirectedOptions {
  double kappa = 0;  // what estimates of incomplete words count, 0 to 1
  Cff cff = Cff::raw;
  Turn turn = Turn::score;
  bool lazy = true;
  BoundKind bounds = BoundKind::local;
  bool lookahead = false;  // needs bounds of a chart
  bool stale_queue = false;
  uint32_t restarts = 1;
  uint32_t repairs = 0;       // passes over the finished tree
  uint32_t repair_width = 1;  // actions tried where a branch was cut off
  uint32_t beam = 1;          // of sentences of up to kBeamWords words
  uint32_t sparse_bits = 0;
};

struct Action {
  EdgeChoice edge{};
  uint32_t slot = kNoSlot;
  uint64_t choices = 0;  // actions that there were
  double score = 0;
  double local = 0;  // weighted features of its rule, without the language model's
  LmChange lm;       // log10
  CffVector cff{};   // feature values
  GapFeatures::Ids sparse;
};

struct Trajectory {
  std::vector<Action> actions;
  double score = 0;  // of the whole derivation under the model; bounds are no part of it
};

struct UndirectedSearchCounters : LmCounters {
  uint64_t actions = 0;  // scored, the language model's part or not
  uint64_t starts = 0;
  uint64_t downs = 0;
  uint64_t ups = 0;

  static constexpr auto kFields = std::tuple_cat(
      LmCounters::kFields, std::tuple{CounterField{"actions", &UndirectedSearchCounters::actions},
                                      CounterField{"starts", &UndirectedSearchCounters::starts},
                                      CounterField{"downs", &UndirectedSearchCounters::downs},
                                      CounterField{"ups", &UndirectedSearchCounters::ups}});
};

class UndirectedSearch {
 public:
  explicit UndirectedSearch(const UndirectedOptions& options)
      : options_(options), bounds_(options.bounds) {}

  // All of them must stay until the next call; `ranking` must know the forest's groups.
  void begin(const UndirectedForest& forest, RuleRanking& ranking, const ScoredGrammar& grammar,
             const CffVector& weights, const GapFeatures& sparse);

  void decode(Trajectory& path);
  void roll_out(Trajectory& path);  // without restarts or beam
  // Likewise, but the best `width` actions of each state get noise() added before one is taken.
  void stray(const std::function<double()>& noise, uint32_t width, Trajectory& path);
  // The complete tree of the last of them.
  const PartialTree& tree() const { return tree_; }
  void follow(PartialTree& tree, Trajectory& path);
  void replay(const Trajectory& path, size_t steps, PartialTree& tree);
  void rank(const PartialTree& tree, size_t count, std::vector<Action>& actions);
  void apply(PartialTree& tree, Action& action, Trajectory& path);
  // Of the partial tree's next step.
  uint64_t choices(const PartialTree& tree) const;

  const UndirectedOptions& options() const { return options_; }
  const UndirectedSearchCounters& counters() const { return counters_; }
  void reset_counters() { counters_ = {}; }

 private:
  struct Entry {  // of rank()'s heap
    double score;
    bool exact;
    uint32_t slot;
    uint32_t outlook;
    uint32_t index;
    Candidate candidate;
    LmChange lm;
  };
  struct Hypothesis {
    PartialTree tree;
    Trajectory path;
    double potential = 0;
  };
  struct Expansion {
    double potential;
    uint32_t parent;
    uint64_t signature;
    Action action;
    bool finished;  // nothing to add
  };

  static constexpr double kNoLimit = std::numeric_limits<double>::infinity();

  static bool worse(const Entry& a, const Entry& b);
  uint32_t list_of(const PartialTree& tree, uint32_t slot);
  double closed_bound(const PartialTree::Slot& slot) const;
  void begin_tree(PartialTree& tree) const;
  Outlook outlook(const PartialTree& tree, uint32_t slot) const;
  double bound_of(const PartialTree& tree, uint32_t slot, const Outlook& outlook) const;
  double exact(const PartialTree& tree, uint32_t slot, const Outlook& outlook,
               const Candidate& candidate, LmChange& lm, double most = kNoLimit,
               double least = -kNoLimit);
  PartialTree::Best best_of(const PartialTree& tree, uint32_t slot, const Outlook& outlook);
  void find_best(PartialTree& tree, uint32_t slot);
  Action action_of(const PartialTree& tree, uint32_t slot, const EdgeChoice& edge, double score,
                   const LmChange& lm) const;
  bool best_action(PartialTree& tree, Action& action);
  double potential(const PartialTree& tree, const Action& action) const;
  void run(Trajectory& path, uint32_t restarts, uint32_t beam);
  void run_once(Trajectory& path, uint32_t restarts, uint32_t beam);
  void run_from(Action start, uint32_t beam, PartialTree& tree, Trajectory& path);
  // beam.cc
  void run_beam(uint32_t width, PartialTree& tree, Trajectory& path);
  // repair.cc
  void repair(Trajectory& path);
  bool repair_at(uint32_t step, bool below, Trajectory& path);
  double copy_without(const PartialTree& from, uint32_t top, uint32_t cut, PartialTree& to);
  void retrace(const PartialTree& from, PartialTree& to, Trajectory& path);
  double local_score(const PartialTree& tree, const EdgeChoice& edge) const;

  UndirectedOptions options_;
  bool lazy_ = true;
  bool lookahead_ = false;
  double lm_weight_ = 0;  // of a log10
  CffVector weights_{};
  const UndirectedForest* forest_ = nullptr;
  RuleRanking* ranking_ = nullptr;
  const ScoredGrammar* grammar_ = nullptr;
  BranchBounds bounds_;
  GapFeatures sparse_;
  ActionLists lists_;
  PartialTree tree_;
  PartialTree other_tree_;
  PartialTree cut_tree_;
  PartialTree best_tree_;
  Trajectory other_path_;
  std::vector<Action> starts_;
  std::vector<Action> ranked_;
  std::vector<std::pair<uint32_t, uint32_t>> todo_;  // of a copy: steps and slots to put them on
  std::vector<uint32_t> parents_;
  std::vector<uint32_t> places_;
  std::vector<Entry> heap_;
  std::vector<Outlook> outlooks_;  // of rank()'s slots, in the order of their age
  std::vector<Hypothesis> beam_;
  std::vector<Hypothesis> next_beam_;
  std::vector<Expansion> expansions_;
  uint64_t counted_ = 0;  // candidates that counters_ knows of
  UndirectedSearchCounters counters_;
};

}  // namespace demotic::decode::umt
