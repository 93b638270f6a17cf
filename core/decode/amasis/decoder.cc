#include "decode/amasis/decoder.h"

#include <memory>

#include "decode/amasis/derivation.h"
#include "io/error.h"

namespace demotic::decode::amasis {

AmasisDecoder::AmasisDecoder(const grammar::RuleTable& table, const lm::Model* lm,
                             const grammar::LabelModel* labels, const GrammarWeights& weights,
                             const AmasisSettings& settings,
                             std::span<const lm::FurtherModel> further,
                             const grammar::WordChoices* choices)
    : SentenceDecoder([this] { return std::make_unique<AmasisWorkspace>(model_, settings_); }),
      model_(table, lm, labels, weights, further, choices),
      settings_(settings) {
  const auto require = [](bool holds, const char* message, const char* remedy = "") {
    if (!holds) throw io::Error(io::Fault::argument, message, 0, remedy);
  };
  require(settings.beam > 0, "a beam must have room for one hypothesis");
  require(settings.table_limit > 0, "each source side needs at least one item");
  require(settings.reductions < 128, "a label has at most 127 reductions");
  if (settings.order != Order::learned) return;
  require(labels != nullptr, "there are no learned labels to order by", "choose another order");
  // Weights that were learned among few labels mislead among all of them, and the other way round.
  require((labels->mask() == grammar::Mask::full) == (settings.close == Close::forced),
          "the labels were learned under another mask",
          "labels learned with mask = none want close = join, those with full want forced");
  require(settings.reductions == 0 || settings.reductions == labels->most_reductions(),
          "learned labels have their own number of reductions", "leave it out");
}

std::vector<Derivation> AmasisDecoder::decode(std::span<const Tokens> sentences, unsigned threads) {
  return each(sentences, threads, [&](const Tokens& tokens, AmasisWorkspace& space) {
    space.run(tokens, false);
    return make_derivation(tokens.empty() ? std::vector<PlacedItem>() : best_items(space.search),
                           model_, tokens, space.sentence);
  });
}

std::vector<forest::Forest> AmasisDecoder::forests(std::span<const Tokens> sentences,
                                                   unsigned threads) {
  return each(sentences, threads, [&](const Tokens& tokens, AmasisWorkspace& space) {
    space.run(tokens, true);
    return tokens.empty() || space.search.best() == kNoHypothesis
               ? empty_graph(model_)
               : search_graph(space.search, model_, tokens, space.sentence).forest;
  });
}

std::vector<std::vector<Derivation>> AmasisDecoder::lists(std::span<const Tokens> sentences,
                                                          const Listing& listing,
                                                          unsigned threads) {
  return each(sentences, threads, [&](const Tokens& tokens, AmasisWorkspace& space) {
    std::vector<Derivation> list;
    space.run(tokens, true);
    if (tokens.empty() || space.search.best() == kNoHypothesis) {
      list.push_back(make_derivation({}, model_, tokens, space.sentence));
      return list;
    }
    const SearchGraph graph = search_graph(space.search, model_, tokens, space.sentence);
    const std::vector<uint32_t> heads = graph.forest.heads();
    listing(graph.forest, [&](std::span<const uint32_t> edges, double gain) {
      list.push_back(
          make_derivation(graph.items(heads, edges, model_), model_, tokens, space.sentence));
      list.back().gain = gain;
    });
    return list;
  });
}

}  // namespace demotic::decode::amasis
