#include "features/sparse_rows.h"

#include <cmath>

namespace demotic::features {

void SparseRowsView::save(io::ContainerWriter& out, const std::string& prefix) const {
  out.section<uint64_t>(prefix + ".ends", ends);
  out.section<uint32_t>(prefix + ".ids", ids);
  out.section<float>(prefix + ".values", values);
}

SparseRowsView SparseRowsView::load(const io::Container& in, const std::string& prefix) {
  return {in.section<uint64_t>(prefix + ".ends"), in.section<uint32_t>(prefix + ".ids"),
          in.section<float>(prefix + ".values")};
}

void SparseRows::add(SparseRow row) {
  if (row.ids.size() != row.values.size())
    throw io::Error(io::Fault::argument, "features without values");
  for (const float value : row.values)
    if (!std::isfinite(value))
      throw io::Error(io::Fault::argument, "the value of a feature is not finite");
  ids_.insert(ids_.end(), row.ids.begin(), row.ids.end());
  values_.insert(values_.end(), row.values.begin(), row.values.end());
  ends_.push_back(ids_.size());
}

void SparseRows::clear() {
  ends_.assign(1, 0);
  ids_.clear();
  values_.clear();
}

void check(const SparseRowsView& view, size_t rows, uint32_t features, io::Fault fault) {
  const bool bordered =
      view.ends.size() == rows + 1 && view.ends.front() == 0 && view.ends.back() == view.ids.size();
  if (!bordered || view.ids.size() != view.values.size())
    throw io::Error(fault, "rows of sparse features differ in number");
  const auto refuse = [&](size_t row, const char* what) {
    throw io::Error(fault, "row " + std::to_string(row) + " of sparse features: " + what);
  };
  for (size_t i = 0; i < rows; ++i) {
    if (view.ends[i] > view.ends[i + 1]) refuse(i, "it ends before it begins");
    for (const uint32_t id : view[i].ids)
      if (id >= features) refuse(i, "an unknown feature");
    for (const float value : view[i].values)
      if (!std::isfinite(value)) refuse(i, "a value is not finite");
  }
}

}  // namespace demotic::features
