#include "decode/phrase/model.h"

#include <algorithm>

#include "decode/weight.h"
#include "grammar/rule_scorer.h"
#include "io/error.h"

namespace demotic::decode::phrase {

std::vector<std::string> PhraseModel::feature_names(const grammar::RuleTable& table,
                                                    std::span<const std::string> further,
                                                    bool choices) {
  return ScoredGrammar::feature_names(table, further, "Distortion", choices);
}

// The weights of what a phrase is worth wherever it stands.
std::vector<double> PhraseModel::without_places(std::span<const double> weights) const {
  std::vector<double> rest(weights.begin(), weights.end());
  for (const uint32_t column : place_columns_)
    if (column < rest.size()) rest[column] = 0;
  if (distortion_column_ < rest.size()) rest[distortion_column_] = 0;
  return rest;
}

std::vector<uint32_t> PhraseModel::find_place_columns(const grammar::RuleTable& table) {
  std::vector<uint32_t> found;
  for (const std::string& name : grammar::RuleScorer::orientation_names()) {
    const std::vector<std::string>& names = table.feature_names();
    const auto at = std::find(names.begin(), names.end(), name);
    if (at != names.end()) found.push_back(static_cast<uint32_t>(at - names.begin()));
  }
  return found;
}

PhraseModel::PhraseModel(const grammar::RuleTable& table, const lm::Model* lm,
                         const GrammarWeights& weights, bool reordering,
                         std::span<const lm::FurtherModel> further,
                         const grammar::WordChoices* choices)
    : place_columns_(find_place_columns(table)),
      distortion_column_(table.features() + static_cast<uint32_t>(DecoderFeature::glue)),
      weights_(weights.dense.begin(), weights.dense.end()),
      grammar_(table, lm, {without_places(weights.dense), weights.sparse}, further, choices),
      space_(table, feature_names(table, lm::names_of(further), choices != nullptr)) {
  for (size_t i = 0; i < weights_.size(); ++i)
    if (!is_weight(weights_[i]))
      throw io::Error(io::Fault::argument,
                      "the weight of " + space_()->name(static_cast<uint32_t>(i)) + kNoWeight);
  distortion_ = weights_[distortion_column_];
  const std::vector<std::string>& names = table.feature_names();
  for (size_t i = 0; i < 2 * grammar::kOrientations; ++i) {
    const auto at =
        std::find(names.begin(), names.end(), grammar::RuleScorer::orientation_names()[i]);
    const bool found = reordering && at != names.end();
    columns_[i / grammar::kOrientations][i % grammar::kOrientations] =
        found ? static_cast<uint32_t>(at - names.begin()) : kNoColumn;
    lexicalised_ = lexicalised_ || found;
  }
}

Reordering PhraseModel::raw_reordering(uint32_t rule) const {
  Reordering raw;
  if (!lexicalised_ || rule >= kGlueFirst) return raw;
  const io::FloatRow scores = table().scores(rule);
  for (uint32_t o = 0; o < grammar::kOrientations; ++o) {
    if (columns_[0][o] != kNoColumn) raw.previous[o] = scores[columns_[0][o]];
    if (columns_[1][o] != kNoColumn) raw.next[o] = scores[columns_[1][o]];
  }
  return raw;
}

Reordering PhraseModel::reordering(uint32_t rule) const {
  Reordering result = raw_reordering(rule);
  for (uint32_t o = 0; o < grammar::kOrientations; ++o) {
    const auto weighted = [&](float value, uint32_t column) {
      const double product = column == kNoColumn ? 0.0 : weights_[column] * value;
      return std::abs(product) < lm::kMost ? static_cast<float>(product) : 0.0f;
    };
    result.previous[o] = weighted(result.previous[o], columns_[0][o]);
    result.next[o] = weighted(result.next[o], columns_[1][o]);
  }
  return result;
}

double PhraseModel::score(uint32_t rule, const PhrasePlace& place, double lm,
                          std::span<const float> further) const {
  double sum = 0;
  if (rule != kGoal) {
    sum += grammar_.score(rule, place.passed);
    sum += distortion(place.previous_end, place.begin);
    sum += grammar_.choice_score(choice_values(rule, place));
  }
  if (lexicalised_) {
    const auto o = static_cast<size_t>(
        orientation(place.previous_begin, place.previous_end, place.begin, place.end));
    sum += reordering(rule).previous[o] + reordering(place.previous_rule).next[o];
  }
  return sum + grammar_.lm_score(lm) + grammar_.further_score(further);
}

void PhraseModel::add_features(uint32_t rule, const PhrasePlace& place, double lm,
                               std::span<const float> further, std::span<double> features) const {
  if (rule == kGoal) {
    grammar_.add_lm_features(lm, further, features);
  } else {
    // The columns of orientations depend on the place; the rest does not.
    std::array<double, 2 * grammar::kOrientations> kept{};
    for (size_t i = 0; i < place_columns_.size(); ++i) kept[i] = features[place_columns_[i]];
    grammar_.add_features(rule, place.passed, lm, further, features);
    grammar_.add_choice_features(choice_values(rule, place), features);
    for (size_t i = 0; i < place_columns_.size(); ++i) features[place_columns_[i]] = kept[i];
    features[distortion_column_] -= place.previous_end < place.begin
                                        ? place.begin - place.previous_end
                                        : place.previous_end - place.begin;
  }
  if (!lexicalised_) return;
  const auto o = static_cast<size_t>(
      orientation(place.previous_begin, place.previous_end, place.begin, place.end));
  if (columns_[0][o] != kNoColumn) features[columns_[0][o]] += raw_reordering(rule).previous[o];
  if (columns_[1][o] != kNoColumn)
    features[columns_[1][o]] += raw_reordering(place.previous_rule).next[o];
}

}  // namespace demotic::decode::phrase
