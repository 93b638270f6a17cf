#include "decode/phrase/derivation.h"

#include <algorithm>

#include "decode/forest_packer.h"

namespace demotic::decode::phrase {

namespace {

// Its goal; phrases follow.
Derivation begun_derivation(uint32_t words) {
  Derivation derivation;
  derivation.steps.push_back({kGoal, PhraseGraph::kGoalLabel, 0, words});
  return derivation;
}

uint32_t lm_word_at(const SourceSentence& sentence, uint32_t place) {
  return place < sentence.lm.size() ? sentence.lm[place] : text::kUnknown;
}

// The arcs of a hypothesis, the best one first.
template <class Visit>
void each_arc(const PhraseSearch& search, uint32_t hypothesis, Visit&& visit) {
  PhraseArc arc = search.hypothesis(hypothesis).arc;
  while (true) {
    visit(arc);
    if (arc.alternative == UINT32_MAX) return;
    arc = search.alternative(arc.alternative);
  }
}

// Makes a graph of hypotheses.
class GraphPacker {
 public:
  GraphPacker(const PhraseSearch& search, const PhraseModel& model,
              std::span<const std::string> tokens, const SourceSentence& sentence)
      : search_(search),
        model_(model),
        sentence_(sentence),
        words_(static_cast<uint32_t>(tokens.size())),
        graph_(phrase_labels(), model.space()(), tokens),
        nodes_(search.hypotheses(), forest::kNone) {}

  forest::Forest operator()() {
    const std::vector<bool> used = find_rules();
    nodes_[0] = graph_.add_start();
    for (uint32_t h = 1; h < search_.hypotheses(); ++h)
      if (used[h]) add(h);
    const uint32_t goal = graph_.add_goal();
    for (uint32_t h = search_.first_complete(); h < search_.hypotheses(); ++h) {
      const PhrasePlace place = place_of(h, words_, words_);
      const float lm = search_.end_lm(h);
      const std::span<const float> further = search_.end_further(h);
      graph_.add_end(
          goal, nodes_[h], model_.score(kGoal, place, lm, further),
          [&](std::span<double> row) { model_.add_features(kGoal, place, lm, further, row); });
    }
    return graph_.finish(goal);
  }

 private:
  uint32_t rule_of(const PhraseArc& arc) const { return search_.options().option(arc.option).rule; }

  // Only what leads to the end is used.
  std::vector<bool> find_rules() {
    std::vector<bool> used(search_.hypotheses(), false);
    for (uint32_t h = search_.first_complete(); h < search_.hypotheses(); ++h) used[h] = true;
    for (uint32_t h = search_.hypotheses(); h-- > 1;)
      if (used[h])
        each_arc(search_, h, [&](const PhraseArc& arc) {
          used[arc.back] = true;
          number(arc, search_.hypothesis(h).end);
        });
    return used;
  }

  uint32_t number(const PhraseArc& arc, uint32_t end) {
    const uint32_t rule = rule_of(arc);
    const grammar::RuleTable& table = model_.table();
    return graph_.phrase(
        rule == kPassThrough ? forest::kNone : rule, arc.begin, end, [&](PackedRule& made) {
          for (const text::Symbol symbol : table.target(rule))
            made.target.push_back(
                graph_.word(table.target_vocab().word(static_cast<uint32_t>(symbol))));
          model_.space().add(table.sparse(rule), made.feature_ids, made.feature_values);
        });
  }

  // What stands at [begin, end) behind a hypothesis.
  PhrasePlace place_of(uint32_t hypothesis, uint32_t begin, uint32_t end) const {
    const PhraseHypothesis& before = search_.hypothesis(hypothesis);
    const bool first = before.arc.option == kNoOption;
    return {begin,
            end,
            lm_word_at(sentence_, begin),
            first ? kGoal : rule_of(before.arc),
            before.arc.begin,
            before.end,
            &sentence_.choices};
  }

  void add(uint32_t h) {
    const PhraseHypothesis& each = search_.hypothesis(h);
    nodes_[h] = graph_.add_node(PhraseGraph::kHypothesisLabel, each.arc.begin, each.end);
    each_arc(search_, h, [&](const PhraseArc& arc) {
      const PhrasePlace place = place_of(arc.back, arc.begin, each.end);
      const uint32_t rule = rule_of(arc);
      graph_.add_edge({.head = nodes_[h],
                       .tails = {&nodes_[arc.back], 1},
                       .rule = number(arc, each.end),
                       .score = model_.score(rule, place, arc.lm, search_.further_of(arc))},
                      [&](std::span<double> row) {
                        model_.add_features(rule, place, arc.lm, search_.further_of(arc), row);
                      });
    });
  }

  const PhraseSearch& search_;
  const PhraseModel& model_;
  const SourceSentence& sentence_;
  uint32_t words_;
  PhraseGraph graph_;
  std::vector<uint32_t> nodes_;  // by hypothesis
};

}  // namespace

const std::vector<std::string>& phrase_labels() {
  static const std::vector<std::string> labels{"S", "Goal", "X"};
  return labels;
}

// -- one derivation ----------------------------------------------------------------------------

Derivation best_derivation(const PhraseSearch& search, uint32_t words) {
  Derivation derivation = begun_derivation(words);
  derivation.span_limit = search.distortion_limit();
  derivation.steps[0].lm = search.end_lm(search.best());
  derivation.steps[0].first_further = derivation.add_further(search.end_further(search.best()));
  for (uint32_t h = search.best(); h != 0; h = search.hypothesis(h).arc.back) {
    const PhraseHypothesis& each = search.hypothesis(h);
    derivation.steps.push_back(
        {search.options().option(each.arc.option).rule, kPhraseLabel, each.arc.begin, each.end});
    derivation.steps.back().lm = each.arc.lm;
    derivation.steps.back().first_further = derivation.add_further(search.further_of(each.arc));
  }
  std::reverse(derivation.steps.begin() + 1, derivation.steps.end());
  return derivation;
}

Derivation forest_derivation(const forest::Forest& packed, std::span<const uint32_t> heads,
                             std::span<const uint32_t> edges, const PhraseModel& model) {
  Derivation derivation = begun_derivation(packed.span[2 * packed.root() + 1]);
  for (const uint32_t e : edges) {
    const float lm = packed.dense_of(e)[model.lm_column()];
    const auto log10 = static_cast<float>(lm / kLn10);
    const uint32_t further = derivation.add_further(further_logs(packed, e, model.grammar()));
    if (heads[e] == packed.root()) {
      derivation.steps[0].lm = log10;
      derivation.steps[0].first_further = further;
    } else if (!packed.tails_of(e).empty()) {
      const uint32_t r = packed.rule[e];
      const uint32_t end = packed.span[2 * heads[e] + 1];
      const auto words = static_cast<uint32_t>(packed.rules->source_side(r).size() - 1);
      const uint32_t rule = packed.rules->origin[r];
      derivation.steps.push_back(
          {rule == forest::kNone ? kPassThrough : rule, kPhraseLabel, end - words, end});
      derivation.steps.back().lm = log10;
      derivation.steps.back().first_further = further;
    }
  }
  std::reverse(derivation.steps.begin() + 1, derivation.steps.end());
  return derivation;
}

void complete(Derivation& derivation, std::span<const std::string> tokens,
              const SourceSentence& sentence, const PhraseModel& model) {
  derivation.features.assign(model.features(), 0.0);
  derivation.score = 0;
  if (derivation.steps.empty()) return;
  uint32_t previous_rule = kGoal;
  uint32_t previous_begin = 0;
  uint32_t previous_end = 0;
  const auto charge = [&](DerivationStep& step, uint32_t begin, uint32_t end) {
    const PhrasePlace place{begin,
                            end,
                            lm_word_at(sentence, begin),
                            previous_rule,
                            previous_begin,
                            previous_end,
                            &sentence.choices};
    const std::span<const float> further = derivation.further_of(step);
    model.add_features(step.rule, place, step.lm, further, derivation.features);
    step.score = model.score(step.rule, place, step.lm, further);
    derivation.score += step.score;
  };
  for (uint32_t number = 1; number < derivation.steps.size(); ++number) {
    DerivationStep& step = derivation.steps[number];
    charge(step, step.begin, step.end);
    previous_rule = step.rule;
    previous_begin = step.begin;
    previous_end = step.end;
  }
  const auto words = static_cast<uint32_t>(tokens.size());
  charge(derivation.steps[0], words, words);
  derivation.flatten();
  sum_sparse(derivation, model.table());
  write_words(derivation, tokens, model.table());
}

// -- all of them -------------------------------------------------------------------------------

forest::Forest search_graph(const PhraseSearch& search, const PhraseModel& model,
                            std::span<const std::string> tokens, const SourceSentence& sentence) {
  return GraphPacker(search, model, tokens, sentence)();
}

forest::Forest empty_search_graph(const PhraseModel& model) {
  return empty_forest(phrase_labels(), model.space()(), PhraseGraph::kGoalLabel);
}

}  // namespace demotic::decode::phrase
