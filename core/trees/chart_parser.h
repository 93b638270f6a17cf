// The best tree of a sentence under a HeadGrammar: CKY over spans, from the bottom up, with a beam.
//
//   ChartParser parser(grammar, {.items = 20, .width = 9.0});
//   ParsedTree tree;
//   if (!parser.parse(words, tags, work, tree)) ...        no tree within the beam
//
// A block takes all its right modifiers first, then those on the left.  In each span the best
// items by cost and prior are kept; a sentence without a tree is tried once more with a wider beam.
// Nothing recurses.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "hash_index.h"
#include "trees/head_grammar.h"

namespace demotic::trees {

struct ParseOptions {
  uint32_t items = 20;  // of each kind in a span
  double width = 9.0;   // worse than the best of its kind by more than this (in -ln p): dropped
};

struct ParsedTree {  // as TreeView
  std::vector<uint32_t> label, child_begin, child, head_child;
  double cost = 0.0;
};

// What one thread works with.
class ParseSpace;

class ChartParser {
 public:
  ChartParser(const HeadGrammar& grammar, const ParseOptions& options)
      : grammar_(grammar), options_(options) {}

  // False where no tree was found.
  bool parse(std::span<const uint32_t> words, std::span<const uint32_t> tags, ParseSpace& space,
             ParsedTree& tree) const;

 private:
  friend class ParseSpace;
  const HeadGrammar& grammar_;
  ParseOptions options_;
};

class ParseSpace {
 public:
  // -- for ChartParser

  enum class Kind : uint8_t { complete, right, left };  // right: takes modifiers on the right
  struct Item {
    Kind kind;
    uint32_t label, head_label, previous, head;
    uint32_t block, modifier;  // items that it was made of; kNoItem
    double cost, rank;         // rank: cost and prior
  };
  static constexpr uint32_t kNoItem = UINT32_MAX;

  void start(const ChartParser& parser, std::span<const uint32_t> words,
             std::span<const uint32_t> tags);
  void fill(size_t begin, size_t end);
  bool write(ParsedTree& tree);

 private:
  struct Cell {
    std::vector<uint32_t> complete, right, left;
  };
  struct Memo {
    uint64_t key;
    double value;
  };

  Cell& cell(size_t begin, size_t end) { return cells_[begin * (words_.size() + 1) + end]; }
  Block block_of(const Item& item) const;
  bool verb_within(size_t begin, size_t end) const { return verbs_[begin] < verbs_[end]; }
  double prior(uint32_t label, uint32_t head);
  template <class Compute>
  double remembered(uint64_t key, Compute&& compute);
  double attach_cost(Side side, const Item& block, size_t edge, const Item& modifier);
  double stop_cost(Side side, const Item& block, size_t edge);
  void offer(const Item& item);
  void combine(size_t begin, size_t end);
  void keep_offers(Kind kind, std::vector<uint32_t>& list);
  void close(size_t begin, size_t end, Cell& made);
  bool add(const Item& item, Cell& made, uint32_t& number);
  void trim(std::vector<uint32_t>& list) const;

  const ChartParser* parser_ = nullptr;
  const HeadGrammar* grammar_ = nullptr;
  std::span<const uint32_t> words_, tags_;
  std::vector<uint32_t> verbs_;  // how many before each token
  std::vector<Item> items_, offers_;
  std::vector<Cell> cells_;
  HashIndex offered_, placed_, remembered_;
  std::vector<Memo> memos_;
  std::vector<double> priors_;
};

}  // namespace demotic::trees
