#include "forest/unite.h"

#include <algorithm>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "forest/builder.h"
#include "forest/feature_map.h"

namespace demotic::forest {

namespace {

// Joins name tables: where each table's entries went.
class NameJoin {
 public:
  std::vector<uint32_t> add(const Names& names) {
    std::vector<uint32_t> to(names.size());
    for (uint32_t i = 0; i < names.size(); ++i) {
      const auto [at, fresh] =
          index_.try_emplace(std::string(names[i]), static_cast<uint32_t>(all_.size()));
      if (fresh) all_.push_back(at->first);
      to[i] = at->second;
    }
    return to;
  }
  Names names() const { return Names(all_); }

 private:
  std::unordered_map<std::string, uint32_t> index_;
  std::vector<std::string> all_;
};

struct Renumbering {
  std::vector<uint32_t> word, label;
  FeatureMap feature;

  std::vector<int32_t> side(std::span<const int32_t> symbols) const {
    std::vector<int32_t> result(symbols.begin(), symbols.end());
    for (int32_t& symbol : result)
      if (symbol >= 0) symbol = static_cast<int32_t>(word[static_cast<size_t>(symbol)]);
    return result;
  }
};

}  // namespace

Forest unite(std::span<const Forest* const> forests) {
  if (forests.empty()) throw io::Error(io::Fault::argument, "the union of no forests");
  NameJoin words, labels;
  const std::shared_ptr<const features::FeatureSpace> space = joined_space(forests);
  std::vector<Renumbering> to;
  for (const Forest* f : forests)
    to.push_back({words.add(f->names->words), labels.add(f->names->labels),
                  FeatureMap(f->features(), *space)});
  auto names = std::make_shared<ForestNames>();
  *names = {words.names(), labels.names(), space};

  RulesBuilder rules;
  std::vector<uint32_t> first_rule;
  std::unordered_map<const ForestRules*, uint32_t> known;
  for (size_t i = 0; i < forests.size(); ++i) {
    const ForestRules& old = *forests[i]->rules;
    const auto [at, fresh] = known.try_emplace(&old, rules.size());
    first_rule.push_back(at->second);
    if (!fresh) continue;
    for (uint32_t r = 0; r < old.size(); ++r)
      rules.add(to[i].label[old.lhs[r]], to[i].side(old.source_side(r)),
                to[i].side(old.target_side(r)),
                to[i].feature(row(old.feature_off, old.feature_id, r)),
                row(old.feature_off, old.feature_value, r), old.origin[r]);
  }

  const std::vector<uint32_t> dense = to[0].feature(forests[0]->dense_id.view());
  uint32_t context_width = forests[0]->context_width;
  bool same_dense = true;
  for (size_t i = 1; i < forests.size(); ++i) {
    same_dense = same_dense && to[i].feature(forests[i]->dense_id.view()) == dense;
    if (forests[i]->context_width != context_width) context_width = 0;
  }

  ForestBuilder builder(names, rules.finish(), same_dense ? dense : std::vector<uint32_t>(),
                        context_width);
  std::vector<uint32_t> first_node;
  for (size_t i = 0; i < forests.size(); ++i) {
    const Forest& f = *forests[i];
    first_node.push_back(builder.nodes());
    for (uint32_t v = 0; v < f.root(); ++v)
      builder.add_node(to[i].label[f.label[v]], f.span[2 * v], f.span[2 * v + 1],
                       context_width > 0 ? to[i].side(f.context_of(v)) : std::vector<int32_t>());
  }
  // The roots' yields differ, so a context would be true of some of them only.
  const Forest& model = *forests[0];
  const uint32_t root =
      builder.add_node(to[0].label[model.label[model.root()]], model.span[2 * model.root()],
                       model.span[2 * model.root() + 1]);
  for (size_t i = 0; i < forests.size(); ++i) {
    const Forest& f = *forests[i];
    std::vector<uint32_t> tails;
    for (uint32_t v = 0; v < f.nodes(); ++v)
      for (uint32_t e = f.in_off[v]; e < f.in_off[v + 1]; ++e) {
        tails.clear();
        for (const uint32_t tail : f.tails_of(e)) tails.push_back(first_node[i] + tail);
        std::vector<uint32_t> ids;
        std::vector<float> values;
        if (!f.edge_feature_off.empty()) {
          ids = to[i].feature(row(f.edge_feature_off, f.edge_feature_id, e));
          const std::span<const float> own = row(f.edge_feature_off, f.edge_feature_value, e);
          values.assign(own.begin(), own.end());
        }
        const std::span<const float> block = f.dense_of(e);
        if (!same_dense)
          for (size_t d = 0; d < block.size(); ++d)
            if (block[d] != 0.0f) {
              ids.push_back(to[i].feature(f.dense_id[d]));
              values.push_back(block[d]);
            }
        builder.add_edge({.head = v == f.root() ? root : first_node[i] + v,
                          .tails = tails,
                          .rule = first_rule[i] + f.rule[e],
                          .score = f.score[e],
                          .loss = f.loss[e],
                          .dense = same_dense ? block : std::span<const float>(),
                          .feature_ids = ids,
                          .feature_values = values});
      }
  }
  return builder.finalize(root);
}

}  // namespace demotic::forest
