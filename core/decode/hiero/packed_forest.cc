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
        pack_(plan.labels(), ScoredGrammar::feature_names(grammar.table())),
        rules_(forest.edges.size(), forest::kNone) {
    for (uint32_t v = 0; v < forest.nodes.size(); ++v)
      for (uint32_t e = forest.first_in(v); e < forest.last_in(v); ++e)
        if (used[e]) rules_[e] = number(forest.edges[e], forest.nodes[v]);
  }

  uint32_t add_node(uint32_t v) {
    const ForestNode& node = forest_.nodes[v];
    return pack_.add_node(node.category, node.begin, node.end);
  }

  void add_edge(uint32_t head, uint32_t number, uint32_t v, std::span<const uint32_t> tails,
                float lm) {
    const uint32_t rule = forest_.edges[number].rule;
    const uint32_t passed = sentence_.lm[forest_.nodes[v].begin];
    pack_.add_edge({.head = head,
                    .tails = tails,
                    .rule = rules_[number],
                    .score = grammar_.score(rule, passed) + grammar_.lm_score(lm)},
                   [&](std::span<double> row) { grammar_.add_features(rule, passed, lm, row); });
  }

  forest::Forest finish(uint32_t root) { return pack_.finish(root); }

 private:
  uint32_t number(const ForestEdge& edge, const ForestNode& node) {
    // A rule that passes a word through is one rule for each place.
    const uint64_t place = edge.rule == kPassThrough ? node.begin : 0;
    return pack_.rule(uint64_t{edge.rule} << 32 | place, [&](PackedRule& made) {
      made.label = node.category;
      if (edge.rule < kGlueFirst) {
        write_sides(edge.rule, made);
      } else if (edge.rule == kPassThrough) {
        made.source = made.target = {pack_.word(tokens_[node.begin])};
      } else {
        for (uint32_t k = 0; k < edge.arity(); ++k) made.source.push_back(text::slot_symbol(k));
        made.target = made.source;
      }
    });
  }

  void write_sides(uint32_t rule, PackedRule& made) {
    const grammar::RuleTable& table = grammar_.table();
    made.origin = rule;
    uint32_t slot = 0;
    for (const text::Symbol symbol : table.source_of(table.node_of(rule)))
      made.source.push_back(text::is_word(symbol) ? word(table.source_vocab(), symbol)
                                                  : text::slot_symbol(slot++));
    for (const text::Symbol symbol : table.target(rule))
      made.target.push_back(text::is_word(symbol) ? word(table.target_vocab(), symbol) : symbol);
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
};

}  // namespace

forest::Forest packed_forest(const ContextFreeForest& forest, const CubePruner& pruner,
                             const ParsePlan& plan, const ScoredGrammar& grammar,
                             std::span<const std::string> tokens, const SourceSentence& sentence) {
  std::vector<bool> used(forest.edges.size(), false);
  for (uint32_t e = 0; e < pruner.entries(); ++e) {
    used[pruner.entry(e).edge] = true;
    for (uint32_t a = pruner.entry(e).alternative; a != kNoEntry;
         a = pruner.alternative(a).alternative)
      used[pruner.alternative(a).edge] = true;
  }
  ChartPacker pack(forest, used, plan, grammar, tokens, sentence);
  for (uint32_t v = 0; v < forest.nodes.size(); ++v) {
    for (uint32_t e = pruner.first_entry(v); e < pruner.last_entry(v); ++e) {
      const uint32_t head = pack.add_node(v);  // entries are numbered as nodes are
      const auto add = [&](const ChartEntry& entry) {
        const ForestEdge& edge = forest.edges[entry.edge];
        std::array<uint32_t, grammar::kMaxArity> tails{};
        for (uint32_t k = 0; k < edge.arity(); ++k)
          tails[k] = pruner.first_entry(edge.tails[k]) + entry.ranks[k];
        pack.add_edge(head, entry.edge, v, std::span(tails).first(edge.arity()), entry.lm);
      };
      add(pruner.entry(e));
      for (uint32_t a = pruner.entry(e).alternative; a != kNoEntry;
           a = pruner.alternative(a).alternative)
        add(pruner.alternative(a));
    }
  }
  return pack.finish(pruner.best());
}

forest::Forest packed_forest(const ContextFreeForest& forest, const ParsePlan& plan,
                             const ScoredGrammar& grammar, std::span<const std::string> tokens,
                             const SourceSentence& sentence) {
  const std::vector<bool> used(forest.edges.size(), true);
  ChartPacker pack(forest, used, plan, grammar, tokens, sentence);
  for (uint32_t v = 0; v < forest.nodes.size(); ++v) pack.add_node(v);
  for (uint32_t v = 0; v < forest.nodes.size(); ++v)
    for (uint32_t e = forest.first_in(v); e < forest.last_in(v); ++e) {
      const ForestEdge& edge = forest.edges[e];
      pack.add_edge(v, e, v, std::span(edge.tails).first(edge.arity()), 0);
    }
  return pack.finish(forest.goal());
}

}  // namespace demotic::decode::hiero
