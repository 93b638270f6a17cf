// Sparse features as they come, made one row: ids ascending, each once, its values summed.
//
//   RowSum<float> sum;
//   sum.add(id, 1);  sum.add(other_row);  ...
//   sum.finish();
//   sum.ids(), sum.values()
//   sum.clear();                              for the next row; memory is kept
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "features/sparse_rows.h"

namespace demotic::features {

template <class Value>
class RowSum {
 public:
  void clear() { terms_.clear(); }
  void add(uint32_t id, Value value) { terms_.emplace_back(id, value); }
  void add(SparseRow row) {
    for (size_t k = 0; k < row.size(); ++k) add(row.ids[k], static_cast<Value>(row.values[k]));
  }

  // Values of one id are summed in the order in which they came.
  void finish() {
    std::stable_sort(terms_.begin(), terms_.end(),
                     [](const Term& a, const Term& b) { return a.first < b.first; });
    ids_.clear();
    values_.clear();
    for (const auto& [id, value] : terms_) {
      if (ids_.empty() || ids_.back() != id) {
        ids_.push_back(id);
        values_.push_back(value);
      } else {
        values_.back() += value;
      }
    }
  }
  const std::vector<uint32_t>& ids() const { return ids_; }
  const std::vector<Value>& values() const { return values_; }

 private:
  using Term = std::pair<uint32_t, Value>;
  std::vector<Term> terms_;
  std::vector<uint32_t> ids_;
  std::vector<Value> values_;
};

}  // namespace demotic::features
