#include "decode/umt/derivation.h"

namespace demotic::decode::umt {

std::vector<std::string> undirected_feature_names(const grammar::RuleTable& table) {
  std::vector<std::string> names = ScoredGrammar::feature_names(table);
  ScoredGrammar::add_own_names(std::array<std::string, 3>{"Cff1", "Cff2", "CffHead"}, table, names);
  return names;
}

UndirectedDerivation grown_derivation(const PartialTree& tree, const Trajectory& path,
                                      const UndirectedForest& forest) {
  UndirectedDerivation derivation;
  derivation.span_limit = forest.span_limit();
  const std::span<const PartialTree::Step> grown = tree.steps();
  std::vector<uint32_t> numbers(grown.size(), kNoStep);  // of the derivation's steps
  uint32_t goal = 0;
  while (forest.group(grown[goal].edge.group).head != forest.goal()) ++goal;
  add_steps(derivation, goal, [&](uint32_t at, std::vector<uint32_t>& below) {
    numbers[at] = static_cast<uint32_t>(derivation.steps.size());
    const PartialTree::Step& step = grown[at];
    const RuleGroup& group = forest.group(step.edge.group);
    const ForestNode& node = forest.node(group.head);
    for (uint32_t k = 0; k < group.arity; ++k) below.push_back(step.children[k]);
    return DerivationStep{tree.rule(step.edge), node.category, node.begin, node.end,
                          path.actions[at].lm.complete};
  });
  for (uint32_t i = 0; i < grown.size(); ++i) {
    const Action& action = path.actions[i];
    GrowthAction made{ActionKind::start, numbers[i], 0, action.choices, action.score};
    if (action.slot != kNoSlot) {
      const PartialTree::Slot& slot = tree.slot(action.slot);
      const bool up = slot.which == kHeadSlot;
      made.kind = up ? ActionKind::up : ActionKind::down;
      made.slot = up ? action.edge.child : slot.which;
    }
    derivation.actions.push_back(made);
  }
  return derivation;
}

void add_action_features(const Action& action, const UndirectedForest& forest,
                         const ScoredGrammar& grammar, double kappa, std::span<double> features) {
  const RuleGroup& group = forest.group(action.edge.group);
  grammar.add_features(group.first_rule + action.edge.place, forest.passed()[action.edge.group],
                       action.lm.complete + kappa * action.lm.estimate, {},
                       features.first(grammar.features()));
  for (uint32_t i = 0; i < kCffFeatures; ++i) features[grammar.features() + i] += action.cff[i];
}

}  // namespace demotic::decode::umt
