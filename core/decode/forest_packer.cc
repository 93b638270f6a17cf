#include "decode/forest_packer.h"

#include <numeric>

#include "text/vocab.h"

namespace demotic::decode {

uint32_t NumberedNames::number(std::string_view name) {
  const auto next = static_cast<uint32_t>(names_.size());
  const uint32_t number = index_.find_or_add(text::hash_word(name), next,
                                             [&](uint32_t i) { return names_[i] == name; });
  if (number == next) names_.emplace_back(name);
  return number;
}

ForestPacker::ForestPacker(std::span<const std::string> labels,
                           std::shared_ptr<const features::FeatureSpace> space)
    : labels_(labels.begin(), labels.end()),
      space_(std::move(space)),
      values_(space_->dense()),
      row_(space_->dense()) {}

uint32_t ForestPacker::add_rule(const PackedRule& made, uint64_t key) {
  keys_.push_back(key);
  return rules_.add(made.label, made.source, made.target, made.feature_ids, made.feature_values,
                    made.origin);
}

uint32_t ForestPacker::add_node(uint32_t label, uint32_t begin, uint32_t end) {
  if (builder_ == nullptr) open();
  return builder_->add_node(label, begin, end);
}

// From here on no rule or word is new.
void ForestPacker::open() {
  auto names = std::make_shared<forest::ForestNames>();
  *names = {forest::Names(words_.names()), forest::Names(labels_), space_};
  std::vector<uint32_t> dense(row_.size());
  std::iota(dense.begin(), dense.end(), 0u);
  builder_ = std::make_unique<forest::ForestBuilder>(names, rules_.finish(), std::move(dense));
}

PhraseGraph::PhraseGraph(std::span<const std::string> labels,
                         std::shared_ptr<const features::FeatureSpace> space,
                         std::span<const std::string> tokens)
    : ForestPacker(labels, std::move(space)), tokens_(tokens) {
  const std::vector<text::Symbol> hypothesis{text::slot_symbol(0)};
  add_rule({.label = kHypothesisLabel, .source = {}, .target = {}});
  add_rule({.label = kGoalLabel, .source = hypothesis, .target = hypothesis});
}

uint32_t PhraseGraph::add_start() {
  const uint32_t start = add_node(kHypothesisLabel, 0, 0);
  add_edge({.head = start, .rule = kEmptyRule});
  return start;
}

forest::Forest empty_forest(std::span<const std::string> labels,
                            std::shared_ptr<const features::FeatureSpace> space, uint32_t goal) {
  ForestPacker pack(labels, std::move(space));
  const uint32_t rule = pack.add_rule({.label = goal, .source = {}, .target = {}});
  const uint32_t root = pack.add_node(goal, 0, 0);
  pack.add_edge({.head = root, .rule = rule});
  return pack.finish(root);
}

}  // namespace demotic::decode
