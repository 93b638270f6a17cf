// A rule table, a language model and weights, made ready for decoding: what a rule is worth before
// its neighbours are known.
//
//   ScoredGrammar grammar(table, &model, weights);     dense ones in the order of feature_names()
//   SourceSentence sentence = grammar.encode(tokens);
//   grammar.score(edge.rule)                           weighted features of the rule, no LM
//   grammar.lm_word(target_id)                         the language model's id of a target word
//
//   ScoredGrammar grammar(table, &model, weights, further);   with models beside the first
//   grammar.further()                                  how many; what they say are lists of log10,
//                                                      one for each
//
//   ScoredGrammar grammar(table, &model, weights, further, &choices);   with classifiers of words:
//   grammar.choice_score(values)                 weighted; values: sentence.choices.of_rule(...)
//
// Features: the table's columns, then the ones named in DecoderFeature, in that order, then
// WordShare and WordCost where there are classifiers of words, then one for each further language
// model, under its name; and the table's sparse features, which cost nothing where they have no
// weights.  Where a foreign table has a feature called WordPenalty, say, the name is the table's,
// and ours is DecoderWordPenalty.
#pragma once

#include <cmath>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "decode/context_free_forest.h"
#include "decode/model_space.h"
#include "decode/rule_symbols.h"
#include "decode/sentence_choices.h"
#include "features/sparse_rows.h"
#include "grammar/rule_table.h"
#include "lm/further_model.h"
#include "lm/model.h"

namespace demotic::decode {

enum class DecoderFeature : uint8_t {
  language_model,  // natural log
  word_penalty,    // target words
  rule_penalty,    // rules of the table
  glue,            // S -> S X
  pass_through,    // words that pass through
  unknown_word,    // target words that the language model does not know
};
inline constexpr uint32_t kDecoderFeatures = 6;
inline constexpr double kLn10 = 2.302585092994045684;

// The words of one sentence as the grammar and, should they pass through, the language model see
// them.
struct SourceSentence {
  std::vector<uint32_t> source;
  std::vector<uint32_t> lm;
  std::vector<uint32_t> further;  // likewise, for each word one of each further model
  ReorderingLimits limits;
  SentenceChoices choices;  // what classifiers say of their translations
};

struct GrammarWeights {
  std::span<const double> dense;
  std::shared_ptr<const std::vector<double>> sparse = {};  // by id of the table's sparse features;
                                                           // none, or none for the last: 0
};

class ScoredGrammar {
 public:
  ScoredGrammar(const grammar::RuleTable& table, const lm::Model* lm, const GrammarWeights& weights,
                std::span<const lm::FurtherModel> further = {},
                const grammar::WordChoices* choices = nullptr);
  // The same under other weights of dense features; what does not depend on them is shared.
  ScoredGrammar(const ScoredGrammar& other, std::span<const double> weights);

  static std::vector<std::string> feature_names(const grammar::RuleTable& table,
                                                std::span<const std::string> further = {},
                                                const char* glue = "Glue", bool choices = false);
  // Adds the decoder's own names, each under a new one if it is taken.
  static void add_own_names(std::span<const std::string> own, const grammar::RuleTable& table,
                            std::vector<std::string>& names);
  // Of the model's forests: the names above, and the table's sparse features.
  const ModelSpace& space() const { return space_; }

  const grammar::RuleTable& table() const { return *table_; }
  const lm::Model* lm() const { return lm_; }
  uint32_t features() const { return static_cast<uint32_t>(weights_.size()); }
  double weight(uint32_t feature) const { return weights_[feature]; }
  double weight(DecoderFeature f) const { return weights_[column(f)]; }
  uint32_t column(DecoderFeature f) const { return table_->features() + static_cast<uint32_t>(f); }
  uint32_t lm_word(text::Symbol target) const { return find_id(*lm_words_, target); }

  // Features of classifiers of words: none, or kChoiceFeatures.
  uint32_t choices() const { return choices_ == nullptr ? 0 : kChoiceFeatures; }
  double choice_score(const ChoiceValues& values) const {
    double sum = 0;
    for (uint32_t k = 0; k < choices(); ++k) sum += weights_[choice_column(k)] * values[k];
    return sum;
  }
  void add_choice_features(const ChoiceValues& values, std::span<double> features) const {
    for (uint32_t k = 0; k < choices(); ++k) features[choice_column(k)] += values[k];
  }

  // Language models beside the first one.  Those that see units ask for whole rules.
  uint32_t further() const { return static_cast<uint32_t>(further_.size()); }
  const lm::Model& further_lm(uint32_t model) const { return further_[model].model.lm(); }
  uint32_t further_column(uint32_t model) const {
    return table_->features() + kDecoderFeatures + choices() + model;
  }
  uint32_t further_word(uint32_t model, text::Symbol target) const {
    return find_id(*further_[model].words, target);
  }
  bool sees_units() const { return sees_units_; }  // does any of them?
  // A rule's target side as each further model sees it, one model after another; the rule has no
  // nonterminals, and `source` is its source side (not needed where no model sees units).
  void further_words(uint32_t rule, std::span<const text::Symbol> source,
                     std::vector<uint32_t>& ids) const;
  double further_score(uint32_t model, double log10) const {
    return further_[model].weight * log10;
  }
  double further_score(std::span<const float> log10) const {
    double sum = 0;
    for (uint32_t i = 0; i < log10.size(); ++i) sum += further_score(i, log10[i]);
    return sum;
  }
  // Do scores never rise by what language models say?
  bool lm_costs() const;

  SourceSentence encode(const Tokens& tokens) const;

  // Without the language model.  A table that was not verified may hold anything.
  double score(uint32_t rule) const {
    const io::FloatRow scores = table_->scores(rule);
    double sum = rule_penalty_;
    for (size_t i = 0; i < scores.size(); ++i) sum += weights_[i] * scores[i];
    if (sparse_ != nullptr) sum += features::dot(table_->sparse(rule), std::span(*sparse_));
    for (const text::Symbol symbol : table_->target(rule))
      if (text::is_word(symbol)) sum += word_cost(lm_word(symbol));
    return std::isfinite(sum) ? sum : kWorst;
  }
  // The same for rules that are not in the table, too; `passed` is the language model's id of the
  // word at the rule's span.
  double score(uint32_t rule, uint32_t passed) const {
    if (rule < kGlueFirst) return score(rule);
    if (rule == kGlueNext) return glue_;
    return rule == kPassThrough ? pass_through_ + word_cost(passed) : 0.0;
  }
  double lm_score(double log10) const { return lm_weight_ * log10; }

  // The target side of any rule as the language model reads it, from left to right: word(id) of
  // words, slot(k) of nonterminals; `from` a symbol on, which is of use for rules of the table.
  // Goal is begin(), its nonterminal and the word "</s>".
  template <class Begin, class Word, class Slot>
  void each_lm_symbol(uint32_t rule, uint32_t passed, Begin&& begin, Word&& word, Slot&& slot,
                      uint32_t from = 0) const {
    each_symbol_of(*lm_words_, *lm_, rule, passed, begin, word, slot, from);
  }
  // The same as a further model reads it.
  template <class Begin, class Word, class Slot>
  void each_further_symbol(uint32_t model, uint32_t rule, uint32_t passed, Begin&& begin,
                           Word&& word, Slot&& slot, uint32_t from = 0) const {
    each_symbol_of(*further_[model].words, further_lm(model), rule, passed, begin, word, slot,
                   from);
  }

  // Adds all dense features; `lm` is the log10 that the language model has added, `further` those
  // of the further ones.
  void add_features(uint32_t rule, uint32_t passed, double lm, std::span<const float> further,
                    std::span<double> features) const;
  void add_lm_features(double lm, std::span<const float> further, std::span<double> features) const;

 private:
  static constexpr double kWorst = -1e30;

  uint32_t choice_column(uint32_t k) const { return table_->features() + kDecoderFeatures + k; }

  using Ids = std::vector<uint32_t>;  // a language model's, by target word

  struct Further {
    lm::FurtherModel model;
    std::shared_ptr<const Ids> words;  // empty where it sees units
    double weight;                     // of a log10
  };

  static uint32_t find_id(const Ids& ids, text::Symbol target) {
    const auto id = static_cast<uint32_t>(target);
    return id < ids.size() ? ids[id] : text::kUnknown;
  }
  template <class Begin, class Word, class Slot>
  void each_symbol_of(const Ids& ids, const lm::Model& lm, uint32_t rule, uint32_t passed,
                      Begin&& begin, Word&& word, Slot&& slot, uint32_t from) const {
    if (rule == kGoal) begin();
    each_target_symbol(
        rule, *table_, [&](text::Symbol symbol) { word(find_id(ids, symbol)); }, slot,
        [&] { word(passed); }, from);
    if (rule == kGoal) word(lm.end_word());
  }

  void weigh(std::span<const double> weights);
  void add_units(const lm::FurtherModel& model, uint32_t rule, std::span<const text::Symbol> source,
                 std::vector<uint32_t>& ids) const;
  template <class Find>
  std::shared_ptr<const Ids> ids_by(Find&& find) const;
  uint32_t find_lm_word(std::string_view word) const {
    return lm_ == nullptr ? text::kUnknown : lm_->find_in_text(word);
  }
  double word_cost(uint32_t lm_word) const { return lm_word == text::kUnknown ? unknown_ : word_; }

  const grammar::RuleTable* table_;
  const lm::Model* lm_;
  std::vector<double> weights_;
  std::shared_ptr<const std::vector<double>> sparse_;
  ModelSpace space_;
  std::shared_ptr<const Ids> lm_words_;
  std::vector<Further> further_;
  bool sees_units_ = false;
  std::shared_ptr<const ChoiceModel> choices_;  // null: none
  double word_, unknown_;  // a target word that the language model knows, or not
  double rule_penalty_, glue_, pass_through_;
  double lm_weight_;  // of a log10
};

}  // namespace demotic::decode
