#include "decode/phrase/decoder.h"

#include <memory>

#include "decode/phrase/derivation.h"
#include "io/error.h"

namespace demotic::decode::phrase {

PhraseDecoder::PhraseDecoder(const grammar::RuleTable& table, const lm::Model* lm,
                             const GrammarWeights& weights, const PhraseSearchOptions& options,
                             bool reordering, std::span<const lm::FurtherModel> further,
                             const grammar::WordChoices* choices)
    : SentenceDecoder([this] { return std::make_unique<PhraseWorkspace>(model_, options_); }),
      model_(table, lm, weights, reordering, further, choices),
      options_(options) {
  const auto require = [](bool holds, const char* message) {
    if (!holds) throw io::Error(io::Fault::argument, message);
  };
  require(options.pops > 0, "the number of pops must be at least 1");
  require(options.stack > 0, "a stack must have room for one hypothesis");
  require(options.table_limit > 0, "each source phrase needs at least one option");
  require(options.threshold >= 0, "the threshold must not be negative");
}

std::vector<Derivation> PhraseDecoder::decode(std::span<const Tokens> sentences, unsigned threads) {
  return each(sentences, threads, [&](const Tokens& tokens, PhraseWorkspace& space) {
    Derivation found;
    space.run(tokens, false);
    if (!tokens.empty())
      found = best_derivation(space.search, static_cast<uint32_t>(tokens.size()));
    complete(found, tokens, space.sentence, model_);
    return found;
  });
}

std::vector<forest::Forest> PhraseDecoder::forests(std::span<const Tokens> sentences,
                                                   unsigned threads) {
  return each(sentences, threads, [&](const Tokens& tokens, PhraseWorkspace& space) {
    space.run(tokens, true);
    return tokens.empty() ? empty_search_graph(model_)
                          : search_graph(space.search, model_, tokens, space.sentence);
  });
}

std::vector<std::vector<Derivation>> PhraseDecoder::lists(std::span<const Tokens> sentences,
                                                          const Listing& listing,
                                                          unsigned threads) {
  return each(sentences, threads, [&](const Tokens& tokens, PhraseWorkspace& space) {
    std::vector<Derivation> list;
    space.run(tokens, true);
    if (tokens.empty()) {
      complete(list.emplace_back(), tokens, space.sentence, model_);
      return list;
    }
    const forest::Forest graph = search_graph(space.search, model_, tokens, space.sentence);
    const std::vector<uint32_t> heads = graph.heads();
    listing(graph, [&](std::span<const uint32_t> edges, double gain) {
      list.push_back(forest_derivation(graph, heads, edges, model_));
      list.back().span_limit = space.search.distortion_limit();
      list.back().gain = gain;
      complete(list.back(), tokens, space.sentence, model_);
    });
    return list;
  });
}

double PhraseDecoder::future_cost(const Tokens& sentence, uint32_t begin, uint32_t end) {
  const auto words = static_cast<uint32_t>(sentence.size());
  PhraseSearch search(model_, options_);
  if (words > 0) search.prepare(model_.grammar().encode(sentence));
  if (begin > end || end > words || (end < words && end - begin > search.distortion_limit()))
    throw io::Error(io::Fault::argument, "no such piece of the sentence, or too long to be a gap");
  return words == 0 ? 0.0 : search.future_cost(begin, end);
}

}  // namespace demotic::decode::phrase
