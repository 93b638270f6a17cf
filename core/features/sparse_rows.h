// Sparse features of many things, compressed sparse rows: row i is ids[ends[i]] ... with values
// beside them.
//
//   SparseRows rows;                                being made
//   rows.add({ids, values});
//   SparseRowsView view = rows.view();              or SparseRowsView::load(container, "sparse")
//   check(view, things, space.size(), Fault::corrupt);
//   for (size_t k = 0; k < view[i].size(); ++k) view[i].ids[k], view[i].values[k]
//   double score = dot(view[i], weights);           weights by feature id
//   view.save(writer, "sparse");
//
// A view that was not checked may hold wrong numbers; reading a row or a product of it stays within
// the arrays all the same.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "io/container.h"
#include "io/error.h"

namespace demotic::features {

struct SparseRow {
  std::span<const uint32_t> ids;
  std::span<const float> values;

  size_t size() const { return ids.size(); }
  bool empty() const { return ids.empty(); }
};

struct SparseRowsView {
  std::span<const uint64_t> ends;  // rows + 1, the first is 0; empty when there are no rows at all
  std::span<const uint32_t> ids;
  std::span<const float> values;

  size_t size() const { return ends.empty() ? 0 : ends.size() - 1; }
  SparseRow operator[](size_t i) const {
    if (i >= size()) return {};
    const uint64_t begin = ends[i];
    const uint64_t end = ends[i + 1];
    if (begin > end || end > ids.size() || end > values.size()) return {};
    return {ids.subspan(begin, end - begin), values.subspan(begin, end - begin)};
  }

  // Sections PREFIX.ends, PREFIX.ids and PREFIX.values.
  void save(io::ContainerWriter& out, const std::string& prefix) const;
  static SparseRowsView load(const io::Container& in, const std::string& prefix);
};

class SparseRows {
 public:
  size_t size() const { return ends_.size() - 1; }
  // Throws Error(argument) unless every id has a finite value.
  void add(SparseRow row);
  void clear();
  SparseRowsView view() const { return {ends_, ids_, values_}; }

 private:
  std::vector<uint64_t> ends_{0};
  std::vector<uint32_t> ids_;
  std::vector<float> values_;
};

// Throws Error(fault) unless there are `rows` rows of finite values whose ids are below `features`.
void check(const SparseRowsView& view, size_t rows, uint32_t features, io::Fault fault);

template <class Weight>
double dot(SparseRow row, std::span<const Weight> weights) {
  double sum = 0.0;
  for (size_t k = 0; k < row.size(); ++k)
    if (row.ids[k] < weights.size())
      sum += static_cast<double>(weights[row.ids[k]]) * static_cast<double>(row.values[k]);
  return sum;
}

}  // namespace demotic::features
