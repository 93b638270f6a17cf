#include "decode/scored_grammar.h"

#include <algorithm>
#include <array>
#include <utility>

#include "decode/weight.h"
#include "io/error.h"

namespace demotic::decode {

ScoredGrammar::ScoredGrammar(const grammar::RuleTable& table, const lm::Model* lm,
                             const GrammarWeights& weights,
                             std::span<const lm::FurtherModel> further,
                             const grammar::WordChoices* choices)
    : table_(&table),
      lm_(lm),
      sparse_(weights.sparse),
      space_(table, feature_names(table, lm::names_of(further), "Glue", choices != nullptr)) {
  if (choices != nullptr) choices_ = std::make_shared<const ChoiceModel>(*choices, table);
  if (lm == nullptr && !further.empty())
    throw io::Error(io::Fault::argument, "further language models need a first one");
  for (const lm::FurtherModel& each : further) {
    sees_units_ = sees_units_ || each.sees_units();
    further_.push_back({each,
                        each.sees_units()
                            ? std::make_shared<const Ids>()
                            : ids_by([&](std::string_view word) { return each.find(word); }),
                        0.0});
  }
  weigh(weights.dense);
  if (sparse_ != nullptr && !std::all_of(sparse_->begin(), sparse_->end(), is_weight))
    throw io::Error(io::Fault::argument, std::string("the weight of a sparse feature") + kNoWeight);
  lm_words_ = ids_by([&](std::string_view word) { return find_lm_word(word); });
}

template <class Find>
std::shared_ptr<const ScoredGrammar::Ids> ScoredGrammar::ids_by(Find&& find) const {
  const text::VocabView vocab = table_->target_vocab();
  auto ids = std::make_shared<Ids>();
  ids->reserve(vocab.size());
  for (uint32_t id = 0; id < vocab.size(); ++id) ids->push_back(find(vocab.word(id)));
  return ids;
}

ScoredGrammar::ScoredGrammar(const ScoredGrammar& other, std::span<const double> weights)
    : table_(other.table_),
      lm_(other.lm_),
      sparse_(other.sparse_),
      space_(other.space_),
      lm_words_(other.lm_words_),
      further_(other.further_),
      sees_units_(other.sees_units_),
      choices_(other.choices_) {
  weigh(weights);
}

void ScoredGrammar::weigh(std::span<const double> weights) {
  weights_.assign(weights.begin(), weights.end());
  if (weights_.size() != further_column(further()))
    throw io::Error(io::Fault::argument, "the number of weights is not that of the features");
  for (size_t i = 0; i < weights_.size(); ++i)
    if (!is_weight(weights_[i]))
      throw io::Error(io::Fault::argument,
                      "the weight of " + space_()->name(static_cast<uint32_t>(i)) + kNoWeight);
  rule_penalty_ = weight(DecoderFeature::rule_penalty);
  glue_ = weight(DecoderFeature::glue);
  pass_through_ = weight(DecoderFeature::pass_through);
  word_ = weight(DecoderFeature::word_penalty);
  unknown_ = word_ + (lm_ == nullptr ? 0.0 : weight(DecoderFeature::unknown_word));
  lm_weight_ = weight(DecoderFeature::language_model) * kLn10;
  for (uint32_t i = 0; i < further(); ++i) further_[i].weight = weight(further_column(i)) * kLn10;
}

bool ScoredGrammar::lm_costs() const {
  return lm_weight_ >= 0 && std::all_of(further_.begin(), further_.end(),
                                        [](const Further& each) { return each.weight >= 0; });
}

std::vector<std::string> ScoredGrammar::feature_names(const grammar::RuleTable& table,
                                                      std::span<const std::string> further,
                                                      const char* glue, bool choices) {
  std::vector<std::string> names = table.feature_names();
  add_own_names(
      std::array<std::string, kDecoderFeatures>{"LanguageModel", "WordPenalty", "RulePenalty", glue,
                                                "PassThrough", "UnknownWord"},
      table, names);
  if (choices)
    add_own_names(std::array<std::string, kChoiceFeatures>{"WordShare", "WordCost"}, table, names);
  add_own_names(further, table, names);
  return names;
}

void ScoredGrammar::add_own_names(std::span<const std::string> own, const grammar::RuleTable& table,
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

SourceSentence ScoredGrammar::encode(const Tokens& tokens) const {
  SourceSentence sentence;
  sentence.limits = tokens.limits;
  for (const std::string& token : tokens) {
    sentence.source.push_back(table_->source_vocab().find(token));
    sentence.lm.push_back(find_lm_word(token));
    for (const Further& each : further_) sentence.further.push_back(each.model.find_passed(token));
  }
  if (choices_ != nullptr) sentence.choices = choices_->score(tokens);
  return sentence;
}

void ScoredGrammar::further_words(uint32_t rule, std::span<const text::Symbol> source,
                                  std::vector<uint32_t>& ids) const {
  for (const Further& each : further_) {
    if (each.model.sees_units()) {
      add_units(each.model, rule, source, ids);
      continue;
    }
    for (const text::Symbol symbol : table_->target(rule))
      ids.push_back(find_id(*each.words, symbol));
  }
}

// Links of a table that was not verified may lead nowhere.
void ScoredGrammar::add_units(const lm::FurtherModel& model, uint32_t rule,
                              std::span<const text::Symbol> source,
                              std::vector<uint32_t>& ids) const {
  const io::PackedRow<text::Symbol> target = table_->target(rule);
  std::vector<uint8_t> places;
  std::vector<std::string_view> linked;
  for (size_t i = 0; i < target.size(); ++i) {
    places.clear();
    linked.clear();
    for (const grammar::RuleLink link : table_->links(rule))
      if (link.target == i && link.source < source.size()) places.push_back(link.source);
    std::sort(places.begin(), places.end());
    for (const uint8_t place : places)
      linked.push_back(table_->source_vocab().word(static_cast<uint32_t>(source[place])));
    const std::string_view word = table_->target_vocab().word(static_cast<uint32_t>(target[i]));
    ids.push_back(model.find(lm::unit_of(word, linked)));
  }
}

void ScoredGrammar::add_lm_features(double lm, std::span<const float> further,
                                    std::span<double> features) const {
  features[column(DecoderFeature::language_model)] += kLn10 * lm;
  for (uint32_t i = 0; i < further.size(); ++i) features[further_column(i)] += kLn10 * further[i];
}

void ScoredGrammar::add_features(uint32_t rule, uint32_t passed, double lm,
                                 std::span<const float> further, std::span<double> features) const {
  add_lm_features(lm, further, features);
  const auto add = [&](DecoderFeature f) { features[column(f)] += 1; };
  const auto add_word = [&](uint32_t lm_word) {
    add(DecoderFeature::word_penalty);
    if (lm_ != nullptr && lm_word == text::kUnknown) add(DecoderFeature::unknown_word);
  };
  if (rule < kGlueFirst) {
    const io::FloatRow scores = table_->scores(rule);
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
