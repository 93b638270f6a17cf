// The blocks of a sentence pair and how they follow each other (Tillmann and Zhang 2005, section
// 2).
//
//   BlockMatcher match(table, max_words);
//   std::span<const BlockOccurrence> found = match(source, target);           wherever both sides
//                                            are found: string matching
//   std::span<const BlockOccurrence> found = match(source, target, places);   only at given places
//   OrientationEvents events = orientation_events(found, target_size, boundary);
//
// A block b' is a predecessor of b if b begins on the target where b' ends and they touch on the
// source: right (R) if b begins where b' ends, left (L) if b ends where b' begins.  A block without
// a predecessor is neutral (N).  With Boundary::start, a virtual block <s> at [0, 0) precedes a
// block that begins both sides, with orientation R.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "grammar/block_extract.h"
#include "grammar/block_table.h"

namespace demotic::grammar {

enum class BlockOrientation : uint8_t { left, right, neutral };
enum class Boundary : uint8_t { start, neutral };

struct BlockOccurrence {
  uint32_t block;
  uint32_t phrase;
  uint32_t source_begin, source_end;
  uint32_t target_begin, target_end;

  friend auto operator<=>(const BlockOccurrence&, const BlockOccurrence&) = default;
};

class BlockMatcher {
 public:
  explicit BlockMatcher(const BlockTable& table);

  // Sorted by (target_begin, source_begin, source_end, block).
  std::span<const BlockOccurrence> operator()(std::span<const uint32_t> source,
                                              std::span<const uint32_t> target);
  std::span<const BlockOccurrence> operator()(std::span<const uint32_t> source,
                                              std::span<const uint32_t> target,
                                              std::span<const BlockPlace> places);

 private:
  void sort();

  const BlockTable& table_;
  std::vector<BlockOccurrence> found_;
  std::vector<uint32_t> first_at_;  // by target word: its first position + 1 in the sentence
  std::vector<uint32_t> next_at_;   // by position: the next one of the same word + 1
};

// The blocks that follow one block, by their places among the occurrences.
struct BlockSuccessor {
  uint32_t occurrence;
  BlockOrientation orientation;
};

struct OrientationEvents {
  struct Group {
    uint32_t predecessor;  // an occurrence, or kBeginBlock for <s>
    uint32_t begin, end;   // among successors
  };
  std::vector<Group> groups;  // of predecessors that have successors; <s> comes first
  std::vector<BlockSuccessor> successors;
  std::vector<uint32_t> neutral;  // occurrences without a predecessor

  void find(std::span<const BlockOccurrence> occurrences, uint32_t target_size, Boundary boundary);

 private:
  std::vector<uint32_t> first_;  // by target position: the first occurrence that begins there
  std::vector<char> follows_;
};

}  // namespace demotic::grammar
