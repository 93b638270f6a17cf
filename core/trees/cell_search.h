// Tree transduction: leaves choose translations, head blocks take their siblings in the order of
// the source or swapped, each at a cost (7.5); the cheapest tree over the cells of a binarised
// tree.
//
//   PermutationModel model(trees, features, names, firsts, seconds, atoms);
//   CellSearch search(model, {.items = 40});
//   search.run(input);                      items and edges: the search space
//   search.yield()                          tokens of the best tree, in target order
//
// A classifier says how well it fits to keep the order, another one how well to swap it.  Their
// features are atoms that an attachment always has, and dynamic ones: a name with the translations
// of the block's head (and the sibling's), or of one of their dependents.
//
// Items of a cell are the same if their heads' translations and those of their direct dependents
// are.  Items worse than the best by more than `width` are dropped, then all but the best `items`.
//
// Where yields have a model, items differ by their yields, too, and borders of the sentence come
// with the root.
//
// A generative model asks what a sibling's translation costs given that of the head: a table for
// each attachment (`pairs`), beside what its classifiers say.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "hash_index.h"
#include "trees/bitree.h"

namespace demotic::trees {

constexpr uint32_t kNull = 0;  // the translation of words that have none

// Decision trees, those of a classifier one after another; nodes in preorder: where the atom holds,
// the next node follows, where it does not, `other` says which, counted from the tree's first.
struct DecisionTrees {
  static constexpr uint32_t kLeaf = UINT32_MAX;  // instead of an atom
  std::vector<uint32_t> classifier_ends;         // trees up to and with each classifier
  std::vector<uint32_t> tree_ends;               // nodes up to and with each tree
  std::vector<uint32_t> atom, other;             // by node
  std::vector<double> value;                     // of leaves
};

class PermutationModel {
 public:
  static constexpr uint32_t kNoWord = UINT32_MAX;

  // Without classifiers, all that counts is what attachments bring with them.
  PermutationModel() = default;
  // Dynamic atom k is the name `name[k]` with translations `first[k]` and `second[k]` (kNoWord).
  // Throws Error(corrupt) where tables do not fit each other.
  PermutationModel(DecisionTrees trees, uint32_t features, std::span<const uint32_t> name,
                   std::span<const uint32_t> first, std::span<const uint32_t> second,
                   std::span<const uint32_t> atom);

  uint32_t features() const { return features_; }
  // Trees of a classifier that no dynamic atom is in, and the others.
  std::span<const uint32_t> still(size_t classifier) const { return part(still_, classifier); }
  std::span<const uint32_t> moving(size_t classifier) const { return part(moving_, classifier); }
  uint32_t find(uint32_t name, uint32_t first, uint32_t second) const;  // an atom or kNoWord
  // The value of the leaf that a tree leads to, given which atoms hold.
  double walk(uint32_t tree, std::span<const uint8_t> holds) const;

 private:
  using Parts = std::vector<std::vector<uint32_t>>;
  static std::span<const uint32_t> part(const Parts& parts, size_t i) {
    return i < parts.size() ? std::span<const uint32_t>(parts[i]) : std::span<const uint32_t>();
  }
  void check() const;

  DecisionTrees trees_;
  uint32_t features_ = 0;
  Parts still_, moving_;
  std::vector<uint64_t> keys_;
  std::vector<uint32_t> atoms_;
  HashIndex index_;
};

// What the words are worth that items write, beyond what leaves and orders cost: a language model.
// A yield is a number that says all that matters to what comes before and behind.
class YieldModel {
 public:
  virtual ~YieldModel() = default;
  virtual size_t leaves() const = 0;  // candidates of all leaves
  virtual uint64_t leaf(uint32_t candidate, double& cost) = 0;
  virtual uint64_t join(uint64_t first, uint64_t second, double& cost) = 0;
  virtual double sentence(uint64_t yield) = 0;  // what its beginning and its end cost
};

struct CellSearchOptions {
  uint32_t items = 40;
  double width = 6.907755278982137;  // -ln 1e-3
  bool recombine = true;
  bool score_erased = false;  // permutations of a side without words cost something, too
  double order_weight = 1.0;  // of what permutations cost; not below 0
  double yield_weight = 1.0;  // of what yields cost; not below 0
};

// Names of dynamic atoms of an attachment, by what is put behind them.
enum class Slot : uint8_t { head, sibling, both, head_dependent, sibling_dependent };
constexpr size_t kSlots = 5;

struct CellInput {
  CellsView cells;
  std::span<const uint32_t> leaf_begins;  // candidates by token, and one more
  std::span<const uint32_t> leaf_target;
  std::span<const double> leaf_cost;
  std::span<const double> keep, swap;     // by attachment: added to what classifiers say
  std::span<const uint32_t> classifier;   // by attachment: that of keeping; the next is of swapping
  std::span<const uint32_t> atom_begins;  // by attachment, and one more
  std::span<const uint32_t> atoms;        // that always hold
  std::span<const uint32_t> name_begins;  // by attachment and slot, and one more
  std::span<const uint32_t> names;
  // By attachment where its table begins: for each candidate of the block's head a row of costs,
  // one for each candidate of the sibling's head.  Both empty: there are none.
  std::span<const uint32_t> pair_begins = {};
  std::span<const double> pairs = {};
  void check(uint32_t features) const;  // throws Error(argument)

 private:
  void check_pairs() const;
};

class CellSearch {
 public:
  static constexpr uint32_t kNone = UINT32_MAX;
  struct Item {
    uint32_t cell, target, dependents;  // translations of the head, and of dependents (a set)
    uint32_t token, rank;               // the head, and which of its candidates it has
    bool empty;                         // no words
    double cost;
    uint32_t best;       // edge
    uint64_t yield = 0;  // where yields have a model; of the root none
  };
  struct Edge {
    uint32_t head;            // item
    uint32_t choice;          // a leaf's candidate, or the attachment
    uint32_t block, sibling;  // items; kNone at leaves
    bool swapped;
    double cost;         // of a leaf; or of the permutation without its weight, and of the pair
    double yield = 0.0;  // what the model of yields says, without its weight
  };
  struct Word {
    uint32_t token, target;
  };

  CellSearch(const PermutationModel& model, const CellSearchOptions& options,
             YieldModel* yields = nullptr)
      : model_(model), options_(options), yields_(yields), holds_(model.features(), 0) {}

  void run(const CellInput& input);
  const std::vector<Item>& items() const { return items_; }
  const std::vector<Edge>& edges() const { return edges_; }
  uint32_t root() const { return cells_.back().front(); }
  std::vector<Word> yield() const;           // of the best tree, words without translation aside
  std::vector<uint32_t> best_edges() const;  // of the best tree, from the bottom up

 private:
  using Costs = std::pair<double, double>;  // of keeping and of swapping
  struct Memo {
    uint64_t key;
    Costs costs;
  };

  void fill_leaf(size_t token);
  void fill_block(size_t cell);
  void open(uint32_t attachment);  // sets the atoms that always hold
  void close(uint32_t attachment);
  Costs costs(uint32_t attachment, const Item& block, const Item& sibling);
  double moving_score(size_t classifier) const;
  double pair_cost(uint32_t attachment, const Item& block, const Item& sibling) const;
  void hold(Slot slot, uint32_t attachment, uint32_t first, uint32_t second);
  uint32_t with(uint32_t dependents, uint32_t target);
  void offer(Item item, Edge edge);
  void add_yield(Item& item, Edge& edge);
  void keep_best(size_t cell);

  const PermutationModel& model_;
  CellSearchOptions options_;
  YieldModel* yields_;
  const CellInput* input_ = nullptr;
  std::vector<uint8_t> holds_;  // by atom
  std::vector<uint32_t> held_;  // dynamic ones, to be let go
  Costs still_{0.0, 0.0};       // what the trees without dynamic atoms say
  std::vector<Memo> memos_;
  HashIndex remembered_, offered_, set_index_;
  std::vector<std::vector<uint32_t>> sets_;  // of dependents' translations, sorted
  std::vector<Item> items_, offers_;
  std::vector<Edge> edges_, offered_edges_;
  std::vector<std::vector<uint32_t>> cells_;  // items, the best first
  double least_ = 0.0;
};

}  // namespace demotic::trees
