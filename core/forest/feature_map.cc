#include "forest/feature_map.h"

#include <algorithm>
#include <string>
#include <unordered_set>

namespace demotic::forest {

namespace {

// Hashed places stand for the same names in spaces of the same size only.
uint32_t common_bits(std::span<const Forest* const> forests) {
  uint32_t bits = 0;
  for (const Forest* f : forests) {
    const uint32_t own = f->features().bits();
    if (bits != 0 && own != 0 && bits != own)
      throw io::Error(io::Fault::argument, "features hashed to 2^" + std::to_string(bits) +
                                               " and to 2^" + std::to_string(own) +
                                               " places have nothing in common");
    bits = std::max(bits, own);
  }
  return bits;
}

}  // namespace

std::shared_ptr<const features::FeatureSpace> joined_space(std::span<const Forest* const> forests) {
  if (forests.empty()) return features::dense_space({});
  const std::shared_ptr<const features::FeatureSpace>& first = forests[0]->names->features;
  if (std::all_of(forests.begin(), forests.end(),
                  [&](const Forest* f) { return f->features().same_as(*first); }))
    return first;
  std::vector<std::string> dense;
  std::unordered_set<std::string> known;
  for (const Forest* f : forests)
    for (uint32_t id = 0; id < f->features().dense(); ++id)
      if (std::string name = f->features().name(id); known.insert(name).second)
        dense.push_back(std::move(name));
  features::FeatureSpaceBuilder joined(dense, common_bits(forests));
  for (const Forest* f : forests)
    for (uint32_t id = f->features().dense(); id < f->features().named(); ++id)
      joined.add(f->features().name(id));
  return joined.finish();
}

std::vector<uint32_t> FeatureMap::operator()(std::span<const uint32_t> ids) const {
  std::vector<uint32_t> result;
  result.reserve(ids.size());
  for (const uint32_t id : ids) result.push_back((*this)(id));
  return result;
}

uint32_t FeatureMap::find(uint32_t id) const {
  const std::string name = from_.name(id);
  const uint32_t found = to_.find(name);
  if (found == features::kNoFeature)
    throw io::Error(io::Fault::argument, "feature '" + name + "' is not in the feature space");
  return found;
}

Forest in_space(const Forest& f, std::shared_ptr<const features::FeatureSpace> space) {
  const FeatureMap to(f.features(), *space);
  Forest result = f;
  auto names = std::make_shared<ForestNames>(*f.names);
  names->features = space;
  result.names = std::move(names);
  if (to.same()) return result;
  auto rules = std::make_shared<ForestRules>(*f.rules);
  rules->feature_id = Array<uint32_t>(to(f.rules->feature_id.view()));
  result.rules = std::move(rules);
  result.dense_id = Array<uint32_t>(to(f.dense_id.view()));
  result.edge_feature_id = Array<uint32_t>(to(f.edge_feature_id.view()));
  return result;
}

}  // namespace demotic::forest
