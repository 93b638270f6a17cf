// The items of one aligned sentence pair: minimal translation units in source order, each with the
// label (events/stack_labels.h) that puts its target words where they belong.
//
//   ItgExtractor extract(options);
//   if (extract(source_size, target_size, links))        false: nothing to learn from, or too long
//     extract.items(), extract.sub_items()               valid until the next call
//
// Words without links aside, a block is a source interval whose links stay within its target hull,
// where no others end.  Blocks that inversion transduction grammar cannot split into two blocks are
// the items (Wu 1997; found in one pass as by Zhang, Gildea and Chiang 2008).  An item that holds
// several blocks in an order no such grammar can make, or words with links that cross, also gives
// the blocks within it, its sub-items, to the translation table.
//
// A source word without links is part of the item around it, or an item with an empty target side.
// A target word without links is part of the item around it, or goes to its neighbour; the table
// may get the neighbours with as many of these words as there can be, and as few.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "align/links.h"

namespace demotic::grammar {

struct ItgItem {
  uint32_t source_begin, source_end;
  uint32_t target_begin, target_end;
  uint32_t label = 0;  // none for sub-items

  bool is_empty() const { return target_begin == target_end; }
  uint32_t source_size() const { return source_end - source_begin; }
  uint32_t target_size() const { return target_end - target_begin; }
};

// Which of the blocks within an item the table gets: those with one linked word on a side at least,
// all, none.
enum class SubItems : uint8_t { itg, all, none };
// Where target words between items go.
enum class Unaligned : uint8_t { next, previous };

struct ItgOptions {
  SubItems sub_items = SubItems::itg;
  Unaligned unaligned = Unaligned::next;
  uint32_t max_words = 100;  // of a sentence; longer pairs are passed over
  uint32_t compose = 0;      // source words of items that are composed of others; 0: none are
  bool loose = false;        // items with any of the unlinked target words at their borders
};

class ItgExtractor {
 public:
  // Throws Error(argument) where an option is out of its range.
  explicit ItgExtractor(const ItgOptions& options = {});

  // Links may come in any order, and more than once.
  bool operator()(uint32_t source_size, uint32_t target_size, std::span<const align::Link> links);

  std::span<const ItgItem> items() const { return items_; }
  std::span<const ItgItem> sub_items() const { return sub_items_; }
  // Neighbours that are a block together, of `compose` source words at most, without labels.
  std::span<const ItgItem> composed() const { return composed_; }
  // Items and composed ones with other unlinked target words at their borders; without labels.
  std::span<const ItgItem> loosened() const { return loosened_; }
  // Cuts the sentence anew, from left to right: the longest composed item wherever there is one.
  void take_composed();

 private:
  // Of positions among linked words.
  struct Element {
    uint32_t begin, end;  // source, the end exclusive
    uint32_t low, high;   // target hull, inclusive
    uint32_t links;
    bool is_block;
    uint32_t first_leaf;  // its leaves are the last ones from there on
  };
  struct Leaf {
    uint32_t begin, end, low, high;
  };

  void compress(uint32_t target_size, std::span<const align::Link> links);
  void parse();
  bool reduce();
  void keep_sub_items(size_t first_leaf);
  void decompress(uint32_t source_size, uint32_t target_size);
  void compose();
  void loosen(const ItgItem& item, uint32_t target_size);
  void label();

  ItgOptions options_;
  std::vector<align::Link> links_;
  std::vector<uint32_t> source_places_, target_places_;  // of linked words, in the sentence
  std::vector<uint32_t> numbers_;                        // of words among those with links
  std::vector<uint32_t> target_links_before_;            // by linked target word
  std::vector<Element> words_, stack_;
  std::vector<Leaf> leaves_;
  std::vector<Leaf> sub_leaves_;
  std::vector<ItgItem> items_, sub_items_, composed_, loosened_;
  std::vector<uint32_t> by_target_;
  std::vector<std::array<uint32_t, 2>> spans_;  // the labeller's stack, of target words
};

}  // namespace demotic::grammar
