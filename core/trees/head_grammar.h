// A lexicalised grammar after Collins (1997, model 1): a node makes its head child, then modifiers
// outwards on the right and on the left, each given the node, the head and the modifier before it.
//
//   HeadGrammarCounter counter(symbols, words, is_verb, top);
//   counter.add(tree, words_of_tree);                  trees as flat arrays, in post-order
//   HeadGrammar grammar(counter.finish());
//   grammar.head_cost(P, H, tag, word), grammar.modifier_cost(...)       -ln p
//
// Labels and tags are symbols of one numbering; words are numbers, rare ones share one by their
// shape.  Estimates are interpolated from fine contexts to coarse ones (Witten and Bell, with
// Collins' factor of 5); contexts and events are kept by 64-bit hashes.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "hash_index.h"

namespace demotic::trees {

// A tree in post-order; the leaves are its tokens.
struct TreeView {
  std::span<const uint32_t> label, child_begin, child, head_child;  // child_begin: one more
  size_t size() const { return label.size(); }
};

struct HeadGrammarContent {
  uint32_t symbols = 0, words = 0, top = 0;
  std::vector<uint8_t> is_verb;  // by symbol
  std::vector<uint64_t> event_key, context_key;
  std::vector<uint32_t> event_count, context_total, context_types;
  std::vector<uint32_t> parent_of, parent;  // pairs: a head child and a node over it
  std::vector<uint64_t> allowed;            // (node, side, modifier): seen
};

enum class Side : uint8_t { left = 0, right = 1 };

// A head block that takes modifiers.
struct Block {
  uint32_t node, head_label;  // symbols
  uint32_t tag, word;         // of the head
  uint32_t previous;          // the modifier before on this side, or kFirst
  bool verb;                  // is one between the head and the block's edge?
};

struct Modifier {
  uint32_t label, tag, word;
};

constexpr uint32_t kFirst = UINT32_MAX;
constexpr uint32_t kStop = UINT32_MAX - 1;

class HeadGrammar {
 public:
  explicit HeadGrammar(HeadGrammarContent content);  // throws Error(corrupt)

  const HeadGrammarContent& content() const { return content_; }
  uint32_t symbols() const { return content_.symbols; }
  uint32_t words() const { return content_.words; }
  uint32_t top() const { return content_.top; }
  bool is_verb(uint32_t tag) const { return content_.is_verb[tag] != 0; }

  // The nodes that a head child may be below.
  std::span<const uint32_t> parents(uint32_t head_label) const;
  bool allowed(uint32_t node, Side side, uint32_t modifier) const {
    return allowed_[(size_t{node} * 2 + static_cast<size_t>(side)) * content_.symbols + modifier];
  }

  double root_cost(uint32_t tag, uint32_t word) const;
  double head_cost(uint32_t node, uint32_t head_label, uint32_t tag, uint32_t word) const;
  double modifier_cost(Side side, const Block& block, const Modifier& modifier) const;
  double stop_cost(Side side, const Block& block) const;
  // How rare a node with this head is anywhere: makes blocks of different heads comparable.
  double prior_cost(uint32_t label, uint32_t tag, uint32_t word) const;

 private:
  double probability(std::span<const uint64_t> contexts, uint64_t outcome, double least) const;

  HeadGrammarContent content_;
  HashIndex events_, contexts_;
  std::vector<uint32_t> parents_, parents_begin_;
  std::vector<bool> allowed_;
};

class HeadGrammarCounter {
 public:
  HeadGrammarCounter(uint32_t symbols, uint32_t words, std::vector<uint8_t> is_verb, uint32_t top);

  void add(const TreeView& tree, std::span<const uint32_t> words);  // throws Error(argument)
  HeadGrammarContent finish() const { return content_; }

 private:
  void count(std::span<const uint64_t> contexts, uint64_t outcome);
  void count_modifiers(const TreeView& tree, std::span<const uint32_t> words, size_t node);

  HeadGrammarContent content_;
  HashIndex events_, contexts_, allowed_, pairs_;
  std::vector<uint32_t> head_, begin_, end_, tag_;  // of the tree being counted, by node or token
};

}  // namespace demotic::trees
