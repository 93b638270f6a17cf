#include "decode/model_space.h"

#include <mutex>
#include <utility>

#include "io/error.h"

namespace demotic::decode {

struct ModelSpace::Names {
  const grammar::RuleTable& table;
  std::vector<std::string> dense;
  std::once_flag once;
  std::shared_ptr<const features::FeatureSpace> space;
};

ModelSpace::ModelSpace(const grammar::RuleTable& table, std::vector<std::string> dense)
    : dense_(static_cast<uint32_t>(dense.size())),
      names_(new Names{table, std::move(dense), {}, {}}) {}

const std::shared_ptr<const features::FeatureSpace>& ModelSpace::operator()() const {
  std::call_once(names_->once, [&] {
    const features::FeatureSpace* sparse = names_->table.sparse_space().get();
    features::FeatureSpaceBuilder all(names_->dense, sparse == nullptr ? 0 : sparse->bits());
    if (sparse != nullptr)
      for (uint32_t id = 0; id < sparse->named(); ++id)
        if (const std::string name = sparse->name(id); all.add(name) != this->sparse(id))
          throw io::Error(io::Fault::corrupt, "feature '" + name + "' is dense and sparse");
    names_->space = all.finish();
  });
  return names_->space;
}

void ModelSpace::add(features::SparseRow row, std::vector<uint32_t>& ids,
                     std::vector<float>& values) const {
  for (const uint32_t id : row.ids) ids.push_back(sparse(id));
  values.insert(values.end(), row.values.begin(), row.values.end());
}

}  // namespace demotic::decode
