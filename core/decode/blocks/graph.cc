#include "decode/blocks/graph.h"

#include <algorithm>
#include <array>
#include <memory>
#include <numeric>
#include <string_view>
#include <unordered_map>

#include "decode/context_free_forest.h"
#include "forest/builder.h"

namespace demotic::decode::blocks {

namespace {

constexpr uint32_t kBlockLabel = 0;
constexpr uint32_t kClosedLabel = 1;
constexpr uint32_t kEmptyRule = 0;
constexpr uint32_t kCloseRule = 1;

std::vector<uint32_t> dense_features() {
  std::vector<uint32_t> dense(kBlockModelFeatures);
  std::iota(dense.begin(), dense.end(), 0u);
  return dense;
}

// Spellings numbered as they are met.
class Numbered {
 public:
  uint32_t number(std::string_view name) {
    const auto [at, is_new] = ids_.try_emplace(std::string(name), names_.size());
    if (is_new) names_.emplace_back(name);
    return static_cast<uint32_t>(at->second);
  }
  const std::vector<std::string>& names() const { return names_; }

 private:
  std::unordered_map<std::string, size_t> ids_;
  std::vector<std::string> names_;
};

// Blocks as rules of a forest.
class GraphRules {
 public:
  GraphRules(const grammar::BlockTable& table, std::span<const std::string> tokens)
      : table_(table), tokens_(tokens) {
    rules_.add(kBlockLabel, {}, {}, {}, {});
    rules_.add(kClosedLabel, std::array{text::slot_symbol(0)}, std::array{text::slot_symbol(0)}, {},
               {});
  }

  uint32_t number(const BlockOption& option) {
    // A word that passes through is one rule for each place.
    const uint64_t key = option.block == grammar::kNoBlock
                             ? uint64_t{option.begin} << 32 | grammar::kNoBlock
                             : uint64_t{option.block};
    const auto [at, is_new] = numbers_.try_emplace(key, rules_.size());
    if (!is_new) return at->second;
    std::vector<text::Symbol> source{text::slot_symbol(0)};
    std::vector<text::Symbol> target{text::slot_symbol(0)};
    for (uint32_t i = option.begin; i < option.end; ++i) source.push_back(word(tokens_[i]));
    if (option.block == grammar::kNoBlock)
      target.push_back(source.back());
    else
      for (const uint32_t id : table_.target(option.block))
        target.push_back(word(table_.target_vocab().word(id)));
    rules_.add(kBlockLabel, source, target, {}, {},
               option.block == grammar::kNoBlock ? forest::kNone : option.block);
    return at->second;
  }
  std::shared_ptr<const forest::ForestRules> rules() { return rules_.finish(); }
  const std::vector<std::string>& words() const { return words_.names(); }

 private:
  text::Symbol word(std::string_view spelling) {
    return static_cast<text::Symbol>(words_.number(spelling));
  }

  const grammar::BlockTable& table_;
  std::span<const std::string> tokens_;
  forest::RulesBuilder rules_;
  std::unordered_map<uint64_t, uint32_t> numbers_;  // looked up, never walked through
  Numbered words_;
};

std::string pair_name(uint64_t key) {
  const auto previous = static_cast<uint32_t>(key >> 32);
  const std::string first = previous == grammar::kBeginBlock ? "<s>" : std::to_string(previous);
  return "pair " + first + " " + std::to_string(static_cast<uint32_t>(key));
}

// Links of a block's words: each target word with the source word that it translates most often.
void add_links(const grammar::BlockTable& table, const BlockOption& option,
               std::span<const std::string> tokens, uint32_t position,
               std::vector<std::array<uint32_t, 2>>& alignment) {
  const std::span<const uint32_t> target = table.target(option.block);
  for (uint32_t i = 0; i < target.size(); ++i) {
    uint32_t most = 0;
    uint32_t place = 0;
    for (uint32_t at = option.begin; at < option.end; ++at) {
      const uint32_t word = table.source_vocab().find(tokens[at]);
      const uint32_t phrase = table.find(std::span(&word, 1));
      const uint32_t block = phrase == grammar::kNoPhrase
                                 ? grammar::kNoBlock
                                 : table.find(phrase, target.subspan(i, 1));
      if (block != grammar::kNoBlock && table.count(block) > most) {
        most = table.count(block);
        place = at;
      }
    }
    if (most > 0) alignment.push_back({place, position + i});
  }
}

}  // namespace

const std::vector<std::string>& block_labels() {
  static const std::vector<std::string> labels{"S", "Goal"};
  return labels;
}

// -- one derivation ------------------------------------------------------------------------------

std::vector<uint32_t> best_arcs(const BlockSearch& search) {
  std::vector<uint32_t> arcs;
  for (uint32_t v = search.best(); search.best_arc(v) != BlockSearch::kNone;) {
    arcs.push_back(search.best_arc(v));
    v = search.arc(arcs.back()).tail;
  }
  return arcs;
}

Derivation empty_block_derivation() {
  Derivation derivation;
  derivation.features.assign(kBlockModelFeatures, 0.0);
  return derivation;
}

Derivation block_derivation(const BlockSearch& search, std::span<const uint32_t> arcs,
                            std::span<const std::string> tokens) {
  const BlockModel& model = search.model();
  const grammar::BlockTable& table = model.table();
  Derivation derivation = empty_block_derivation();
  derivation.steps.push_back({kGoal, kClosedLabel, 0, static_cast<uint32_t>(tokens.size())});
  lm::State state = model.costs().begin_sentence();
  for (size_t i = arcs.size(); i-- > 0;) {
    const BlockArc& arc = search.arc(arcs[i]);
    const BlockOption& option = search.option(arc.option);
    const auto number = static_cast<uint32_t>(derivation.steps.size());
    const auto position = static_cast<uint32_t>(derivation.tokens.size());
    const bool passed = option.block == grammar::kNoBlock;
    derivation.steps.push_back(
        {passed ? kPassThrough : option.block, kBlockLabel, option.begin, option.end});
    derivation.steps.back().lm = -(arc.lm.first + arc.lm.rest) / grammar::BlockCosts::kLn10;
    derivation.steps.back().score = arc.score;
    derivation.score += arc.score;
    model.add_features(option, arc.orientation, arc.lm, arc.log_z, arc.pair, derivation.features);
    if (passed) {
      derivation.pass_word(tokens[option.begin], number);
      const lm::Model* lm = model.costs().language_model();
      const uint32_t word = lm == nullptr ? text::kUnknown : lm->find(tokens[option.begin]);
      model.costs().lm_cost(state, word, state);
      continue;
    }
    for (const uint32_t id : table.target(option.block))
      derivation.add_word(table.target_vocab().word(id), number);
    add_links(table, option, tokens, position, derivation.alignment);
    model.costs().lm(state, option.block, state);
  }
  const double end = model.costs().lm_end(state);
  DerivationStep& goal = derivation.steps[0];
  goal.lm = -end / grammar::BlockCosts::kLn10;
  goal.score = model.end_score(end);
  derivation.score += goal.score;
  derivation.features[static_cast<size_t>(BlockFeature::first_word)] += end;
  std::sort(derivation.alignment.begin(), derivation.alignment.end());
  derivation.flatten();
  return derivation;
}

// -- all of them ---------------------------------------------------------------------------------

BlockGraph block_graph(const BlockSearch& search, std::span<const std::string> tokens, bool pairs) {
  const BlockModel& model = search.model();
  // Only what leads to the end.
  std::vector<char> used(search.nodes(), 0);
  for (const uint32_t v : search.complete()) used[v] = 1;
  GraphRules rules(model.table(), tokens);
  Numbered features;
  for (const std::string& name : BlockModel::feature_names()) features.number(name);
  const auto each_arc = [&](uint32_t v, auto&& visit) {
    for (uint32_t a = search.best_arc(v); a != BlockSearch::kNone; a = search.arc(a).next)
      visit(a, search.arc(a));
  };
  for (uint32_t covered = search.words() + 1; covered-- > 0;)
    for (const uint32_t v : search.stack(covered)) {
      if (!used[v]) continue;
      each_arc(v, [&](uint32_t, const BlockArc& arc) {
        used[arc.tail] = 1;
        rules.number(search.option(arc.option));
        if (pairs && arc.pair != grammar::kNoPair)
          features.number(pair_name(model.pairs().keys()[arc.pair]));
      });
    }

  auto names = std::make_shared<forest::ForestNames>();
  *names = {forest::Names(rules.words()), forest::Names(block_labels()),
            forest::Names(features.names())};
  forest::ForestBuilder builder(names, rules.rules(), dense_features());
  std::vector<uint32_t> nodes(search.nodes(), forest::kNone);
  std::vector<uint32_t> arc_of;  // by edge of the builder
  std::array<double, kBlockModelFeatures> values;
  std::array<float, kBlockModelFeatures> row;
  const auto add = [&](forest::EdgeSpec spec, uint32_t arc) {
    std::copy(values.begin(), values.end(), row.begin());
    spec.dense = row;
    builder.add_edge(spec);
    arc_of.push_back(arc);
    values.fill(0.0);
  };
  values.fill(0.0);
  const auto add_node = [&](uint32_t v) {
    const BlockNode& node = search.node(v);
    if (v == 0) {
      nodes[v] = builder.add_node(kBlockLabel, 0, 0);
      add({.head = nodes[v], .rule = kEmptyRule}, kNoArc);
      return;
    }
    const BlockOption& last = search.option(search.arc(node.first_arc).option);
    nodes[v] = builder.add_node(kBlockLabel, last.begin, last.end);
    each_arc(v, [&](uint32_t a, const BlockArc& arc) {
      const BlockOption& option = search.option(arc.option);
      model.add_features(option, arc.orientation, arc.lm, arc.log_z, arc.pair, values);
      const float one = 1.0f;
      uint32_t id = 0;
      forest::EdgeSpec spec{.head = nodes[v],
                            .tails = {&nodes[arc.tail], 1},
                            .rule = rules.number(option),
                            .score = arc.score};
      if (pairs && arc.pair != grammar::kNoPair) {
        values[static_cast<size_t>(BlockFeature::pairs)] = 0.0;
        id = features.number(pair_name(model.pairs().keys()[arc.pair]));
        spec.feature_ids = {&id, 1};
        spec.feature_values = {&one, 1};
      }
      add(spec, a);
    });
  };
  for (uint32_t covered = 0; covered <= search.words(); ++covered)
    for (const uint32_t v : search.stack(covered))
      if (used[v]) add_node(v);
  const uint32_t goal = builder.add_node(kClosedLabel, 0, search.words());
  for (const uint32_t v : search.complete()) {
    const double cost = search.end_cost(v);
    values[static_cast<size_t>(BlockFeature::first_word)] = cost;
    add({.head = goal, .tails = {&nodes[v], 1}, .rule = kCloseRule, .score = model.end_score(cost)},
        kNoArc);
  }
  BlockGraph graph;
  forest::Provenance provenance;
  graph.forest = builder.finalize(goal, &provenance);
  for (const uint32_t edge : provenance.edge) graph.arcs.push_back(arc_of[edge]);
  return graph;
}

forest::Forest empty_block_graph() {
  forest::RulesBuilder rules;
  rules.add(kClosedLabel, {}, {}, {}, {});
  auto names = std::make_shared<forest::ForestNames>();
  *names = {forest::Names(std::vector<std::string>{}), forest::Names(block_labels()),
            forest::Names(BlockModel::feature_names())};
  forest::ForestBuilder builder(names, rules.finish(), dense_features());
  builder.add_edge({.head = builder.add_node(kClosedLabel, 0, 0)});
  return builder.finalize(0);
}

}  // namespace demotic::decode::blocks
