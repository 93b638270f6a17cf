#include "decode/hiero/packed_forest.h"

#include <vector>

#include "decode/forest_packer.h"

namespace demotic::decode::hiero {

namespace {

// Adds nodes and edges of the context-free forest, with their features.
class ChartPacker {
 public:
  ChartPacker(const ContextFreeForest& forest, const std::vector<bool>& used, const ParsePlan& plan,
              const ScoredGrammar& grammar, std::span<const std::string> tokens,
              const SourceSentence& sentence)
      : forest_(forest),
        grammar_(grammar),
        tokens_(tokens),
        sentence_(sentence),
        pack_(plan.labels(), grammar.space()()),
        rules_(forest.edges(), forest::kNone) {
    for (const RuleGroup& group : forest.groups)
      for (uint32_t place = 0; place < group.rules; ++place)
        if (const uint32_t e = group.first_edge + place; used[e]) rules_[e] = number(group, place);
  }

  uint32_t add_node(uint32_t v) {
    const ForestNode& node = forest_.nodes[v];
    return pack_.add_node(node.category, node.begin, node.end);
  }

  void add_edge(uint32_t head, const RuleGroup& group, uint32_t place,
                std::span<const uint32_t> tails, float lm, std::span<const float> further) {
    const uint32_t rule = group.first_rule + place;
    const uint32_t passed = sentence_.lm[forest_.nodes[group.head].begin];
    ChoiceValues choices{};
    if (grammar_.choices() > 0 && rule < kGlueFirst) {
      find_places(forest_, group, grammar_.table(), places_);
      choices = sentence_.choices.of_rule(grammar_.table(), rule, places_);
    }
    pack_.add_edge({.head = head,
                    .tails = tails,
                    .rule = rules_[group.first_edge + place],
                    .score = grammar_.score(rule, passed) + grammar_.lm_score(lm) +
                             grammar_.further_score(further) + grammar_.choice_score(choices)},
                   [&](std::span<double> row) {
                     grammar_.add_features(rule, passed, lm, further, row);
                     grammar_.add_choice_features(choices, row);
                   });
  }

  forest::Forest finish(uint32_t root) { return pack_.finish(root); }

 private:
  uint32_t number(const RuleGroup& group, uint32_t place) {
    const uint32_t rule = group.first_rule + place;
    const ForestNode& node = forest_.nodes[group.head];
    // A rule that passes a word through is one rule for each place.
    const uint64_t begin = rule == kPassThrough ? node.begin : 0;
    return pack_.rule(uint64_t{rule} << 32 | begin, [&](PackedRule& made) {
      made.label = node.category;
      if (rule < kGlueFirst) write_source(rule, made);
      each_target_symbol(
          rule, grammar_.table(),
          [&](text::Symbol id) {
            made.target.push_back(word(grammar_.table().target_vocab(), id));
          },
          [&](uint32_t k) { made.target.push_back(text::slot_symbol(k)); },
          [&] { made.target.push_back(pack_.word(tokens_[node.begin])); });
      if (rule >= kGlueFirst) made.source = made.target;
    });
  }

  void write_source(uint32_t rule, PackedRule& made) {
    const grammar::RuleTable& table = grammar_.table();
    made.origin = rule;
    grammar_.space().add(table.sparse(rule), made.feature_ids, made.feature_values);
    uint32_t slot = 0;
    for (const text::Symbol symbol : table.source_of(table.node_of(rule)))
      made.source.push_back(text::is_word(symbol) ? word(table.source_vocab(), symbol)
                                                  : text::slot_symbol(slot++));
  }

  text::Symbol word(text::VocabView vocab, text::Symbol id) {
    return pack_.word(vocab.word(static_cast<uint32_t>(id)));
  }

  const ContextFreeForest& forest_;
  const ScoredGrammar& grammar_;
  std::span<const std::string> tokens_;
  const SourceSentence& sentence_;
  ForestPacker pack_;
  std::vector<uint32_t> rules_;  // by edge
  std::vector<uint32_t> places_;
};

// An entry, then what hangs on it, with what further language models add.
template <class Visit>
void each_alternative(const CubePruner& pruner, uint32_t entry, Visit visit) {
  visit(pruner.entry(entry), pruner.further_of_entry(entry));
  for (uint32_t a = pruner.entry(entry).alternative; a != kNoEntry;
       a = pruner.alternative(a).alternative)
    visit(pruner.alternative(a), pruner.further_of_alternative(a));
}

}  // namespace

forest::Forest packed_forest(const ContextFreeForest& forest, const CubePruner& pruner,
                             const ParsePlan& plan, const ScoredGrammar& grammar,
                             std::span<const std::string> tokens, const SourceSentence& sentence) {
  std::vector<bool> used(forest.edges(), false);
  const auto use = [&](const ChartEntry& entry, std::span<const float>) {
    used[forest.groups[entry.group].first_edge + entry.place] = true;
  };
  for (uint32_t e = 0; e < pruner.entries(); ++e) each_alternative(pruner, e, use);
  ChartPacker pack(forest, used, plan, grammar, tokens, sentence);
  std::vector<uint32_t> tails;
  for (uint32_t v = 0; v < forest.nodes.size(); ++v)
    for (uint32_t e = pruner.first_entry(v); e < pruner.last_entry(v); ++e) {
      const uint32_t head = pack.add_node(v);  // entries are numbered as nodes are
      each_alternative(pruner, e, [&](const ChartEntry& entry, std::span<const float> further) {
        const RuleGroup& group = forest.groups[entry.group];
        const std::span<const uint32_t> below = forest.tails_of(group);
        tails.clear();
        for (uint32_t k = 0; k < group.arity; ++k)
          tails.push_back(pruner.tail_entry(below[k], entry.ranks, group.arity, k));
        pack.add_edge(head, group, entry.place, tails, entry.lm, further);
      });
    }
  return pack.finish(pruner.best());
}

forest::Forest packed_forest(const ContextFreeForest& forest, const ParsePlan& plan,
                             const ScoredGrammar& grammar, std::span<const std::string> tokens,
                             const SourceSentence& sentence) {
  const std::vector<bool> used(forest.edges(), true);
  ChartPacker pack(forest, used, plan, grammar, tokens, sentence);
  for (uint32_t v = 0; v < forest.nodes.size(); ++v) pack.add_node(v);
  for (const RuleGroup& group : forest.groups)
    for (uint32_t place = 0; place < group.rules; ++place)
      pack.add_edge(group.head, group, place, forest.tails_of(group), 0, {});
  return pack.finish(forest.goal());
}

}  // namespace demotic::decode::hiero
