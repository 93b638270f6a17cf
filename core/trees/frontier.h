// Parsing from the bottom up and from right to left, one constituent at a time (Turian and Melamed
// 2006): a state is the frontier of a sentence, items from left to right that cover all its words;
// an inference puts a node over some of them.
//
//   ItemTable items(symbols);
//   items.start(tags, words);                       leaves 0 ... n - 1
//   std::vector<uint32_t> frontier = items.leaves();
//   for (const Span span : spans_of(items, frontier)) atoms_of(items, frontier, span, atoms);
//   items.put(frontier, span, label, head)          the next frontier
//
// A new node covers the leftmost node there is, or lies wholly to the left of it, so that every
// tree has exactly one order in which its nodes are made.  No node begins or ends with punctuation.
// A frontier with one item that is no punctuation is done.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "hash_index.h"

namespace demotic::trees {

// What labels and tags are, by symbol.
struct FrontierSymbols {
  std::vector<uint8_t> punctuation;
  std::vector<uint32_t> coarse;  // a symbol for several alike
  // Labels and which of their children is the head: (label, child), the most likely first.
  std::vector<uint32_t> head_label, head_child;
  std::vector<uint8_t> head_right;  // of equals the last child, not the first

  size_t size() const { return coarse.size(); }
  void check() const;  // throws Error(corrupt)
};

constexpr size_t kMostChildren = 5;

struct FrontierItem {
  uint32_t label, token, begin, end;  // token: that of its head
  uint32_t children[kMostChildren];   // items; none of leaves
  uint32_t arity, head;               // head: which of its children
  bool is_leaf() const { return arity == 0; }
};

struct FrontierSpan {
  uint32_t begin, size;  // places in the frontier
};

// Items of one sentence; equal ones are one.
class ItemTable {
 public:
  explicit ItemTable(const FrontierSymbols& symbols);

  void start(std::span<const uint32_t> tags, std::span<const uint32_t> words);
  const FrontierItem& operator[](uint32_t i) const { return items_[i]; }
  size_t tokens() const { return tags_.size(); }
  uint32_t tag(uint32_t token) const { return tags_[token]; }
  uint32_t word(uint32_t token) const { return words_[token]; }
  const FrontierSymbols& symbols() const { return symbols_; }
  bool is_punctuation(uint32_t i) const {
    return items_[i].is_leaf() && symbols_.punctuation[items_[i].label];
  }
  // A node over items; the head is the child that is most often one under this label.
  uint32_t node(uint32_t label, std::span<const uint32_t> children);
  std::vector<uint32_t> put(std::span<const uint32_t> frontier, FrontierSpan span, uint32_t label);
  // Is there a chain of nodes with one child each below this item that has the label?
  bool chain_has(uint32_t item, uint32_t label) const;

 private:
  uint32_t head_of(uint32_t label, std::span<const uint32_t> children) const;

  const FrontierSymbols& symbols_;
  std::vector<uint32_t> ranks_;  // by label and child
  std::span<const uint32_t> tags_, words_;
  std::vector<FrontierItem> items_;
  HashIndex index_;
};

// Where the next node may be.
std::vector<FrontierSpan> spans_of(const ItemTable& items, std::span<const uint32_t> frontier);
// The one item that is no punctuation; UINT32_MAX where there are none or several.
uint32_t single(const ItemTable& items, std::span<const uint32_t> frontier);
// What is to be seen of a node over these items, as hashes; what the label is does not show.
void atoms_of(const ItemTable& items, std::span<const uint32_t> frontier, FrontierSpan span,
              std::vector<uint64_t>& atoms);

}  // namespace demotic::trees
