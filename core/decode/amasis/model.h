// What decoding by labels adds to a scored grammar: the labels' log-probability.
//
//   AmasisModel model(table, &lm, labels, weights, further);  weights in the order of
//                                                             feature_names()
//   model.label_score(logprob)                                weighted
//
// Features: the table's columns, then LanguageModel, WordPenalty, RulePenalty, Label, PassThrough,
// UnknownWord, then those of classifiers of words and one for each further language model. `labels`
// may be null where orders are not learned.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "decode/scored_grammar.h"
#include "grammar/label_model.h"

namespace demotic::decode::amasis {

class AmasisModel {
 public:
  AmasisModel(const grammar::RuleTable& table, const lm::Model* lm,
              const grammar::LabelModel* labels, const GrammarWeights& weights,
              std::span<const lm::FurtherModel> further = {},
              const grammar::WordChoices* choices = nullptr);

  static std::vector<std::string> feature_names(const grammar::RuleTable& table,
                                                std::span<const std::string> further = {},
                                                bool choices = false);
  // Of the model's forests: the names above, and the table's sparse features.
  const ModelSpace& space() const { return space_; }

  const ScoredGrammar& grammar() const { return grammar_; }
  const grammar::RuleTable& table() const { return grammar_.table(); }
  const grammar::LabelModel* labels() const { return labels_; }
  uint32_t label_column() const { return grammar_.column(DecoderFeature::glue); }
  double label_score(double logprob) const { return label_weight_ * logprob; }

  // Language models in all, the first one included.
  uint32_t models() const { return grammar_.lm() == nullptr ? 0 : 1 + grammar_.further(); }
  const lm::Model& lm(uint32_t model) const {
    return model == 0 ? *grammar_.lm() : grammar_.further_lm(model - 1);
  }
  double lm_score(uint32_t model, double log10) const {
    return model == 0 ? grammar_.lm_score(log10) : grammar_.further_score(model - 1, log10);
  }

 private:
  ScoredGrammar grammar_;
  const grammar::LabelModel* labels_;
  ModelSpace space_;
  double label_weight_;
};

}  // namespace demotic::decode::amasis
