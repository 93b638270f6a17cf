#include "decode/derivation.h"

#include <algorithm>
#include <numeric>

#include "features/row_sum.h"

namespace demotic::decode {

namespace {

// Where the k-th child of a step ends.
auto child_ends(const Derivation& derivation, const DerivationStep& step) {
  return [&derivation, children = derivation.children_of(step), end = step.end](uint32_t k) {
    return k < children.size() ? derivation.steps[children[k]].end : end;
  };
}

// Writes the words of one rule after the other, going into slots as they come.
class Writer {
 public:
  Writer(Derivation& derivation, std::span<const std::string> tokens,
         const grammar::RuleTable& table)
      : derivation_(derivation), tokens_(tokens), table_(table) {}

  void operator()() {
    enter(0);
    while (!open_.empty()) {
      Open& top = open_.back();
      const DerivationStep& step = derivation_.steps[top.step];
      const std::span<const uint32_t> children = derivation_.children_of(step);
      if (step.rule >= kGlueFirst) {  // its children, one after the other
        if (top.next == children.size()) {
          leave();
        } else {
          const uint32_t at = top.next++;
          enter(children[step.rule == kInverted ? children.size() - 1 - at : at]);
        }
        continue;
      }
      const io::PackedRow<text::Symbol> target = table_.target(step.rule);
      if (top.next == target.size()) {
        leave();
        continue;
      }
      const text::Symbol symbol = target[top.next++];
      if (text::is_word(symbol))
        write(top, symbol);
      else if (text::slot_of(symbol) < children.size())
        enter(children[text::slot_of(symbol)]);
    }
    std::sort(derivation_.alignment.begin(), derivation_.alignment.end());
  }

 private:
  struct Open {
    uint32_t step;
    uint32_t next;    // symbol of the target side
    uint32_t places;  // where its source side's symbols begin in places_
  };

  void enter(uint32_t number) {
    const DerivationStep& step = derivation_.steps[number];
    if (step.rule == kPassThrough) {
      derivation_.pass_word(tokens_[step.begin], number);
      return;
    }
    open_.push_back({number, 0, static_cast<uint32_t>(places_.size())});
    if (step.rule < kGlueFirst && !table_.links(step.rule).empty()) find_places(step);
  }

  void leave() {
    places_.resize(open_.back().places);
    open_.pop_back();
  }

  // Where in the sentence each symbol of the rule's source side stands.
  void find_places(const DerivationStep& step) {
    decode::find_places(table_, step.rule, step.begin, child_ends(derivation_, step), own_);
    places_.insert(places_.end(), own_.begin(), own_.end());
  }

  // The rule at hand is the last one opened, so that its places are the last ones.
  void write(const Open& open, text::Symbol symbol) {
    const uint32_t rule = derivation_.steps[open.step].rule;
    const auto position = static_cast<uint32_t>(derivation_.tokens.size());
    const std::span<const uint32_t> places = std::span(places_).subspan(open.places);
    derivation_.add_word(table_.target_vocab().word(static_cast<uint32_t>(symbol)), open.step);
    for (const grammar::RuleLink link : table_.links(rule))
      if (link.target + 1u == open.next && link.source < places.size() &&
          places[link.source] != kNoPlace)
        derivation_.alignment.push_back({places[link.source], position});
  }

  Derivation& derivation_;
  std::span<const std::string> tokens_;
  const grammar::RuleTable& table_;
  std::vector<Open> open_;
  std::vector<uint32_t> places_;  // of open steps, one after the other
  std::vector<uint32_t> own_;
};

}  // namespace

void Derivation::flatten() {
  children.resize(steps.size() - 1);
  std::iota(children.begin(), children.end(), 1u);
  steps[0].first_child = 0;
  steps[0].arity = static_cast<uint32_t>(children.size());
}

void write_words(Derivation& derivation, std::span<const std::string> tokens,
                 const grammar::RuleTable& table) {
  if (!derivation.steps.empty()) Writer(derivation, tokens, table)();
}

std::vector<float> further_logs(const forest::Forest& packed, uint32_t edge,
                                const ScoredGrammar& grammar) {
  std::vector<float> logs;
  for (uint32_t i = 0; i < grammar.further(); ++i)
    logs.push_back(static_cast<float>(packed.dense_of(edge)[grammar.further_column(i)] / kLn10));
  return logs;
}

void sum_sparse(Derivation& derivation, const grammar::RuleTable& table) {
  if (table.sparse_space() == nullptr) return;
  features::RowSum<double> sum;
  for (const DerivationStep& step : derivation.steps)
    if (step.rule < kGlueFirst) sum.add(table.sparse(step.rule));
  sum.finish();
  derivation.sparse_ids = sum.ids();
  derivation.sparse_values = sum.values();
}

void complete(Derivation& derivation, std::span<const std::string> tokens,
              const SourceSentence& sentence, const ScoredGrammar& grammar) {
  derivation.features.assign(grammar.features(), 0.0);
  derivation.score = 0;
  std::vector<uint32_t> places;
  for (DerivationStep& step : derivation.steps) {
    const uint32_t passed = sentence.lm[step.begin];
    const std::span<const float> further = derivation.further_of(step);
    grammar.add_features(step.rule, passed, step.lm, further, derivation.features);
    step.score = grammar.score(step.rule, passed) + grammar.lm_score(step.lm) +
                 grammar.further_score(further);
    if (grammar.choices() > 0 && step.rule < kGlueFirst) {
      const grammar::RuleTable& table = grammar.table();
      find_places(table, step.rule, step.begin, child_ends(derivation, step), places);
      const ChoiceValues values = sentence.choices.of_rule(table, step.rule, places);
      grammar.add_choice_features(values, derivation.features);
      step.score += grammar.choice_score(values);
    }
    derivation.score += step.score;
  }
  sum_sparse(derivation, grammar.table());
  write_words(derivation, tokens, grammar.table());
}

}  // namespace demotic::decode
