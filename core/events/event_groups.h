// Choices to learn from: each event says which of a group's candidates was right, or what each of
// them would have cost.
//
//   EventGroups events{...};  check(events);
//   events.rows(g)                candidates of group g
//   events.column(g, f)           dense feature f of each of them, side by side
//   events.for_each_sparse(g, [](uint32_t j, uint32_t id, float value) { ... })
//   events.labels(g)              the right candidates, one per event of the group
//   events.costs(g)               of each candidate, if there are costs; labels are the cheapest
//   events.group[e], events.label[e]    the group of event e, and its right candidate
//
// A candidate has sparse features in either or both of two layouts: `binary`, which holds a single
// feature of value 1 for each in four bytes, and compressed sparse rows for any others.  Several
// events may share a group.  Arrays may lie in memory or in a mapped file.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "features/sparse_rows.h"
#include "io/array.h"

namespace demotic::events {

inline constexpr uint32_t kNoBinary = UINT32_MAX;

struct EventGroups {
  uint32_t width = 0;               // dense features
  uint32_t sparse_size = 0;         // sparse features that there are
  io::Array<uint64_t> group_ptr;    // groups + 1, counting candidates
  io::Array<float> features;        // dense: group by group, in it feature by feature
  io::Array<uint32_t> binary = {};  // by candidate, or kNoBinary; empty when no candidate has any
  io::Array<uint64_t> sparse_ends = {};  // candidates + 1; empty when no candidate has any
  io::Array<uint32_t> sparse_ids = {};
  io::Array<float> sparse_values = {};
  io::Array<float> cost = {};     // by candidate; empty when labels say all
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
  bool has_sparse() const { return !binary.empty() || !sparse_ends.empty(); }
  features::SparseRowsView sparse_rows() const { return {sparse_ends, sparse_ids, sparse_values}; }
  std::span<const float> costs(size_t g) const {
    return cost.empty() ? std::span<const float>() : cost.view().subspan(group_ptr[g], rows(g));
  }
  // visit(j, id, value) for the sparse features of each candidate j of a group.
  template <class Visit>
  void for_each_sparse(size_t g, Visit&& visit) const {
    const uint32_t n = rows(g);
    if (const uint32_t* const b = binary_of(g))
      for (uint32_t j = 0; j < n; ++j)
        if (b[j] != kNoBinary) visit(j, b[j], 1.0f);
    for_each_in_rows(g, visit);
  }
  // The same of those in sparse rows alone.
  template <class Visit>
  void for_each_in_rows(size_t g, Visit&& visit) const {
    if (sparse_ends.empty()) return;
    for (uint32_t j = 0; j < rows(g); ++j)
      for_each_row_feature(g, j, [&](uint32_t id, float value) { visit(j, id, value); });
  }
  // The same of one candidate: visit(id, value).
  template <class Visit>
  void for_each_sparse_of(size_t g, uint32_t j, Visit&& visit) const {
    if (const uint32_t* const b = binary_of(g); b != nullptr && b[j] != kNoBinary)
      visit(b[j], 1.0f);
    if (!sparse_ends.empty()) for_each_row_feature(g, j, visit);
  }

 private:
  template <class Visit>
  void for_each_row_feature(size_t g, uint32_t j, Visit&& visit) const {
    const size_t candidate = group_ptr[g] + j;
    for (uint64_t i = sparse_ends[candidate]; i < sparse_ends[candidate + 1]; ++i)
      visit(sparse_ids[i], sparse_values[i]);
  }
};

// Where the events of each group begin; `group` must ascend.
std::vector<uint64_t> event_borders(std::span<const uint32_t> group, size_t groups);

// Throws Error(argument) unless sizes, borders and labels fit together, features and costs are
// finite, and no candidate costs less than a label.
void check(const EventGroups& events);

}  // namespace demotic::events
