// How forests come into being.
//
//   RulesBuilder rules;
//   uint32_t r = rules.add(lhs, source, target, feature_ids, feature_values, origin);
//   ForestBuilder builder(names, rules.finish());
//   uint32_t v = builder.add_node(label, begin, end);          nodes and edges in any order
//   builder.add_edge({.head = v, .tails = {...}, .rule = r, .score = -1.5});
//   Forest forest = builder.finalize(root);
//
// finalize sorts topologically (the order of insertion where it already is topological), refuses
// cycles, and trims nodes that are not part of a derivation of the root and edges of weight zero.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "forest/forest.h"

namespace demotic::forest {

class RulesBuilder {
 public:
  uint32_t add(uint32_t lhs, std::span<const int32_t> source, std::span<const int32_t> target,
               std::span<const uint32_t> feature_ids, std::span<const float> feature_values,
               uint32_t origin = kNone);
  uint32_t size() const { return static_cast<uint32_t>(lhs_.size()); }
  std::shared_ptr<const ForestRules> finish();

 private:
  std::vector<uint32_t> lhs_, origin_, source_off_{0}, target_off_{0}, feature_off_{0}, feature_id_;
  std::vector<int32_t> source_, target_;
  std::vector<float> feature_value_;
};

struct EdgeSpec {
  uint32_t head = 0;
  std::span<const uint32_t> tails = {};
  uint32_t rule = 0;
  double score = 0.0;  // -infinity: the edge is dropped
  float loss = 0.0f;
  std::span<const float> dense = {};  // one per dense feature, or empty for zeros
  std::span<const uint32_t> feature_ids = {};
  std::span<const float> feature_values = {};
};

// Where a finalized forest's nodes and edges came from: their numbers in the builder.
struct Provenance {
  std::vector<uint32_t> node, edge;
};

class ForestBuilder {
 public:
  ForestBuilder(std::shared_ptr<const ForestNames> names, std::shared_ptr<const ForestRules> rules,
                std::vector<uint32_t> dense_ids = {}, uint32_t context_width = 0);
  // For what follows from `model`: its names, rules and dense features.
  explicit ForestBuilder(const Forest& model) : ForestBuilder(model, model.context_width) {}
  ForestBuilder(const Forest& model, uint32_t context_width);

  uint32_t add_node(uint32_t label, uint32_t begin, uint32_t end,
                    std::span<const int32_t> context = {});
  uint32_t add_edge(const EdgeSpec& edge);
  // Edge e of `model` with another head and other tails.
  uint32_t copy_edge(const Forest& model, uint32_t e, uint32_t head,
                     std::span<const uint32_t> tails);
  uint32_t nodes() const { return static_cast<uint32_t>(label_.size()); }
  uint32_t edges() const { return static_cast<uint32_t>(head_.size()); }

  // Throws Error(format) on a cycle, naming its nodes, or if the root has no derivation.
  Forest finalize(uint32_t root, Provenance* provenance = nullptr) const;
  // As finalize, but false when the root has no derivation.
  bool try_finalize(uint32_t root, Forest& forest, Provenance* provenance = nullptr) const;

 private:
  void set_arities();
  std::vector<uint32_t> topological_order() const;
  [[noreturn]] void report_cycle(const std::vector<uint32_t>& waiting) const;
  std::vector<char> useful(const std::vector<uint32_t>& order, uint32_t root) const;
  std::string describe(uint32_t node) const;
  std::span<const uint32_t> tails_of(uint32_t e) const {
    return std::span(tails_).subspan(tail_off_[e], tail_off_[e + 1] - tail_off_[e]);
  }

  std::shared_ptr<const ForestNames> names_;
  std::shared_ptr<const ForestRules> rules_;
  std::vector<uint32_t> dense_id_;
  uint32_t context_width_;
  std::vector<uint32_t> arity_;  // of each rule

  std::vector<uint32_t> label_, span_, context_off_{0};
  std::vector<int32_t> context_;
  std::vector<uint32_t> head_, tail_off_{0}, tails_, rule_, feature_off_{0}, feature_id_;
  std::vector<double> score_;
  std::vector<float> loss_, dense_, feature_value_;
};

}  // namespace demotic::forest
