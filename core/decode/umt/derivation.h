// A derivation that the undirected decoder has grown, with the order in which it grew.
//
//   UndirectedDerivation d = grown_derivation(tree, path, forest);
//   complete(d, tokens, sentence, grammar);         as for any derivation (decode/derivation.h)
//   add_action_features(action, ...)                phi, in the order of the undirected features
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "decode/derivation.h"
#include "decode/umt/search.h"

namespace demotic::decode::umt {

enum class ActionKind : uint8_t { start, down, up };

struct GrowthAction {
  ActionKind kind;
  uint32_t step;     // of the derivation: the one that it added
  uint32_t slot;     // down: the tail of its parent that it fills; up: its own tail that it puts on
                     // the tree; start: 0
  uint64_t choices;  // actions that there were
  double score;
};

struct UndirectedDerivation : Derivation {
  std::vector<GrowthAction> actions;
  std::vector<double> action_features;  // by action, one after the other
};

std::vector<std::string> undirected_feature_names(const grammar::RuleTable& table);

// The derivation's steps, and its actions without their features.
UndirectedDerivation grown_derivation(const PartialTree& tree, const Trajectory& path,
                                      const UndirectedForest& forest);

// Adds phi of one action.
void add_action_features(const Action& action, const UndirectedForest& forest,
                         const ScoredGrammar& grammar, double kappa, std::span<double> features);

}  // namespace demotic::decode::umt
