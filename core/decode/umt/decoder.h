// The undirected decoder: sentences in, derivations out, over threads.
//
//   UndirectedDecoder decoder(table, &model, weights, {}, parsing, options);
//   decoder.decode(sentences, threads)              one derivation each, in order
//   decoder.kbest(sentences, k, perturbation, threads)
//   decoder.episode(tokens)                         one sentence for learning (below)
//   decoder.sample(episode, weights, draws)
//
// Weights are those of ScoredGrammar, the dense ones followed by Cff1, Cff2 and CffHead; those of
// what stands beside gaps (gap_features.h) come apart.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "decode/sentence_decoder.h"
#include "decode/umt/derivation.h"
#include "decode/umt/workspace.h"

namespace demotic::decode::umt {

// How roll-outs for k-best lists stray from the best path: the `width` best actions of each state
// get Gumbel noise of this temperature.
struct Perturbation {
  uint64_t seed = 0;
  double temperature = 1;
  uint32_t width = 8;
  uint32_t rollouts = 0;  // at most; 0: four for each translation asked for
  bool unique = true;     // strings
};

// A sentence, parsed, to be decoded under changing weights.
struct Episode {
  Tokens tokens;
  SourceSentence sentence;
  UndirectedForest forest;

  size_t bytes() const;
};

struct EpisodeWeights {
  std::span<const double> dense;
  std::span<const double> sparse;  // none: all 0
};

// A complete translation, its features counted from one state of the search on.
struct Rollout {
  std::vector<std::string> tokens;
  std::vector<uint32_t> turns;       // by token: actions from that state to the one that wrote it
  uint32_t steps = 0;                // actions from there on
  std::vector<double> action;        // phi of the action taken there
  std::vector<double> features;      // of it and of all that follow
  std::vector<uint32_t> sparse_ids;  // ascending
  std::vector<double> sparse_values;
};

struct EpisodeSample {
  uint32_t state;
  uint32_t steps;
  uint64_t choices;
  uint64_t rank;
  Rollout taken;
  Rollout alternative;
};

class UndirectedDecoder : public SentenceDecoder<UndirectedWorkspace> {
 public:
  UndirectedDecoder(const grammar::RuleTable& table, const lm::Model* lm, GrammarWeights weights,
                    std::vector<double> sparse, const ParseOptions& parsing,
                    const UndirectedOptions& options);

  std::vector<UndirectedDerivation> decode(std::span<const Tokens> sentences, unsigned threads);
  std::vector<std::vector<UndirectedDerivation>> kbest(std::span<const Tokens> sentences, size_t k,
                                                       const Perturbation& perturbation,
                                                       unsigned threads);

  std::unique_ptr<Episode> episode(const Tokens& tokens);
  // From the empty tree on; no tokens and no features if the sentence has no derivation.
  Rollout roll_out(const Episode& episode, const EpisodeWeights& weights);
  // Numbers in [0, 1) pick a state with at least two actions, evenly, and there by Zipf's law the
  // rank of another action.  Nothing if there is no such state.
  std::vector<EpisodeSample> sample(const Episode& episode, const EpisodeWeights& weights,
                                    std::span<const std::array<double, 2>> draws, double exponent);
  // What comes of the action of this rank, from 1 among those not taken, before action `state` of
  // the greedy path; a rank beyond the last stands for the last.
  EpisodeSample alternative(const Episode& episode, const EpisodeWeights& weights, uint32_t state,
                            uint64_t rank);

  const ParsePlan& plan() const { return plan_; }

 private:
  class Sampler;

  template <class Work>
  auto each_bounded(std::span<const Tokens> sentences, unsigned threads, Work work);

  static CffVector split(std::span<const double>& weights, const grammar::RuleTable& table);
  UndirectedDerivation found(const Tokens& tokens, const UndirectedWorkspace& space) const;

  CffVector cff_;
  std::vector<double> sparse_weights_;
  GapFeatures sparse_;
  ScoredGrammar grammar_;
  ParsePlan plan_;
  UndirectedOptions options_;
};

}  // namespace demotic::decode::umt
