#include "decode/hiero/chart_derivation.h"

#include "forest/derivation.h"

namespace demotic::decode::hiero {

Derivation chart_derivation(const ContextFreeForest& forest, const CubePruner& pruner) {
  struct Item {
    uint32_t node, entry;
  };
  Derivation derivation;
  derivation.span_limit = forest.span_limit;
  add_steps(
      derivation, Item{forest.goal(), pruner.best()},
      [&](const Item& at, std::vector<Item>& below) {
        const ChartEntry& entry = pruner.entry(at.entry);
        const RuleGroup& group = forest.groups[entry.group];
        const std::span<const uint32_t> tails = forest.tails_of(group);
        const ForestNode& node = forest.nodes[at.node];
        for (uint32_t k = 0; k < group.arity; ++k)
          below.push_back({tails[k], pruner.tail_entry(tails[k], entry.ranks, group.arity, k)});
        DerivationStep step{group.first_rule + entry.place, node.category, node.begin, node.end,
                            entry.lm};
        step.first_further = derivation.add_further(pruner.further_of_entry(at.entry));
        return step;
      });
  return derivation;
}

namespace {

// Rules that are not in the table have no origin, but no two of them look alike.
uint32_t rule_of(const forest::Forest& packed, uint32_t edge, uint32_t head,
                 const ParsePlan& plan) {
  const uint32_t origin = packed.rules->origin[packed.rule[edge]];
  if (origin != forest::kNone) return origin;
  if (packed.label[head] == plan.goal()) return kGoal;
  const size_t arity = packed.tails_of(edge).size();
  if (arity == 0) return kPassThrough;
  return arity == 1 ? kGlueFirst : kGlueNext;
}

}  // namespace

Derivation forest_derivation(const forest::Forest& packed, std::span<const uint32_t> heads,
                             std::span<const uint32_t> edges, const ParsePlan& plan,
                             const ScoredGrammar& grammar) {
  const uint32_t lm_column = grammar.column(DecoderFeature::language_model);
  Derivation derivation;
  derivation.children = children(packed, edges, packed.root());
  uint32_t child = 0;
  for (const uint32_t e : edges) {
    const uint32_t head = heads[e];
    const auto arity = static_cast<uint32_t>(packed.tails_of(e).size());
    const auto lm = static_cast<float>(packed.dense_of(e)[lm_column] / kLn10);
    derivation.steps.push_back(
        {.rule = rule_of(packed, e, head, plan),
         .category = packed.label[head],
         .begin = packed.span[2 * head],
         .end = packed.span[2 * head + 1],
         .lm = lm,
         .first_child = child,
         .arity = arity,
         .first_further = derivation.add_further(further_logs(packed, e, grammar))});
    child += arity;
  }
  return derivation;
}

}  // namespace demotic::decode::hiero
