#include "decode/scored_grammar.h"

#include <algorithm>
#include <array>
#include <utility>

#include "decode/weight.h"
#include "io/error.h"

namespace demotic::decode {

ScoredGrammar::ScoredGrammar(const grammar::RuleTable& table, const lm::Model* lm,
                             const GrammarWeights& weights)
    : table_(&table), lm_(lm), sparse_(weights.sparse), space_(table, feature_names(table)) {
  weigh(weights.dense);
  if (sparse_ != nullptr && !std::all_of(sparse_->begin(), sparse_->end(), is_weight))
    throw io::Error(io::Fault::argument, std::string("the weight of a sparse feature") + kNoWeight);
  const text::VocabView vocab = table.target_vocab();
  auto words = std::make_shared<std::vector<uint32_t>>();
  words->reserve(vocab.size());
  for (uint32_t id = 0; id < vocab.size(); ++id) words->push_back(find_lm_word(vocab.word(id)));
  lm_words_ = std::move(words);
}

ScoredGrammar::ScoredGrammar(const ScoredGrammar& other, std::span<const double> weights)
    : table_(other.table_),
      lm_(other.lm_),
      sparse_(other.sparse_),
      space_(other.space_),
      lm_words_(other.lm_words_) {
  weigh(weights);
}

void ScoredGrammar::weigh(std::span<const double> weights) {
  weights_.assign(weights.begin(), weights.end());
  if (weights_.size() != table_->features() + kDecoderFeatures)
    throw io::Error(io::Fault::argument, "the number of weights is not that of the features");
  for (size_t i = 0; i < weights_.size(); ++i)
    if (!is_weight(weights_[i]))
      throw io::Error(io::Fault::argument,
                      "the weight of " + feature_names(*table_)[i] + kNoWeight);
  rule_penalty_ = weight(DecoderFeature::rule_penalty);
  glue_ = weight(DecoderFeature::glue);
  pass_through_ = weight(DecoderFeature::pass_through);
  word_ = weight(DecoderFeature::word_penalty);
  unknown_ = word_ + (lm_ == nullptr ? 0.0 : weight(DecoderFeature::unknown_word));
  lm_weight_ = weight(DecoderFeature::language_model) * kLn10;
}

std::vector<std::string> ScoredGrammar::feature_names(const grammar::RuleTable& table,
                                                      const char* glue) {
  std::vector<std::string> names = table.feature_names();
  add_own_names(
      std::array{"LanguageModel", "WordPenalty", "RulePenalty", glue, "PassThrough", "UnknownWord"},
      table, names);
  return names;
}

void ScoredGrammar::add_own_names(std::span<const char* const> own, const grammar::RuleTable& table,
                                  std::vector<std::string>& names) {
  const features::FeatureSpace* sparse = table.sparse_space().get();
  const auto taken = [&](const std::string& name) {
    if (std::find(names.begin(), names.end(), name) != names.end()) return true;
    // Hashed features have names of another kind.
    return sparse != nullptr && sparse->bits() == 0 && sparse->find(name) != features::kNoFeature;
  };
  for (std::string name : own) {
    while (taken(name)) name.insert(0, "Decoder");
    names.push_back(std::move(name));
  }
}

// Text that looks like a sentence border is a word that the model does not know.
uint32_t ScoredGrammar::find_lm_word(std::string_view word) const {
  if (lm_ == nullptr) return text::kUnknown;
  const uint32_t id = lm_->find(word);
  return id == lm_->begin_word() || id == lm_->end_word() ? text::kUnknown : id;
}

SourceSentence ScoredGrammar::encode(std::span<const std::string> tokens) const {
  SourceSentence sentence;
  for (const std::string& token : tokens) {
    sentence.source.push_back(table_->source_vocab().find(token));
    sentence.lm.push_back(find_lm_word(token));
  }
  return sentence;
}

void ScoredGrammar::add_features(uint32_t rule, uint32_t passed, double lm,
                                 std::span<double> features) const {
  features[column(DecoderFeature::language_model)] += kLn10 * lm;
  const auto add = [&](DecoderFeature f) { features[column(f)] += 1; };
  const auto add_word = [&](uint32_t lm_word) {
    add(DecoderFeature::word_penalty);
    if (lm_ != nullptr && lm_word == text::kUnknown) add(DecoderFeature::unknown_word);
  };
  if (rule < kGlueFirst) {
    const std::span<const float> scores = table_->scores(rule);
    for (size_t i = 0; i < scores.size(); ++i) features[i] += scores[i];
    add(DecoderFeature::rule_penalty);
    for (const text::Symbol symbol : table_->target(rule))
      if (text::is_word(symbol)) add_word(lm_word(symbol));
  } else if (rule == kGlueNext) {
    add(DecoderFeature::glue);
  } else if (rule == kPassThrough) {
    add(DecoderFeature::pass_through);
    add_word(passed);
  }
}

}  // namespace demotic::decode
