// What one thread of the hierarchical decoder works with, and what it counts.
#pragma once

#include <cstdint>
#include <string>

#include "counters.h"
#include "decode/context_free_forest.h"
#include "decode/hiero/cube_pruning.h"
#include "decode/scored_grammar.h"
#include "decode/sentence_decoder.h"
#include "decode/thread_clock.h"

namespace demotic::decode::hiero {

struct HieroCounters : CubePruningCounters {
  uint64_t sentences = 0;
  uint64_t shortened = 0;      // sentences whose span limit was lowered to stay within max_edges
  double parse_seconds = 0;    // of CPU time
  double rescore_seconds = 0;  // likewise

  static constexpr auto kFields =
      std::tuple_cat(CubePruningCounters::kFields,
                     std::tuple{CounterField{"sentences", &HieroCounters::sentences},
                                CounterField{"shortened", &HieroCounters::shortened},
                                CounterField{"parse_seconds", &HieroCounters::parse_seconds},
                                CounterField{"rescore_seconds", &HieroCounters::rescore_seconds}});
};

struct HieroWorkspace {
  HieroWorkspace(const ParsePlan& plan, const ScoredGrammar& grammar,
                 const CubePruningOptions& pruning)
      : plan(plan), grammar(grammar), build(plan), prune(grammar, plan.s(), pruning) {}

  void parse(const Tokens& tokens) {
    const ThreadTimer timer(counters.parse_seconds);
    sentence = grammar.encode(tokens);
    build(sentence.source, forest, sentence.limits);
    counters.shortened += forest.span_limit < plan.options().span_limit;
    counters.edges += forest.edges();
  }

  void rescore(bool keep_alternatives) {
    const ThreadTimer timer(counters.rescore_seconds);
    prune.keep_alternatives(keep_alternatives);
    prune(forest, sentence);
    CubePruningCounters done = prune.counters();
    done.edges = 0;  // counted when they were parsed
    add_counters<CubePruningCounters>(counters, done);
  }

  bool large() const {
    constexpr size_t kLarge = 1'000'000;
    return forest.groups.capacity() + prune.entries() >= kLarge;
  }

  const ParsePlan& plan;
  const ScoredGrammar& grammar;
  ContextFreeForestBuilder build;
  CubePruner prune;
  SourceSentence sentence;
  ContextFreeForest forest;
  HieroCounters counters;
};

}  // namespace demotic::decode::hiero
