#include "decode/umt/decoder.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>

#include "decode/weight.h"
#include "io/error.h"

namespace demotic::decode::umt {

namespace {

// Gumbel noise from a counter: the same on every machine.
class GumbelNoise {
 public:
  GumbelNoise(uint64_t seed, double temperature) : seed_(seed), temperature_(temperature) {}
  double operator()() {
    const double uniform = (static_cast<double>(io::mix64(seed_ + ++drawn_) >> 11) + 0.5) * 0x1p-53;
    return -temperature_ * std::log(-std::log(uniform));
  }

 private:
  uint64_t seed_;
  uint64_t drawn_ = 0;
  double temperature_;
};

uint64_t seed_of(const Tokens& tokens, uint64_t seed) {
  for (const std::string& token : tokens)
    seed = io::mix64(seed ^ io::checksum64(token.data(), token.size()));
  return seed;
}

void check(const UndirectedOptions& options) {
  if (!(options.kappa >= 0 && options.kappa <= 1))
    throw io::Error(io::Fault::argument, "kappa must be between 0 and 1");
  if (options.lookahead && options.bounds != BoundKind::chart)
    throw io::Error(io::Fault::argument, "lookahead needs the bounds of a chart", 0,
                    "choose bounds 'chart', or lookahead=false");
  if (options.restarts == 0 || options.beam == 0)
    throw io::Error(io::Fault::argument, "restarts and beam must be at least 1");
}

}  // namespace

CffVector UndirectedDecoder::split(std::span<const double>& weights,
                                   const grammar::RuleTable& table) {
  const size_t dense = table.features() + kDecoderFeatures;
  if (weights.size() != dense + kCffFeatures)
    throw io::Error(io::Fault::argument, "the number of weights is not that of the features");
  CffVector cff;
  std::copy(weights.begin() + static_cast<std::ptrdiff_t>(dense), weights.end(), cff.begin());
  for (const double weight : cff)
    if (!is_weight(weight))
      throw io::Error(io::Fault::argument, std::string("a weight of Cff") + kNoWeight);
  weights = weights.first(dense);
  return cff;
}

UndirectedDecoder::UndirectedDecoder(const grammar::RuleTable& table, const lm::Model* lm,
                                     GrammarWeights weights, std::vector<double> sparse,
                                     const ParseOptions& parsing, const UndirectedOptions& options)
    : SentenceDecoder(
          [this] { return std::make_unique<UndirectedWorkspace>(plan_, grammar_, options_); }),
      cff_(split(weights.dense, table)),
      sparse_weights_(std::move(sparse)),
      sparse_(options.sparse_bits, sparse_weights_),
      grammar_(table, lm, weights),
      plan_(table, parsing),
      options_(options) {
  check(options);
}

// work(tokens, workspace) of each sentence, parsed, its bounds known.
template <class Work>
auto UndirectedDecoder::each_bounded(std::span<const Tokens> sentences, unsigned threads,
                                     Work work) {
  return each(sentences, threads, [&](const Tokens& tokens, UndirectedWorkspace& space) {
    space.parse(grammar_, tokens, space.sentence, space.forest);
    if (!space.forest.empty()) space.bound(space.forest, grammar_, cff_, sparse_);
    return work(tokens, space);
  });
}

// What the workspace's search found last.
UndirectedDerivation UndirectedDecoder::found(const Tokens& tokens,
                                              const UndirectedWorkspace& space) const {
  UndirectedDerivation derivation;
  derivation.span_limit = space.forest.span_limit();
  if (!space.forest.empty())
    derivation = grown_derivation(space.search.tree(), space.path, space.forest);
  complete(derivation, tokens, space.sentence, grammar_);
  if (derivation.steps.empty() && !tokens.empty())
    derivation.score = -std::numeric_limits<double>::infinity();
  const size_t width = grammar_.features() + kCffFeatures;
  derivation.features.resize(width, 0.0);  // nothing is missing: bounds are 0
  derivation.action_features.assign(derivation.actions.size() * width, 0.0);
  for (size_t i = 0; i < derivation.actions.size(); ++i)
    add_action_features(space.path.actions[i], space.forest, grammar_, options_.kappa,
                        std::span(derivation.action_features).subspan(i * width, width));
  return derivation;
}

std::vector<UndirectedDerivation> UndirectedDecoder::decode(std::span<const Tokens> sentences,
                                                            unsigned threads) {
  return each_bounded(sentences, threads, [&](const Tokens& tokens, UndirectedWorkspace& space) {
    if (!space.forest.empty()) space.rescore([&] { space.search.decode(space.path); });
    return found(tokens, space);
  });
}

std::vector<std::vector<UndirectedDerivation>> UndirectedDecoder::kbest(
    std::span<const Tokens> sentences, size_t k, const Perturbation& perturbation,
    unsigned threads) {
  using List = std::vector<UndirectedDerivation>;
  if (perturbation.width == 0 || !(perturbation.temperature >= 0))
    throw io::Error(io::Fault::argument,
                    "the width must be at least 1, the temperature not negative");
  return each_bounded(sentences, threads, [&](const Tokens& tokens, UndirectedWorkspace& space) {
    List list;
    std::vector<uint64_t> signatures;
    const auto keep = [&] {
      const uint64_t signature = space.search.tree().signature();
      if (std::find(signatures.begin(), signatures.end(), signature) != signatures.end()) return;
      signatures.push_back(signature);
      UndirectedDerivation made = found(tokens, space);
      const auto same = std::find_if(list.begin(), list.end(), [&](const auto& other) {
        return perturbation.unique && other.tokens == made.tokens;
      });
      if (same == list.end())
        list.push_back(std::move(made));
      else if (made.score > same->score)
        *same = std::move(made);
    };
    if (space.forest.empty()) return List{found(tokens, space)};
    space.rescore([&] { space.search.decode(space.path); });
    keep();
    const uint64_t most = perturbation.rollouts > 0 ? perturbation.rollouts : 4 * uint64_t{k};
    const uint64_t seed = seed_of(tokens, perturbation.seed);
    for (uint64_t i = 0; i < most && list.size() < k; ++i) {
      GumbelNoise noise(io::mix64(seed + i), perturbation.temperature);
      space.rescore([&] { space.search.stray(noise, perturbation.width, space.path); });
      keep();
    }
    std::stable_sort(list.begin(), list.end(),
                     [](const auto& a, const auto& b) { return a.score > b.score; });
    return list;
  });
}

}  // namespace demotic::decode::umt
