#include "decode/phrase/derivation.h"

#include <algorithm>
#include <memory>
#include <numeric>
#include <string_view>
#include <unordered_map>

#include "forest/builder.h"

namespace demotic::decode::phrase {

namespace {

// Its goal; phrases follow.
Derivation begun_derivation(uint32_t words) {
  Derivation derivation;
  derivation.steps.push_back({kGoal, kGoalLabel, 0, words});
  return derivation;
}

uint32_t lm_word_at(const SourceSentence& sentence, uint32_t place) {
  return place < sentence.lm.size() ? sentence.lm[place] : text::kUnknown;
}

std::shared_ptr<const forest::ForestNames> graph_names(const PhraseModel& model,
                                                       const std::vector<std::string>& words) {
  auto names = std::make_shared<forest::ForestNames>();
  *names = {forest::Names(words), forest::Names(phrase_labels()),
            forest::Names(PhraseModel::feature_names(model.table()))};
  return names;
}

std::vector<uint32_t> all_features(const PhraseModel& model) {
  std::vector<uint32_t> dense(model.features());
  std::iota(dense.begin(), dense.end(), 0u);
  return dense;
}

// Phrases as rules of a forest, numbered as they are met.
class GraphRules {
 public:
  GraphRules(const PhraseModel& model, std::span<const std::string> tokens)
      : table_(model.table()), tokens_(tokens) {
    rules_.add(kHypothesisLabel, {}, {}, {}, {});  // the empty hypothesis
    rules_.add(kGoalLabel, std::array{text::slot_symbol(0)}, std::array{text::slot_symbol(0)}, {},
               {});
  }
  static constexpr uint32_t kEmpty = 0;
  static constexpr uint32_t kClose = 1;

  uint32_t number(uint32_t rule, uint32_t begin, uint32_t end) {
    // A rule that passes a word through is one rule for each place.
    const uint64_t key = uint64_t{rule} << 32 | (rule == kPassThrough ? begin : 0);
    const auto [at, is_new] = numbers_.try_emplace(key, rules_.size());
    if (!is_new) return at->second;
    std::vector<text::Symbol> source{text::slot_symbol(0)};
    std::vector<text::Symbol> target{text::slot_symbol(0)};
    for (uint32_t i = begin; i < end; ++i) source.push_back(word(tokens_[i]));
    if (rule == kPassThrough)
      target.push_back(source.back());
    else
      for (const text::Symbol symbol : table_.target(rule))
        target.push_back(word(table_.target_vocab().word(static_cast<uint32_t>(symbol))));
    rules_.add(kHypothesisLabel, source, target, {}, {}, rule < kGlueFirst ? rule : forest::kNone);
    return at->second;
  }
  std::shared_ptr<const forest::ForestRules> rules() { return rules_.finish(); }
  const std::vector<std::string>& words() const { return words_; }

 private:
  text::Symbol word(std::string_view spelling) {
    const auto [at, is_new] = ids_.try_emplace(std::string(spelling), words_.size());
    if (is_new) words_.emplace_back(spelling);
    return static_cast<text::Symbol>(at->second);
  }

  const grammar::RuleTable& table_;
  std::span<const std::string> tokens_;
  forest::RulesBuilder rules_;
  std::unordered_map<uint64_t, uint32_t> numbers_;  // looked up, never walked through
  std::unordered_map<std::string, size_t> ids_;
  std::vector<std::string> words_;
};

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

// Adds edges with their features to a ForestBuilder.
class GraphEdges {
 public:
  GraphEdges(const PhraseSearch& search, const PhraseModel& model, const SourceSentence& sentence,
             forest::ForestBuilder& builder)
      : search_(search),
        model_(model),
        sentence_(sentence),
        builder_(builder),
        features_(model.features()),
        row_(model.features()) {}

  // The phrase `rule` at [begin, end) behind a hypothesis, which is the node `tail`.
  void add(uint32_t head, uint32_t forest_rule, uint32_t hypothesis, uint32_t tail, uint32_t rule,
           uint32_t begin, uint32_t end, float lm) {
    const PhraseHypothesis& before = search_.hypothesis(hypothesis);
    const uint32_t option = before.arc.option;
    const PhrasePlace place{begin,
                            end,
                            lm_word_at(sentence_, begin),
                            option == kNoOption ? kGoal : search_.options().option(option).rule,
                            before.arc.begin,
                            before.end};
    std::fill(features_.begin(), features_.end(), 0.0);
    model_.add_features(rule, place, features_);
    features_[model_.lm_column()] = kLn10 * lm;
    std::copy(features_.begin(), features_.end(), row_.begin());
    builder_.add_edge({.head = head,
                       .tails = {&tail, 1},
                       .rule = forest_rule,
                       .score = model_.score(rule, place) + model_.grammar().lm_score(lm),
                       .dense = row_});
  }

 private:
  const PhraseSearch& search_;
  const PhraseModel& model_;
  const SourceSentence& sentence_;
  forest::ForestBuilder& builder_;
  std::vector<double> features_;
  std::vector<float> row_;
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
  for (uint32_t h = search.best(); h != 0; h = search.hypothesis(h).arc.back) {
    const PhraseHypothesis& each = search.hypothesis(h);
    derivation.steps.push_back(
        {search.options().option(each.arc.option).rule, kPhraseLabel, each.arc.begin, each.end});
    derivation.steps.back().lm = each.arc.lm;
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
    if (heads[e] == packed.root()) {
      derivation.steps[0].lm = log10;
    } else if (!packed.tails_of(e).empty()) {
      const uint32_t r = packed.rule[e];
      const uint32_t end = packed.span[2 * heads[e] + 1];
      const auto words = static_cast<uint32_t>(packed.rules->source_side(r).size() - 1);
      const uint32_t rule = packed.rules->origin[r];
      derivation.steps.push_back(
          {rule == forest::kNone ? kPassThrough : rule, kPhraseLabel, end - words, end});
      derivation.steps.back().lm = log10;
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
    const PhrasePlace place{begin,          end,         lm_word_at(sentence, begin), previous_rule,
                            previous_begin, previous_end};
    model.add_features(step.rule, place, derivation.features);
    derivation.features[model.lm_column()] += kLn10 * step.lm;
    step.score = model.score(step.rule, place) + model.grammar().lm_score(step.lm);
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
  write_words(derivation, tokens, model.table());
}

// -- all of them -------------------------------------------------------------------------------

forest::Forest search_graph(const PhraseSearch& search, const PhraseModel& model,
                            std::span<const std::string> tokens, const SourceSentence& sentence) {
  // Only what leads to the end.
  std::vector<bool> used(search.hypotheses(), false);
  for (uint32_t h = search.first_complete(); h < search.hypotheses(); ++h) used[h] = true;
  GraphRules rules(model, tokens);
  for (uint32_t h = search.hypotheses(); h-- > 1;)
    if (used[h])
      each_arc(search, h, [&](const PhraseArc& arc) {
        used[arc.back] = true;
        rules.number(search.options().option(arc.option).rule, arc.begin, search.hypothesis(h).end);
      });

  forest::ForestBuilder builder(graph_names(model, rules.words()), rules.rules(),
                                all_features(model));
  GraphEdges edges(search, model, sentence, builder);
  std::vector<uint32_t> nodes(search.hypotheses(), forest::kNone);
  nodes[0] = builder.add_node(kHypothesisLabel, 0, 0);
  builder.add_edge({.head = nodes[0], .rule = GraphRules::kEmpty});
  for (uint32_t h = 1; h < search.hypotheses(); ++h) {
    if (!used[h]) continue;
    const PhraseHypothesis& each = search.hypothesis(h);
    nodes[h] = builder.add_node(kHypothesisLabel, each.arc.begin, each.end);
    each_arc(search, h, [&](const PhraseArc& arc) {
      const uint32_t rule = search.options().option(arc.option).rule;
      edges.add(nodes[h], rules.number(rule, arc.begin, each.end), arc.back, nodes[arc.back], rule,
                arc.begin, each.end, arc.lm);
    });
  }
  const auto words = static_cast<uint32_t>(tokens.size());
  const uint32_t goal = builder.add_node(kGoalLabel, 0, words);
  for (uint32_t h = search.first_complete(); h < search.hypotheses(); ++h)
    edges.add(goal, GraphRules::kClose, h, nodes[h], kGoal, words, words, search.end_lm(h));
  return builder.finalize(goal);
}

forest::Forest empty_search_graph(const PhraseModel& model) {
  forest::RulesBuilder rules;
  rules.add(kGoalLabel, {}, {}, {}, {});
  forest::ForestBuilder builder(graph_names(model, {}), rules.finish(), all_features(model));
  builder.add_edge({.head = builder.add_node(kGoalLabel, 0, 0)});
  return builder.finalize(0);
}

}  // namespace demotic::decode::phrase
