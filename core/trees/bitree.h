// The links between a tree and its translation that a tree transducer could have made: the heaviest
// set that is one-to-one and keeps the words below each block of a binarised tree together.
//
//   BitreeSearch search;
//   Bitree found = search.best(cells, candidates, target_size);
//   found.link[token]                      a target position, or kNoLink
//   found.steps                            attachments from the bottom up, with their orientation
//
// For each cell and target interval the best weight is found by splitting the interval in two
// (O(attachments * T^3 / 6), T: target positions with a candidate).  Ties: order kept before order
// swapped, attachments in the order of the cells (right ones first), the smallest split.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace demotic::trees {

// demotic.trees.binarise: leaves by token first, then blocks, smaller before larger.
struct CellsView {
  uint32_t tokens = 0;
  std::span<const uint32_t> begins;          // of attachments, by cell, and one more
  std::span<const uint32_t> block, sibling;  // cells, by attachment
  std::span<const uint8_t> right;

  size_t size() const { return begins.empty() ? 0 : begins.size() - 1; }
  void check() const;  // throws Error(argument)
};

struct BitreeCandidates {
  std::span<const uint32_t> begins;  // by token, and one more
  std::span<const uint32_t> position;
  std::span<const double> weight;
};

constexpr uint32_t kNoLink = UINT32_MAX;

struct Bitree {
  struct Step {
    uint32_t cell, attachment;
    bool swapped;
  };
  double weight = 0.0;
  std::vector<uint32_t> link;
  std::vector<Step> steps;
};

class BitreeSearch {
 public:
  Bitree best(const CellsView& cells, const BitreeCandidates& candidates, uint32_t target_size);

 private:
  size_t at(uint32_t begin, uint32_t end) const { return size_t{begin} * (width_ + 1) + end; }
  double* table(size_t cell) { return tables_.data() + cell * (width_ + 1) * (width_ + 1); }
  void fill_leaf(const BitreeCandidates& candidates, size_t token);
  void fill_block(const CellsView& cells, size_t cell);
  void trace(const CellsView& cells, const BitreeCandidates& candidates, Bitree& made);

  uint32_t width_ = 0;            // target positions that have a candidate
  std::vector<uint32_t> places_;  // these positions, in order
  std::vector<uint32_t> place_;   // by position
  std::vector<double> tables_;    // by cell and interval
};

}  // namespace demotic::trees
