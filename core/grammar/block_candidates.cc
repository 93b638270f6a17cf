#include "grammar/block_candidates.h"

#include <algorithm>

namespace demotic::grammar {

void BlockCandidates::begin() {
  list.clear();
  labels.clear();
  rare = events = 0;
}

uint32_t BlockCandidates::place(const BlockCandidate& candidate) {
  const auto at = std::find(list.begin(), list.end(), candidate);
  const auto index = static_cast<uint32_t>(at - list.begin());
  if (at == list.end()) list.push_back(candidate);
  return index;
}

void BlockCandidates::add(const BlockOccurrence& truth, BlockOrientation orientation) {
  ++events;
  const uint32_t first = table_.first_block(truth.phrase);
  uint32_t known = std::min(table_.last_block(truth.phrase) - first, options_.alternatives);
  const bool is_rare = truth.block - first >= known;
  if (is_rare) {
    ++rare;
    if (options_.drop_rare) return;
    known = std::min(known, options_.alternatives - 1);
  }
  for (uint32_t b = first; b < first + known; ++b)
    place({b, truth.source_begin, truth.source_end, orientation});
  labels.push_back(place({truth.block, truth.source_begin, truth.source_end, orientation}));
}

void BlockCandidates::successors(std::span<const BlockOccurrence> occurrences,
                                 const OrientationEvents& events,
                                 const OrientationEvents::Group& group) {
  begin();
  for (uint32_t i = group.begin; i < group.end; ++i) {
    const BlockSuccessor& next = events.successors[i];
    add(occurrences[next.occurrence], next.orientation);
  }
}

void BlockCandidates::neutral(const BlockOccurrence& occurrence) {
  begin();
  add(occurrence, BlockOrientation::neutral);
}

}  // namespace demotic::grammar
