#include "decode/hiero/chart_derivation.h"

#include <algorithm>

namespace demotic::decode::hiero {

namespace {

constexpr std::array<text::Symbol, 2> kSlots{text::slot_symbol(0), text::slot_symbol(1)};

// What a rule without words writes; a word that passes through is no symbol of the vocabulary.
std::span<const text::Symbol> target_side(uint32_t rule, const grammar::RuleTable& table) {
  if (rule < kGlueFirst) return table.target(rule);
  if (rule == kPassThrough) return {};
  return std::span(kSlots).first(rule == kGlueNext ? 2 : 1);
}

// Where in the sentence each symbol of the rule's source side stands.
std::vector<uint32_t> source_places(const HieroDerivation& derivation, const DerivationStep& step,
                                    const grammar::RuleTable& table) {
  std::vector<uint32_t> places;
  uint32_t at = step.begin;
  uint32_t slot = 0;
  for (const text::Symbol symbol : table.source_of(table.node_of(step.rule))) {
    places.push_back(text::is_word(symbol) ? at : kNoNode);
    if (text::is_word(symbol)) {
      ++at;
    } else if (slot < grammar::kMaxArity && step.children[slot] != kNoStep) {
      at = derivation.steps[step.children[slot++]].end;
    }
  }
  return places;
}

// Writes the words of one rule after the other, going into slots as they come.
class Writer {
 public:
  Writer(HieroDerivation& derivation, std::span<const std::string> tokens,
         const grammar::RuleTable& table)
      : derivation_(derivation), tokens_(tokens), table_(table) {}

  void operator()() {
    enter(0);
    while (!open_.empty()) {
      Open& top = open_.back();
      const DerivationStep& step = derivation_.steps[top.step];
      const std::span<const text::Symbol> target = target_side(step.rule, table_);
      if (top.next == target.size()) {
        open_.pop_back();
        continue;
      }
      const text::Symbol symbol = target[top.next++];
      if (text::is_word(symbol))
        write(top, symbol);
      else if (const uint32_t child = step.children[text::slot_of(symbol)]; child != kNoStep)
        enter(child);
    }
    std::sort(derivation_.alignment.begin(), derivation_.alignment.end());
  }

 private:
  struct Open {
    uint32_t step;
    uint32_t next;                 // symbol of the target side
    std::vector<uint32_t> places;  // of the source side's symbols
  };

  void enter(uint32_t number) {
    const DerivationStep& step = derivation_.steps[number];
    if (step.rule == kPassThrough) {
      const auto position = static_cast<uint32_t>(derivation_.tokens.size());
      derivation_.tokens.push_back(tokens_[step.begin]);
      derivation_.word_steps.push_back(number);
      derivation_.alignment.push_back({step.begin, position});
    } else {
      Open open{number, 0, {}};
      if (step.rule < kGlueFirst && !table_.links(step.rule).empty())
        open.places = source_places(derivation_, step, table_);
      open_.push_back(std::move(open));
    }
  }

  void write(const Open& open, text::Symbol symbol) {
    const uint32_t rule = derivation_.steps[open.step].rule;
    const auto position = static_cast<uint32_t>(derivation_.tokens.size());
    derivation_.tokens.emplace_back(table_.target_vocab().word(static_cast<uint32_t>(symbol)));
    derivation_.word_steps.push_back(open.step);
    for (const grammar::RuleLink link : table_.links(rule))
      if (link.target + 1u == open.next && link.source < open.places.size() &&
          open.places[link.source] != kNoNode)
        derivation_.alignment.push_back({open.places[link.source], position});
  }

  HieroDerivation& derivation_;
  std::span<const std::string> tokens_;
  const grammar::RuleTable& table_;
  std::vector<Open> open_;
};

}  // namespace

HieroDerivation chart_derivation(const ContextFreeForest& forest, const CubePruner& pruner) {
  HieroDerivation derivation;
  derivation.span_limit = forest.span_limit;
  struct Waiting {
    uint32_t node, entry, parent, slot;
  };
  std::vector<Waiting> waiting{{forest.goal(), pruner.best(), kNoStep, 0}};
  while (!waiting.empty()) {
    const Waiting at = waiting.back();
    waiting.pop_back();
    const auto number = static_cast<uint32_t>(derivation.steps.size());
    if (at.parent != kNoStep) derivation.steps[at.parent].children[at.slot] = number;
    const ChartEntry& entry = pruner.entry(at.entry);
    const ForestEdge& edge = forest.edges[entry.edge];
    const ForestNode& node = forest.nodes[at.node];
    derivation.steps.push_back({edge.rule, node.category, node.begin, node.end});
    derivation.steps.back().lm = entry.lm;
    for (uint32_t k = edge.arity(); k-- > 0;)
      waiting.push_back(
          {edge.tails[k], pruner.first_entry(edge.tails[k]) + entry.ranks[k], number, k});
  }
  return derivation;
}

HieroDerivation forest_derivation(const forest::Forest& packed, std::span<const uint32_t> heads,
                                  std::span<const uint32_t> edges, const ParsePlan& plan,
                                  const ScoredGrammar& grammar) {
  HieroDerivation derivation;
  const std::vector<uint32_t> below = children(packed, edges, packed.root());
  size_t child = 0;
  for (const uint32_t e : edges) {
    const uint32_t head = heads[e];
    const size_t arity = packed.tails_of(e).size();
    uint32_t rule = packed.rules->origin[packed.rule[e]];
    if (rule == forest::kNone) {
      if (packed.label[head] == plan.goal())
        rule = kGoal;
      else if (arity == 0)
        rule = kPassThrough;
      else
        rule = arity == 1 ? kGlueFirst : kGlueNext;
    }
    derivation.steps.push_back(
        {rule, packed.label[head], packed.span[2 * head], packed.span[2 * head + 1]});
    DerivationStep& step = derivation.steps.back();
    for (size_t k = 0; k < arity; ++k) step.children[k] = below[child++];
    const float lm = packed.dense_of(e)[grammar.column(DecoderFeature::language_model)];
    step.lm = static_cast<float>(lm / kLn10);
  }
  return derivation;
}

void complete(HieroDerivation& derivation, std::span<const std::string> tokens,
              const SourceSentence& sentence, const ScoredGrammar& grammar) {
  derivation.features.assign(grammar.features(), 0.0);
  derivation.score = 0;
  if (derivation.steps.empty()) return;
  for (DerivationStep& step : derivation.steps) {
    const uint32_t passed = sentence.lm[step.begin];
    grammar.add_features(step.rule, passed, derivation.features);
    derivation.features[grammar.column(DecoderFeature::language_model)] += kLn10 * step.lm;
    step.score = grammar.score(ForestEdge{step.rule, {kNoNode, kNoNode}}, passed) +
                 grammar.lm_score(step.lm);
    derivation.score += step.score;
  }
  Writer(derivation, tokens, grammar.table())();
}

}  // namespace demotic::decode::hiero
