#include "decode/amasis/derivation.h"

#include <algorithm>
#include <array>
#include <deque>
#include <map>
#include <utility>

#include "decode/forest_packer.h"

namespace demotic::decode::amasis {

namespace {

// The tree that labels build; children have lower numbers.
struct TreeNode {
  uint32_t rule;
  uint32_t category;
  uint32_t begin, end;
  uint32_t left = kNoStep, right = kNoStep;
  float logprob = 0;
};

std::vector<TreeNode> execute(std::span<const PlacedItem> items) {
  std::vector<TreeNode> nodes;
  std::vector<uint32_t> stack;
  const auto reduce = [&](uint32_t rule, uint32_t category) {
    const uint32_t right = stack.back();
    stack.pop_back();
    const uint32_t left = stack.back();
    nodes.push_back({rule, category, nodes[left].begin, nodes[right].end, left, right});
    stack.back() = static_cast<uint32_t>(nodes.size()) - 1;
  };
  for (const PlacedItem& item : items) {
    if (item.rule == kZoneEnd) {
      while (stack.size() > 1 && nodes[stack[stack.size() - 2]].end > item.begin)
        reduce(kStraight, kElementLabel);
      nodes[stack.back()].logprob += item.logprob;
    } else {
      stack.push_back(static_cast<uint32_t>(nodes.size()));
      nodes.push_back(
          {item.rule, kElementLabel, item.begin, item.end, kNoStep, kNoStep, item.logprob});
    }
    for (uint32_t k = 0; k < events::reductions_of(item.label) && stack.size() > 1; ++k)
      reduce(events::inverted(item.label, k) ? kInverted : kStraight, kElementLabel);
  }
  // What is left is joined from the bottom up.
  std::reverse(stack.begin(), stack.end());
  while (stack.size() > 1) {
    const uint32_t left = stack.back();
    stack.pop_back();
    const uint32_t right = stack.back();
    nodes.push_back({kStraight, kJoinedLabel, nodes[left].begin, nodes[right].end, left, right});
    stack.back() = static_cast<uint32_t>(nodes.size()) - 1;
  }
  nodes.push_back({kGoal, kGoalLabel, 0, nodes[stack.back()].end, stack.back(), kNoStep});
  return nodes;
}

// Log10 that each language model adds at each node.
std::vector<float> score_tree(std::span<const TreeNode> nodes, const AmasisModel& model,
                              const SourceSentence& sentence) {
  const uint32_t models = model.models();
  const ScoredGrammar& grammar = model.grammar();
  std::vector<float> logs(nodes.size() * models);
  std::vector<lm::Fragment> parts(nodes.size());
  std::vector<std::vector<uint32_t>> further(nodes.size());  // words of leaves
  for (size_t n = 0; n < nodes.size() && grammar.further() > 0; ++n)
    if (const uint32_t rule = nodes[n].rule; rule < kGlueFirst)
      grammar.further_words(rule, model.table().source_of(model.table().node_of(rule)), further[n]);
  for (uint32_t m = 0; m < models; ++m)
    for (size_t n = 0; n < nodes.size(); ++n) {
      const TreeNode& node = nodes[n];
      lm::FragmentScorer scorer(model.lm(m), parts[n]);
      bool words = false;
      const auto add = [&](uint32_t child) {
        scorer.nonterminal(parts[child]);
        words = words || parts[child].left_length > 0 || parts[child].left_full;
      };
      if (node.rule == kGoal) {
        scorer.begin_sentence();
        add(node.left);
        scorer.terminal(model.lm(m).end_word());
        words = true;
      } else if (node.left != kNoStep) {
        add(node.rule == kInverted ? node.right : node.left);
        add(node.rule == kInverted ? node.left : node.right);
      } else if (node.rule == kPassThrough) {
        const size_t place = size_t{node.begin} * grammar.further();
        scorer.terminal(m == 0 ? sentence.lm[node.begin] : sentence.further[place + m - 1]);
        words = true;
      } else {
        const io::PackedRow<text::Symbol> target = model.table().target(node.rule);
        for (size_t i = 0; i < target.size(); ++i)
          scorer.terminal(m == 0 ? grammar.lm_word(target[i])
                                 : further[n][(m - 1) * target.size() + i]);
        words = !target.empty();
      }
      // What has no words stays open to both sides.
      logs[n * models + m] = words ? scorer.finish() : 0.0f;
    }
  return logs;
}

}  // namespace

const std::vector<std::string>& amasis_labels() {
  static const std::vector<std::string> labels{"X", "J", "Goal"};
  return labels;
}

std::vector<PlacedItem> best_items(const AmasisSearch& search) {
  std::vector<PlacedItem> items;
  if (search.best() == kNoHypothesis) return items;
  for (uint32_t h = search.best(); h != kStart; h = search.hypothesis(h).arc.before) {
    const AmasisArc& arc = search.hypothesis(h).arc;
    const ItemOption& option = search.option(arc.option);
    items.push_back({option.rule, option.begin, option.end, arc.label, arc.logprob});
  }
  std::reverse(items.begin(), items.end());
  return items;
}

Derivation make_derivation(std::span<const PlacedItem> items, const AmasisModel& model,
                           std::span<const std::string> tokens, const SourceSentence& sentence) {
  Derivation derivation;
  std::vector<float> logprobs;
  if (!items.empty()) {
    const std::vector<TreeNode> nodes = execute(items);
    const std::vector<float> logs = score_tree(nodes, model, sentence);
    const uint32_t models = model.models();
    add_steps(derivation, static_cast<uint32_t>(nodes.size()) - 1,
              [&](uint32_t number, std::vector<uint32_t>& below) {
                const TreeNode& node = nodes[number];
                DerivationStep step{node.rule, node.category, node.begin, node.end};
                const auto own = std::span(logs).subspan(size_t{number} * models, models);
                if (models > 0) {
                  step.lm = own[0];
                  step.first_further = derivation.add_further(own.subspan(1));
                }
                for (const uint32_t child : {node.left, node.right})
                  if (child != kNoStep) below.push_back(child);
                logprobs.push_back(node.logprob);
                return step;
              });
  }
  complete(derivation, tokens, sentence, model.grammar());
  for (size_t i = 0; i < derivation.steps.size(); ++i) {
    const double score = model.label_score(logprobs[i]);
    derivation.features[model.label_column()] += logprobs[i];
    derivation.steps[i].score += score;
    derivation.score += score;
  }
  return derivation;
}

// -- all of them -------------------------------------------------------------------------------

namespace {

class GraphPacker {
 public:
  GraphPacker(AmasisSearch& search, const AmasisModel& model, std::span<const std::string> tokens,
              const SourceSentence& sentence)
      : search_(search),
        model_(model),
        tokens_(tokens),
        sentence_(sentence),
        pack_(amasis_labels(), model.space()()),
        elements_(search.hypotheses(), forest::kNone),
        joined_(search.hypotheses(), forest::kNone) {}

  SearchGraph operator()() {
    find_rules();
    for (uint32_t h = 1; h < search_.hypotheses(); ++h) {
      if (uses_element_[h]) add_element(h);
      if (uses_joined_[h]) add_joined(h);
    }
    const uint32_t goal = pack_.add_node(kGoalLabel, 0, static_cast<uint32_t>(tokens_.size()));
    for (uint32_t h = search_.first_complete(); h < search_.hypotheses(); ++h) {
      search_.end_logs(h, logs_);
      add_lm_edge(goal, {&joined_[h], 1}, close_rule_);
    }
    return {pack_.finish(goal), std::move(rules_)};
  }

 private:
  template <class Visit>
  void each_arc(uint32_t hypothesis, Visit&& visit) const {
    AmasisArc arc = search_.hypothesis(hypothesis).arc;
    while (true) {
      visit(arc);
      if (arc.alternative == UINT32_MAX) return;
      arc = search_.alternative(arc.alternative);
    }
  }
  // Only what leads to the end is used.
  void find_rules() {
    const std::vector<text::Symbol> one{text::slot_symbol(0)};
    const std::vector<text::Symbol> two{text::slot_symbol(0), text::slot_symbol(1)};
    first_rule_ = add_own_rule({.label = kJoinedLabel, .source = one, .target = one});
    next_rule_ = add_own_rule({.label = kJoinedLabel, .source = two, .target = two});
    close_rule_ = add_own_rule({.label = kGoalLabel, .source = one, .target = one});
    uses_element_.assign(search_.hypotheses(), false);
    uses_joined_.assign(search_.hypotheses(), false);
    for (uint32_t h = search_.first_complete(); h < search_.hypotheses(); ++h)
      uses_joined_[h] = true;
    for (uint32_t h = search_.hypotheses(); h-- > 1;) {
      if (uses_joined_[h]) {
        uses_element_[h] = true;
        uses_joined_[search_.hypothesis(h).below] = true;
      }
      if (!uses_element_[h]) continue;
      each_arc(h, [&](const AmasisArc& arc) {
        for (const uint32_t element : search_.reduced(arc).elements) uses_element_[element] = true;
        number(arc);
      });
    }
  }

  uint32_t add_own_rule(const PackedRule& made) {
    rules_.push_back({0, 0, 0, false});
    return pack_.add_rule(made, UINT64_MAX - rules_.size());
  }

  uint32_t number(const AmasisArc& arc) {
    const ItemOption& option = search_.option(arc.option);
    const bool passed = option.rule == kPassThrough;  // one rule for each place
    const uint32_t zone = option.rule == kZoneEnd ? search_.reduced(arc).zone : 0;
    uint64_t place = passed ? option.begin & 0xffffff : 0;
    if (zone > 0) place = zones_.try_emplace({arc.option, zone}, zones_.size()).first->second;
    const uint64_t key = uint64_t{option.rule} << 32 | uint64_t{arc.label} << 24 | place;
    return pack_.rule(key, [&](PackedRule& made) {
      rules_.push_back({option.rule, arc.label, option.begin, true});
      write(option, zone, arc.label, made);
    });
  }

  void write(const ItemOption& option, uint32_t zone, uint32_t label, PackedRule& made) {
    const grammar::RuleTable& table = model_.table();
    made.label = kElementLabel;
    const uint32_t reductions = events::reductions_of(label);
    for (uint32_t slot = 0; slot < reductions + zone; ++slot)
      made.source.push_back(text::slot_symbol(slot));
    for (uint32_t i = option.begin; i < option.end && zone == 0; ++i)
      made.source.push_back(pack_.word(tokens_[i]));
    std::deque<text::Symbol> target;
    if (zone > 0) {
      target.assign(made.source.begin() + reductions, made.source.end());
    } else if (option.rule == kPassThrough) {
      target.push_back(made.source.back());
    } else {
      made.origin = option.rule;
      model_.space().add(table.sparse(option.rule), made.feature_ids, made.feature_values);
      for (const text::Symbol symbol : table.target(option.rule))
        target.push_back(pack_.word(table.target_vocab().word(static_cast<uint32_t>(symbol))));
    }
    for (uint32_t k = 0; k < reductions; ++k) {
      const text::Symbol slot = text::slot_symbol(reductions - 1 - k);
      if (events::inverted(label, k))
        target.push_back(slot);
      else
        target.push_front(slot);
    }
    made.target.assign(target.begin(), target.end());
  }

  void add_element(uint32_t h) {
    const AmasisHypothesis& each = search_.hypothesis(h);
    elements_[h] = pack_.add_node(kElementLabel, each.begin, each.end);
    each_arc(h, [&](const AmasisArc& arc) {
      const ItemOption& option = search_.option(arc.option);
      std::vector<uint32_t> tails = search_.reduced(arc).elements;
      for (uint32_t& tail : tails) tail = elements_[tail];
      search_.arc_logs(arc, logs_);
      if (option.rule == kZoneEnd) {
        add_lm_edge(elements_[h], tails, number(arc), arc.logprob);
        return;
      }
      const uint32_t passed = sentence_.lm[option.begin];
      ChoiceValues choices{};
      if (model_.grammar().choices() > 0 && option.rule < kGlueFirst)
        choices = sentence_.choices.of_phrase(model_.table(), option.rule, option.begin);
      pack_.add_edge(
          {.head = elements_[h],
           .tails = tails,
           .rule = number(arc),
           .score = model_.grammar().score(option.rule, passed) + lm_score() +
                    model_.label_score(arc.logprob) + model_.grammar().choice_score(choices)},
          [&](std::span<double> row) {
            model_.grammar().add_features(option.rule, passed, first_log(), further_logs(), row);
            model_.grammar().add_choice_features(choices, row);
            row[model_.label_column()] += arc.logprob;
          });
    });
  }

  void add_joined(uint32_t h) {
    const AmasisHypothesis& each = search_.hypothesis(h);
    joined_[h] = pack_.add_node(kJoinedLabel, 0, each.end);
    search_.join_logs(h, logs_);
    if (each.below == kStart) {
      add_lm_edge(joined_[h], {&elements_[h], 1}, first_rule_);
    } else {
      const std::array<uint32_t, 2> tails{joined_[each.below], elements_[h]};
      add_lm_edge(joined_[h], tails, next_rule_);
    }
  }

  // `logprob` is that of a label.
  void add_lm_edge(uint32_t head, std::span<const uint32_t> tails, uint32_t rule,
                   float logprob = 0) {
    pack_.add_edge({.head = head,
                    .tails = tails,
                    .rule = rule,
                    .score = lm_score() + model_.label_score(logprob)},
                   [&](std::span<double> row) {
                     model_.grammar().add_lm_features(first_log(), further_logs(), row);
                     row[model_.label_column()] += logprob;
                   });
  }

  double lm_score() const {
    double sum = 0;
    for (uint32_t m = 0; m < logs_.size(); ++m) sum += model_.lm_score(m, logs_[m]);
    return sum;
  }
  float first_log() const { return logs_.empty() ? 0.0f : logs_[0]; }
  std::span<const float> further_logs() const {
    return logs_.empty() ? std::span<const float>() : std::span<const float>(logs_).subspan(1);
  }

  AmasisSearch& search_;
  const AmasisModel& model_;
  std::span<const std::string> tokens_;
  const SourceSentence& sentence_;
  ForestPacker pack_;
  std::vector<uint32_t> elements_, joined_;  // nodes, by hypothesis
  std::vector<bool> uses_element_, uses_joined_;
  uint32_t first_rule_ = 0, next_rule_ = 0, close_rule_ = 0;
  std::map<std::pair<uint32_t, uint32_t>, uint64_t> zones_;  // by option and number of elements
  std::vector<SearchGraph::Rule> rules_;
  std::vector<float> logs_;
};

}  // namespace

SearchGraph search_graph(AmasisSearch& search, const AmasisModel& model,
                         std::span<const std::string> tokens, const SourceSentence& sentence) {
  return GraphPacker(search, model, tokens, sentence)();
}

forest::Forest empty_graph(const AmasisModel& model) {
  return empty_forest(amasis_labels(), model.space()(), kGoalLabel);
}

std::vector<PlacedItem> SearchGraph::items(std::span<const uint32_t> heads,
                                           std::span<const uint32_t> edges,
                                           const AmasisModel& model) const {
  std::vector<PlacedItem> all;
  for (const uint32_t e : edges) {
    const Rule& used = rules[forest.rule[e]];
    if (!used.is_item) continue;
    const uint32_t end = forest.span[2 * heads[e] + 1];
    const auto words = static_cast<uint32_t>(forest.rules->source_side(forest.rule[e]).size()) -
                       events::reductions_of(used.label);
    all.push_back({used.rule, used.rule == kZoneEnd ? used.begin : end - words, end, used.label,
                   static_cast<float>(forest.dense_of(e)[model.label_column()])});
  }
  // A zone ends when its last item, or the last zone in it, has been there.
  std::sort(all.begin(), all.end(), [](const PlacedItem& a, const PlacedItem& b) {
    if (a.end != b.end) return a.end < b.end;
    const bool zones[] = {a.rule == kZoneEnd, b.rule == kZoneEnd};
    return zones[0] != zones[1] ? zones[1] : a.begin > b.begin;
  });
  return all;
}

}  // namespace demotic::decode::amasis
