#include "decode/hiero/decoder.h"

#include <limits>
#include <memory>
#include <string>

#include "decode/forest_packer.h"
#include "decode/hiero/chart_derivation.h"
#include "decode/hiero/packed_forest.h"
#include "io/error.h"

namespace demotic::decode::hiero {

namespace {

constexpr size_t kQuoted = 8;  // words of a sentence that an error shows

[[noreturn]] void no_derivation(const Tokens& tokens) {
  std::string quoted;
  for (size_t i = 0; i < tokens.size() && i < kQuoted; ++i)
    quoted += (i == 0 ? "" : " ") + tokens[i];
  if (tokens.size() > kQuoted) quoted += " ...";
  throw io::Error(io::Fault::argument, "the grammar has no derivation of '" + quoted + "'", 0,
                  "allow glue rules, or raise the span limit");
}

}  // namespace

HieroDecoder::HieroDecoder(const grammar::RuleTable& table, const lm::Model* lm,
                           const GrammarWeights& weights, const ParseOptions& parsing,
                           const CubePruningOptions& pruning,
                           std::span<const lm::FurtherModel> further,
                           const grammar::WordChoices* choices)
    : SentenceDecoder(
          [this] { return std::make_unique<HieroWorkspace>(plan_, grammar_, pruning_); }),
      grammar_(table, lm, weights, further, choices),
      plan_(table, parsing),
      pruning_(pruning) {
  if (pruning.pops == 0)
    throw io::Error(io::Fault::argument, "the number of pops must be at least 1");
  if (grammar_.sees_units())
    throw io::Error(io::Fault::argument, "only the phrase-based decoder has models of units");
}

// Of a sentence without words, or which the grammar does not derive.
Derivation HieroDecoder::underived(const Tokens& tokens, const HieroWorkspace& space) const {
  Derivation derivation;
  complete(derivation, tokens, space.sentence, grammar_);
  derivation.span_limit = space.forest.span_limit;
  if (!tokens.empty()) derivation.score = -std::numeric_limits<double>::infinity();
  return derivation;
}

std::vector<Derivation> HieroDecoder::decode(std::span<const Tokens> sentences, unsigned threads) {
  return each(sentences, threads, [&](const Tokens& tokens, HieroWorkspace& space) {
    space.parse(tokens);
    if (space.forest.empty()) return underived(tokens, space);
    space.rescore(false);
    Derivation derivation = chart_derivation(space.forest, space.prune);
    complete(derivation, tokens, space.sentence, grammar_);
    return derivation;
  });
}

// Of a sentence without words.
forest::Forest HieroDecoder::nothing() const {
  return empty_forest(plan_.labels(), grammar_.space()(), plan_.goal());
}

// Of a sentence that is parsed.
forest::Forest HieroDecoder::forest(const Tokens& tokens, HieroWorkspace& space) const {
  if (tokens.empty()) return nothing();
  if (space.forest.empty()) no_derivation(tokens);
  space.rescore(true);
  return packed_forest(space.forest, space.prune, plan_, grammar_, tokens, space.sentence);
}

std::vector<forest::Forest> HieroDecoder::forests(std::span<const Tokens> sentences,
                                                  unsigned threads) {
  return each(sentences, threads, [&](const Tokens& tokens, HieroWorkspace& space) {
    space.parse(tokens);
    return forest(tokens, space);
  });
}

std::vector<forest::Forest> HieroDecoder::parses(std::span<const Tokens> sentences,
                                                 unsigned threads) {
  return each(sentences, threads, [&](const Tokens& tokens, HieroWorkspace& space) {
    space.parse(tokens);
    if (tokens.empty()) return nothing();
    if (space.forest.empty()) no_derivation(tokens);
    return packed_forest(space.forest, plan_, grammar_, tokens, space.sentence);
  });
}

std::vector<std::vector<Derivation>> HieroDecoder::lists(std::span<const Tokens> sentences,
                                                         const Listing& listing, unsigned threads) {
  return each(sentences, threads, [&](const Tokens& tokens, HieroWorkspace& space) {
    std::vector<Derivation> list;
    space.parse(tokens);
    if (space.forest.empty()) {
      list.push_back(underived(tokens, space));
      return list;
    }
    const forest::Forest packed = forest(tokens, space);
    const std::vector<uint32_t> heads = packed.heads();
    listing(packed, [&](std::span<const uint32_t> edges, double gain) {
      list.push_back(forest_derivation(packed, heads, edges, plan_, grammar_));
      list.back().span_limit = space.forest.span_limit;
      list.back().gain = gain;
      complete(list.back(), tokens, space.sentence, grammar_);
    });
    return list;
  });
}

}  // namespace demotic::decode::hiero
