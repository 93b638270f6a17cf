#include "forest/hold.h"

#include <numeric>
#include <vector>

namespace demotic::forest {

namespace {

// The same rules without features.
std::shared_ptr<const ForestRules> bare(const ForestRules& rules) {
  auto made = std::make_shared<ForestRules>(rules);
  made->feature_off = io::Array<uint32_t>(std::vector<uint32_t>(rules.size() + size_t{1}, 0));
  made->feature_id = {};
  made->feature_value = {};
  return made;
}

}  // namespace

Forest hold_sparse(const Forest& f, std::shared_ptr<const features::FeatureSpace> space,
                   std::span<const double> weights) {
  const uint32_t dense = f.features().dense();
  const uint32_t width = space->size();
  const bool held = width == dense + 1;
  if ((!held && width != dense) || (held && weights.size() != f.features().size()))
    throw io::Error(io::Fault::argument, "features and weights do not fit the forest's");
  std::vector<float> rows(size_t{f.edges()} * width, 0.0f);
  for (uint32_t e = 0; e < f.edges(); ++e) {
    float* row = rows.data() + size_t{e} * width;
    double worth = 0;
    for_each_feature(f, e, [&](uint32_t id, float value) {
      if (id < dense)
        row[id] += value;
      else if (held)
        worth += weights[id] * value;
    });
    if (held) row[dense] = static_cast<float>(worth);
  }
  std::vector<uint32_t> ids(width);
  std::iota(ids.begin(), ids.end(), 0u);
  auto names = std::make_shared<ForestNames>(*f.names);
  names->features = std::move(space);

  Forest result = f;
  result.names = std::move(names);
  result.rules = bare(*f.rules);
  result.dense_id = io::Array<uint32_t>(std::move(ids));
  result.dense = io::Array<float>(std::move(rows));
  result.edge_feature_off = {};
  result.edge_feature_id = {};
  result.edge_feature_value = {};
  check(result, io::Fault::argument);
  return result;
}

}  // namespace demotic::forest
