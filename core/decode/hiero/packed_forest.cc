#include "decode/hiero/packed_forest.h"

#include <memory>
#include <numeric>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "forest/builder.h"

namespace demotic::decode::hiero {

namespace {

// The rules and words of the edges in use, numbered as they are met.
class SentenceRules {
 public:
  SentenceRules(const ContextFreeForest& forest, const std::vector<bool>& used,
                const ParsePlan& plan, std::span<const std::string> tokens)
      : table_(plan.table()), of_edge_(forest.edges.size(), forest::kNone) {
    for (uint32_t v = 0; v < forest.nodes.size(); ++v)
      for (uint32_t e = forest.first_in(v); e < forest.last_in(v); ++e)
        if (used[e]) of_edge_[e] = number(forest.edges[e], forest.nodes[v], tokens);
  }

  uint32_t of_edge(uint32_t edge) const { return of_edge_[edge]; }
  std::shared_ptr<const forest::ForestRules> rules() { return rules_.finish(); }
  const std::vector<std::string>& words() const { return words_; }

 private:
  uint32_t number(const ForestEdge& edge, const ForestNode& node,
                  std::span<const std::string> tokens) {
    // A rule that passes a word through is one rule for each place.
    const uint64_t key = uint64_t{edge.rule} << 32 | (edge.rule == kPassThrough ? node.begin : 0);
    const auto [at, is_new] = numbers_.try_emplace(key, rules_.size());
    if (!is_new) return at->second;
    std::vector<text::Symbol> source, target;
    if (edge.rule < kGlueFirst) {
      uint32_t slot = 0;
      for (const text::Symbol symbol : table_.source_of(table_.node_of(edge.rule)))
        source.push_back(text::is_word(symbol) ? word(table_.source_vocab(), symbol)
                                               : text::slot_symbol(slot++));
      for (const text::Symbol symbol : table_.target(edge.rule))
        target.push_back(text::is_word(symbol) ? word(table_.target_vocab(), symbol) : symbol);
    } else if (edge.rule == kPassThrough) {
      source = target = {word(tokens[node.begin])};
    } else {
      for (uint32_t k = 0; k < edge.arity(); ++k) source.push_back(text::slot_symbol(k));
      target = source;
    }
    rules_.add(node.category, source, target, {}, {},
               edge.rule < kGlueFirst ? edge.rule : forest::kNone);
    return at->second;
  }

  text::Symbol word(text::VocabView vocab, text::Symbol id) {
    return word(vocab.word(static_cast<uint32_t>(id)));
  }
  text::Symbol word(std::string_view spelling) {
    const auto [at, is_new] = ids_.try_emplace(std::string(spelling), words_.size());
    if (is_new) words_.emplace_back(spelling);
    return static_cast<text::Symbol>(at->second);
  }

  const grammar::RuleTable& table_;
  forest::RulesBuilder rules_;
  std::unordered_map<uint64_t, uint32_t> numbers_;  // looked up, never walked through
  std::unordered_map<std::string, size_t> ids_;
  std::vector<std::string> words_;
  std::vector<uint32_t> of_edge_;
};

// Adds nodes and edges with their features to a ForestBuilder.
class Packer {
 public:
  Packer(const ContextFreeForest& forest, const std::vector<bool>& used, const ParsePlan& plan,
         const ScoredGrammar& grammar, std::span<const std::string> tokens,
         const SourceSentence& sentence)
      : grammar_(grammar),
        sentence_(sentence),
        rules_(forest, used, plan, tokens),
        forest_(forest) {
    auto names = std::make_shared<forest::ForestNames>();
    *names = {forest::Names(rules_.words()), forest::Names(plan.labels()),
              forest::Names(ScoredGrammar::feature_names(grammar.table()))};
    std::vector<uint32_t> dense(grammar.features());
    std::iota(dense.begin(), dense.end(), 0u);
    builder_ = std::make_unique<forest::ForestBuilder>(names, rules_.rules(), std::move(dense));
    features_.resize(grammar.features());
    row_.resize(grammar.features());
  }

  uint32_t add_node(uint32_t v) {
    const ForestNode& node = forest_.nodes[v];
    return builder_->add_node(node.category, node.begin, node.end);
  }

  void add_edge(uint32_t head, uint32_t number, uint32_t v, std::span<const uint32_t> tails,
                float lm) {
    const ForestEdge& edge = forest_.edges[number];
    const uint32_t passed = sentence_.lm[forest_.nodes[v].begin];
    std::fill(features_.begin(), features_.end(), 0.0);
    grammar_.add_features(edge.rule, passed, features_);
    features_[grammar_.column(DecoderFeature::language_model)] = kLn10 * lm;
    std::copy(features_.begin(), features_.end(), row_.begin());
    builder_->add_edge({.head = head,
                        .tails = tails,
                        .rule = rules_.of_edge(number),
                        .score = grammar_.score(edge.rule, passed) + grammar_.lm_score(lm),
                        .dense = row_});
  }

  forest::Forest finish(uint32_t root) { return builder_->finalize(root); }

 private:
  const ScoredGrammar& grammar_;
  const SourceSentence& sentence_;
  SentenceRules rules_;
  const ContextFreeForest& forest_;
  std::unique_ptr<forest::ForestBuilder> builder_;
  std::vector<double> features_;
  std::vector<float> row_;
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
  Packer pack(forest, used, plan, grammar, tokens, sentence);
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
  Packer pack(forest, used, plan, grammar, tokens, sentence);
  for (uint32_t v = 0; v < forest.nodes.size(); ++v) pack.add_node(v);
  for (uint32_t v = 0; v < forest.nodes.size(); ++v)
    for (uint32_t e = forest.first_in(v); e < forest.last_in(v); ++e) {
      const ForestEdge& edge = forest.edges[e];
      pack.add_edge(v, e, v, std::span(edge.tails).first(edge.arity()), 0);
    }
  return pack.finish(forest.goal());
}

forest::Forest empty_forest(const ParsePlan& plan, const ScoredGrammar& grammar) {
  auto names = std::make_shared<forest::ForestNames>();
  *names = {forest::Names(std::vector<std::string>{}), forest::Names(plan.labels()),
            forest::Names(ScoredGrammar::feature_names(grammar.table()))};
  forest::RulesBuilder rules;
  rules.add(plan.goal(), {}, {}, {}, {});
  std::vector<uint32_t> dense(grammar.features());
  std::iota(dense.begin(), dense.end(), 0u);
  forest::ForestBuilder builder(names, rules.finish(), std::move(dense));
  builder.add_edge({.head = builder.add_node(plan.goal(), 0, 0)});
  return builder.finalize(0);
}

}  // namespace demotic::decode::hiero
