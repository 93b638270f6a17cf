// How a search space becomes a Forest (forest/forest.h) that stands on its own: words, labels and
// rules numbered as they are met, one dense row of features for each edge.  The features are those
// of the decoder's space, which all of its forests share.
//
//   ForestPacker pack(labels, space);
//   uint32_t r = pack.rule(key, [&](PackedRule& made) { ... });    all rules first; of each key one
//   uint32_t v = pack.add_node(label, begin, end);
//   pack.add_edge({.head = v, .rule = r, .score = s}, [&](std::span<double> features) { ... });
//   Forest f = pack.finish(root);
//
// Decoders that write phrase after phrase share PhraseGraph: a node is a hypothesis, S, and an edge
// adds one phrase to the one before it, as a rule S -> S1 phrase; Goal -> S1 closes.
//
// A rule's origin is its number in the decoder's table; rules that are not in the table have none.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "features/feature_space.h"
#include "forest/builder.h"
#include "forest/forest.h"
#include "hash_index.h"
#include "io/checksum.h"
#include "text/symbol.h"

namespace demotic::decode {

// Names numbered as they are met.
class NumberedNames {
 public:
  uint32_t number(std::string_view name);
  const std::vector<std::string>& names() const { return names_; }

 private:
  HashIndex index_;
  std::vector<std::string> names_;
};

// A rule to be; words are those of ForestPacker::word.
struct PackedRule {
  uint32_t label = 0;
  uint32_t origin = forest::kNone;
  std::vector<text::Symbol> source, target;
  std::vector<uint32_t> feature_ids = {};  // sparse ones
  std::vector<float> feature_values = {};
};

class ForestPacker {
 public:
  // Each edge has a value of each dense feature of the space.
  ForestPacker(std::span<const std::string> labels,
               std::shared_ptr<const features::FeatureSpace> space);

  // -- before the first node

  text::Symbol word(std::string_view spelling) {
    return static_cast<text::Symbol>(words_.number(spelling));
  }
  // The rule of this key; `write(made)` fills in one that is new.
  template <class Write>
  uint32_t rule(uint64_t key, Write&& write) {
    const auto next = static_cast<uint32_t>(keys_.size());
    const uint32_t number =
        numbers_.find_or_add(io::mix64(key), next, [&](uint32_t i) { return keys_[i] == key; });
    if (number == next) {
      PackedRule made;
      write(made);
      add_rule(made, key);
    }
    return number;
  }
  // One that nobody will ask for by a key.
  uint32_t add_rule(const PackedRule& made, uint64_t key = 0);

  // -- then

  uint32_t add_node(uint32_t label, uint32_t begin, uint32_t end);
  // `fill(features)` adds the dense features to zeros.
  template <class Fill>
  uint32_t add_edge(forest::EdgeSpec edge, Fill&& fill) {
    std::fill(values_.begin(), values_.end(), 0.0);
    fill(std::span<double>(values_));
    std::copy(values_.begin(), values_.end(), row_.begin());
    edge.dense = row_;
    return builder_->add_edge(edge);
  }
  // One whose features are 0.
  uint32_t add_edge(const forest::EdgeSpec& edge) { return builder_->add_edge(edge); }

  forest::Forest finish(uint32_t root, forest::Provenance* provenance = nullptr) const {
    return builder_->finalize(root, provenance);
  }

 private:
  void open();

  std::vector<std::string> labels_;
  std::shared_ptr<const features::FeatureSpace> space_;
  NumberedNames words_;
  forest::RulesBuilder rules_;
  HashIndex numbers_;           // of rules, by key
  std::vector<uint64_t> keys_;  // by rule
  std::unique_ptr<forest::ForestBuilder> builder_;
  std::vector<double> values_;
  std::vector<float> row_;
};

class PhraseGraph : public ForestPacker {
 public:
  static constexpr uint32_t kHypothesisLabel = 0;
  static constexpr uint32_t kGoalLabel = 1;

  // The first two labels are those of hypotheses and of the goal.
  PhraseGraph(std::span<const std::string> labels,
              std::shared_ptr<const features::FeatureSpace> space,
              std::span<const std::string> tokens);

  // `origin` over these source words, kNone for a word that passes through; `write(made)` appends
  // the words of its target side, and its sparse features.
  template <class Write>
  uint32_t phrase(uint32_t origin, uint32_t begin, uint32_t end, Write&& write) {
    const bool passed = origin == forest::kNone;  // one rule for each place
    return rule(uint64_t{origin} << 32 | (passed ? begin : 0), [&](PackedRule& made) {
      made = {kHypothesisLabel, origin, {text::slot_symbol(0)}, {text::slot_symbol(0)}};
      for (uint32_t i = begin; i < end; ++i) made.source.push_back(word(tokens_[i]));
      if (passed)
        made.target.push_back(made.source.back());
      else
        write(made);
    });
  }

  // The hypothesis that has translated nothing.
  uint32_t add_start();
  uint32_t add_goal() { return add_node(kGoalLabel, 0, static_cast<uint32_t>(tokens_.size())); }
  // From a complete hypothesis to the goal.
  template <class Fill>
  uint32_t add_end(uint32_t goal, uint32_t tail, double score, Fill&& fill) {
    return add_edge({.head = goal, .tails = {&tail, 1}, .rule = kCloseRule, .score = score}, fill);
  }

 private:
  static constexpr uint32_t kEmptyRule = 0;
  static constexpr uint32_t kCloseRule = 1;

  std::span<const std::string> tokens_;
};

// Of a sentence without words: the goal over nothing, all features 0.
forest::Forest empty_forest(std::span<const std::string> labels,
                            std::shared_ptr<const features::FeatureSpace> space, uint32_t goal);

}  // namespace demotic::decode
