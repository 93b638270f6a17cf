// The candidates among which the local model chooses (Tillmann and Zhang 2005, section 3).
//
//   BlockCandidates candidates(table, {.alternatives = 9});
//   candidates.successors(occurrences, events, group);    Delta of the blocks after one block
//   candidates.neutral(occurrence);                       Delta of a block without a predecessor
//   candidates.list[candidates.labels[i]]                 the i-th event's own
//
// The alternatives of a block share its source phrase and orientation; equal (block, orientation,
// source begin) are one candidate.  A true block that is too rare to be among the most frequent
// ones replaces the last of them, or its event is dropped.
#pragma once

#include <cstdint>
#include <vector>

#include "grammar/block_match.h"

namespace demotic::grammar {

struct CandidateOptions {
  uint32_t alternatives = 9;
  bool drop_rare = false;  // drop the event of a block that is not among its alternatives
};

struct BlockCandidate {
  uint32_t block;
  uint32_t source_begin, source_end;
  BlockOrientation orientation;

  friend bool operator==(const BlockCandidate&, const BlockCandidate&) = default;
};

class BlockCandidates {
 public:
  BlockCandidates(const BlockTable& table, const CandidateOptions& options)
      : table_(table), options_(options) {}

  void successors(std::span<const BlockOccurrence> occurrences, const OrientationEvents& events,
                  const OrientationEvents::Group& group);
  void neutral(const BlockOccurrence& occurrence);

  std::vector<BlockCandidate> list;
  std::vector<uint32_t> labels;  // an event each
  uint32_t rare = 0;    // of the last call: true blocks that are not among the alternatives
  uint32_t events = 0;  // of the last call: labels and dropped events

 private:
  void begin();
  void add(const BlockOccurrence& truth, BlockOrientation orientation);
  uint32_t place(const BlockCandidate& candidate);

  const BlockTable& table_;
  CandidateOptions options_;
};

}  // namespace demotic::grammar
