#include "decode/amasis/model.h"

namespace demotic::decode::amasis {

AmasisModel::AmasisModel(const grammar::RuleTable& table, const lm::Model* lm,
                         const grammar::LabelModel* labels, const GrammarWeights& weights,
                         std::span<const lm::FurtherModel> further,
                         const grammar::WordChoices* choices)
    : grammar_(table, lm, weights, further, choices),
      labels_(labels),
      space_(table, feature_names(table, lm::names_of(further), choices != nullptr)),
      label_weight_(grammar_.weight(DecoderFeature::glue)) {
  if (labels != nullptr) labels->check(table.source_vocab(), table.target_vocab());
}

std::vector<std::string> AmasisModel::feature_names(const grammar::RuleTable& table,
                                                    std::span<const std::string> further,
                                                    bool choices) {
  return ScoredGrammar::feature_names(table, further, "Label", choices);
}

}  // namespace demotic::decode::amasis
