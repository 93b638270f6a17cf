#include "decode/blocks/graph.h"

#include <algorithm>
#include <array>

#include "decode/context_free_forest.h"
#include "decode/forest_packer.h"

namespace demotic::decode::blocks {

namespace {

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

// Makes a graph of what the search kept.
class GraphPacker {
 public:
  // `pairs`: each is a feature of its own.
  GraphPacker(const BlockSearch& search, std::span<const std::string> tokens, bool pairs)
      : search_(search),
        model_(search.model()),
        pairs_(pairs),
        graph_(block_labels(), pairs ? model_.pair_space() : model_.space(), tokens),
        nodes_(search.nodes(), forest::kNone) {}

  BlockGraph operator()() {
    const std::vector<char> used = find_rules();
    for (uint32_t covered = 0; covered <= search_.words(); ++covered)
      for (const uint32_t v : search_.stack(covered))
        if (used[v]) add_node(v);
    const uint32_t goal = graph_.add_goal();
    for (const uint32_t v : search_.complete()) {
      const double cost = search_.end_cost(v);
      graph_.add_end(goal, nodes_[v], model_.end_score(cost), [&](std::span<double> row) {
        row[static_cast<size_t>(BlockFeature::first_word)] = cost;
      });
      arcs_.push_back(kNoArc);
    }
    BlockGraph made;
    forest::Provenance provenance;
    made.forest = graph_.finish(goal, &provenance);
    for (const uint32_t edge : provenance.edge) made.arcs.push_back(arcs_[edge]);
    return made;
  }

 private:
  template <class Visit>
  void each_arc(uint32_t v, Visit&& visit) const {
    for (uint32_t a = search_.best_arc(v); a != BlockSearch::kNone; a = search_.arc(a).next)
      visit(a, search_.arc(a));
  }

  // Only what leads to the end is used.
  std::vector<char> find_rules() {
    std::vector<char> used(search_.nodes(), 0);
    for (const uint32_t v : search_.complete()) used[v] = 1;
    for (uint32_t covered = search_.words() + 1; covered-- > 0;)
      for (const uint32_t v : search_.stack(covered)) {
        if (!used[v]) continue;
        each_arc(v, [&](uint32_t, const BlockArc& arc) {
          used[arc.tail] = 1;
          number(search_.option(arc.option));
        });
      }
    return used;
  }

  uint32_t number(const BlockOption& option) {
    const grammar::BlockTable& table = model_.table();
    const bool passed = option.block == grammar::kNoBlock;
    return graph_.phrase(passed ? forest::kNone : option.block, option.begin, option.end,
                         [&](PackedRule& made) {
                           for (const uint32_t id : table.target(option.block))
                             made.target.push_back(graph_.word(table.target_vocab().word(id)));
                         });
  }

  bool has_pair(const BlockArc& arc) const { return pairs_ && arc.pair != grammar::kNoPair; }

  void add_node(uint32_t v) {
    if (v == 0) {
      nodes_[v] = graph_.add_start();
      arcs_.push_back(kNoArc);
      return;
    }
    const BlockOption& last = search_.option(search_.arc(search_.best_arc(v)).option);
    nodes_[v] = graph_.add_node(PhraseGraph::kHypothesisLabel, last.begin, last.end);
    each_arc(v, [&](uint32_t a, const BlockArc& arc) { add_arc(nodes_[v], a, arc); });
  }

  void add_arc(uint32_t head, uint32_t number_of_arc, const BlockArc& arc) {
    const BlockOption& option = search_.option(arc.option);
    const float one = 1.0f;
    uint32_t id = 0;
    forest::EdgeSpec edge{
        .head = head, .tails = {&nodes_[arc.tail], 1}, .rule = number(option), .score = arc.score};
    if (has_pair(arc)) {
      id = kBlockModelFeatures + arc.pair;
      edge.feature_ids = {&id, 1};
      edge.feature_values = {&one, 1};
    }
    graph_.add_edge(edge, [&](std::span<double> row) {
      model_.add_features(option, arc.orientation, arc.lm, arc.log_z, arc.pair, row);
      if (has_pair(arc)) row[static_cast<size_t>(BlockFeature::pairs)] = 0.0;
    });
    arcs_.push_back(number_of_arc);
  }

  const BlockSearch& search_;
  const BlockModel& model_;
  bool pairs_;
  PhraseGraph graph_;
  std::vector<uint32_t> nodes_;  // by node of the search
  std::vector<uint32_t> arcs_;   // by edge
};

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
  derivation.steps.push_back(
      {kGoal, PhraseGraph::kGoalLabel, 0, static_cast<uint32_t>(tokens.size())});
  lm::State state = model.costs().begin_sentence();
  for (size_t i = arcs.size(); i-- > 0;) {
    const BlockArc& arc = search.arc(arcs[i]);
    const BlockOption& option = search.option(arc.option);
    const auto number = static_cast<uint32_t>(derivation.steps.size());
    const auto position = static_cast<uint32_t>(derivation.tokens.size());
    const bool passed = option.block == grammar::kNoBlock;
    derivation.steps.push_back({passed ? kPassThrough : option.block, PhraseGraph::kHypothesisLabel,
                                option.begin, option.end});
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
  return GraphPacker(search, tokens, pairs)();
}

forest::Forest empty_block_graph(const BlockModel& model, bool pairs) {
  return empty_forest(block_labels(), pairs ? model.pair_space() : model.space(),
                      PhraseGraph::kGoalLabel);
}

}  // namespace demotic::decode::blocks
