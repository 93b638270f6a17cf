// The feature space of a decoder's forests: its dense features, then the sparse ones of its table.
//
//   ModelSpace space(table, feature_names);
//   space()                   shared; made when it is first asked for, as a table may have millions
//   space.sparse(id)          the id of the table's sparse feature `id`
//
// Copies are of one space.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "features/feature_space.h"
#include "features/sparse_rows.h"
#include "grammar/rule_table.h"

namespace demotic::decode {

class ModelSpace {
 public:
  ModelSpace(const grammar::RuleTable& table, std::vector<std::string> dense);

  const std::shared_ptr<const features::FeatureSpace>& operator()() const;
  uint32_t sparse(uint32_t id) const { return dense_ + id; }
  // The sparse features of a rule of the table, as features of this space.
  void add(features::SparseRow row, std::vector<uint32_t>& ids, std::vector<float>& values) const;

 private:
  struct Names;

  uint32_t dense_;
  std::shared_ptr<Names> names_;
};

}  // namespace demotic::decode
