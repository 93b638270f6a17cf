// The hierarchical decoder: sentences in, derivations or forests out, over threads.
//
//   HieroDecoder decoder(table, &model, weights, options);
//   decoder.decode(sentences, threads)          one derivation each, in order
//   decoder.kbest(sentences, k, unique, threads)
//   decoder.forests(sentences, threads)         what cube pruning kept
//   decoder.parses(sentences, threads)          every derivation, without the language model
//
// Results do not depend on the number of threads.  A call adds to counters() when it is over.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "decode/hiero/chart_derivation.h"
#include "decode/hiero/cube_pruning.h"
#include "decode/scored_grammar.h"
#include "decode/workspace_pool.h"
#include "forest/forest.h"

namespace demotic::decode::hiero {

using Tokens = std::vector<std::string>;

struct HieroCounters {
  uint64_t sentences = 0;
  uint64_t shortened = 0;  // sentences whose span limit was lowered to stay within max_edges
  CubePruningCounters search;
  double parse_seconds = 0;    // of CPU time
  double rescore_seconds = 0;  // likewise

  HieroCounters& operator+=(const HieroCounters& other);
};

class HieroDecoder {
 public:
  HieroDecoder(const grammar::RuleTable& table, const lm::Model* lm, const GrammarWeights& weights,
               const ParseOptions& parsing, const CubePruningOptions& pruning);
  ~HieroDecoder();

  std::vector<Derivation> decode(std::span<const Tokens> sentences, unsigned threads);
  std::vector<std::vector<Derivation>> kbest(std::span<const Tokens> sentences, size_t k,
                                             bool unique, unsigned threads);
  std::vector<forest::Forest> forests(std::span<const Tokens> sentences, unsigned threads);
  std::vector<forest::Forest> parses(std::span<const Tokens> sentences, unsigned threads);

  const ScoredGrammar& grammar() const { return grammar_; }
  const ParsePlan& plan() const { return plan_; }
  HieroCounters counters() const;
  void reset_counters();

 private:
  struct Workspace;

  template <class Result, class Work>
  std::vector<Result> each(std::span<const Tokens> sentences, unsigned threads, Work work);
  Derivation underived(const Tokens& tokens, const Workspace& space) const;
  forest::Forest nothing() const;
  forest::Forest forest(const Tokens& tokens, Workspace& space) const;

  ScoredGrammar grammar_;
  ParsePlan plan_;
  CubePruningOptions pruning_;
  std::unique_ptr<WorkspacePool<Workspace>> pool_;
};

}  // namespace demotic::decode::hiero
