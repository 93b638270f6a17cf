// What phrase-based search adds to a scored grammar: distance distortion and lexicalised
// reordering.
//
//   PhraseModel model(table, &lm, weights, true, further);   weights in the order of
//   feature_names() model.distortion(previous_end, begin)             weighted Reordering r =
//   model.reordering(rule);            weighted, by orientation model.add_features(rule, place, lm,
//   features)     of one phrase at its place
//
// Features: the table's columns, then LanguageModel, WordPenalty, RulePenalty, Distortion,
// PassThrough, UnknownWord, then those of classifiers of words and one for each further language
// model.  Six columns, if a table has
// them, are log-probabilities of orientations (Tillmann 2004; Koehn et al. 2005): of a phrase
// towards the one before it, and towards the one after it, on the target side.  Of each three a
// phrase at its place has the one that holds:
//
//   monotone  the phrase after begins where the phrase before ends, on the source side
//   swap      the phrase after ends where the phrase before begins
//   other     anything else
//
// The sentence's start is a phrase that ends at 0, its end one that begins behind the last word.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "decode/scored_grammar.h"
#include "grammar/hiero_extract.h"

namespace demotic::decode::phrase {

// Which one holds between source spans [a, b) and [c, d), the second one following.
constexpr grammar::Orientation orientation(uint32_t a, uint32_t b, uint32_t c, uint32_t d) {
  if (c == b) return grammar::Orientation::monotone;
  return d == a ? grammar::Orientation::swap : grammar::Orientation::other;
}

// By orientation; zeros where there is no such model.
struct Reordering {
  std::array<float, grammar::kOrientations> previous{};
  std::array<float, grammar::kOrientations> next{};
};

// A phrase between its neighbours.
struct PhrasePlace {
  uint32_t begin, end;
  uint32_t passed;  // the language model's id of the word at `begin`
  uint32_t previous_rule, previous_begin, previous_end;
  const SentenceChoices* choices = nullptr;  // of its sentence
};

class PhraseModel {
 public:
  // Without `reordering`, columns of orientations count for nothing.
  PhraseModel(const grammar::RuleTable& table, const lm::Model* lm, const GrammarWeights& weights,
              bool reordering, std::span<const lm::FurtherModel> further = {},
              const grammar::WordChoices* choices = nullptr);

  static std::vector<std::string> feature_names(const grammar::RuleTable& table,
                                                std::span<const std::string> further = {},
                                                bool choices = false);
  // Of the model's forests: the names above, and the table's sparse features.
  const ModelSpace& space() const { return space_; }

  const ScoredGrammar& grammar() const { return grammar_; }
  const grammar::RuleTable& table() const { return grammar_.table(); }
  uint32_t features() const { return grammar_.features(); }
  uint32_t lm_column() const { return grammar_.column(DecoderFeature::language_model); }

  bool lexicalised() const { return lexicalised_; }
  double distortion(uint32_t previous_end, uint32_t begin) const {
    return -distortion_ * (previous_end < begin ? begin - previous_end : previous_end - begin);
  }
  Reordering reordering(uint32_t rule) const;      // weighted
  Reordering raw_reordering(uint32_t rule) const;  // the columns themselves

  // Weighted features of a phrase at its place, and those features; `lm` is the log10 that the
  // language model has added, `further` those of further ones.  kGoal is what follows the last
  // phrase.
  double score(uint32_t rule, const PhrasePlace& place, double lm,
               std::span<const float> further) const;
  void add_features(uint32_t rule, const PhrasePlace& place, double lm,
                    std::span<const float> further, std::span<double> features) const;

 private:
  ChoiceValues choice_values(uint32_t rule, const PhrasePlace& place) const {
    if (place.choices == nullptr || grammar_.choices() == 0 || rule >= kGlueFirst) return {};
    return place.choices->of_phrase(table(), rule, place.begin);
  }

  static constexpr uint32_t kNoColumn = UINT32_MAX;

  static std::vector<uint32_t> find_place_columns(const grammar::RuleTable& table);
  std::vector<double> without_places(std::span<const double> weights) const;

  // By orientation, towards the previous phrase and the next one; kNoColumn if there is none.
  std::array<std::array<uint32_t, grammar::kOrientations>, 2> columns_;
  bool lexicalised_ = false;
  std::vector<uint32_t> place_columns_;  // the same, whether they are used or not
  uint32_t distortion_column_;
  double distortion_ = 0;
  std::vector<double> weights_;
  ScoredGrammar grammar_;  // the rest; its glue is our distortion
  ModelSpace space_;
};

}  // namespace demotic::decode::phrase
