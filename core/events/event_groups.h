// Choices to learn from: each event says which of a group's candidates was right.
//
//   EventGroups events{...};  check(events);
//   events.rows(g)                candidates of group g
//   events.column(g, f)           feature f of each of them, side by side
//   events.binary_of(g)           the binary feature of each, or kNoBinary
//   events.labels(g)              the right candidates, one per event of the group
//   events.group[e], events.label[e]    the group of event e, and its right candidate
//
// Several events may share a group.  Arrays may lie in memory or in a mapped file.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "io/array.h"

namespace demotic::events {

inline constexpr uint32_t kNoBinary = UINT32_MAX;

struct EventGroups {
  uint32_t width = 0;             // dense features
  uint32_t binaries = 0;          // binary features that there are
  io::Array<uint64_t> group_ptr;  // groups + 1, counting candidates
  io::Array<float> features;      // group by group, in it feature by feature
  io::Array<uint32_t> binary;     // by candidate; empty when no candidate has any
  io::Array<uint64_t> event_ptr;  // groups + 1, counting events
  io::Array<uint32_t> group;      // by event, ascending
  io::Array<uint32_t> label;      // by event, counting from the group's first candidate

  size_t groups() const { return group_ptr.empty() ? 0 : group_ptr.size() - 1; }
  size_t events() const { return label.size(); }
  size_t candidates() const { return group_ptr.empty() ? 0 : group_ptr[groups()]; }
  uint32_t rows(size_t g) const { return static_cast<uint32_t>(group_ptr[g + 1] - group_ptr[g]); }
  const float* column(size_t g, uint32_t f) const {
    return features.data() + group_ptr[g] * width + size_t{f} * rows(g);
  }
  std::span<const uint32_t> labels(size_t g) const {
    return label.view().subspan(event_ptr[g], event_ptr[g + 1] - event_ptr[g]);
  }
  const uint32_t* binary_of(size_t g) const {
    return binary.empty() ? nullptr : binary.data() + group_ptr[g];
  }
};

// Where the events of each group begin; `group` must ascend.
std::vector<uint64_t> event_borders(std::span<const uint32_t> group, size_t groups);

// Throws Error(argument) unless sizes, borders and labels fit together and features are finite.
void check(const EventGroups& events);

}  // namespace demotic::events
