// What one thread of the undirected decoder works with, and what it counts.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "counters.h"
#include "decode/sentence_decoder.h"
#include "decode/thread_clock.h"
#include "decode/umt/search.h"
#include "decode/umt/zipf_law.h"

namespace demotic::decode::umt {

struct UndirectedCounters : UndirectedSearchCounters {
  uint64_t sentences = 0;
  uint64_t shortened = 0;  // sentences whose span limit was lowered to stay within max_edges
  uint64_t edges = 0;
  double parse_seconds = 0;  // of CPU time, like all that follow
  double bound_seconds = 0;  // inside and outside
  double rescore_seconds = 0;

  static constexpr auto kFields = std::tuple_cat(
      UndirectedSearchCounters::kFields,
      std::tuple{CounterField{"sentences", &UndirectedCounters::sentences},
                 CounterField{"shortened", &UndirectedCounters::shortened},
                 CounterField{"edges", &UndirectedCounters::edges},
                 CounterField{"parse_seconds", &UndirectedCounters::parse_seconds},
                 CounterField{"bound_seconds", &UndirectedCounters::bound_seconds},
                 CounterField{"rescore_seconds", &UndirectedCounters::rescore_seconds}});
};

struct UndirectedWorkspace {
  UndirectedWorkspace(const ParsePlan& plan, const ScoredGrammar& grammar,
                      const UndirectedOptions& options)
      : plan(plan),
        build(plan),
        ranking(grammar, options.bounds == BoundKind::local ? RankBy::certain
                                                            : RankBy::certain_with_estimates),
        search(options) {}

  void parse(const ScoredGrammar& grammar, const Tokens& tokens, SourceSentence& to_sentence,
             UndirectedForest& to_forest) {
    const ThreadTimer timer(counters.parse_seconds);
    to_sentence = grammar.encode(tokens);
    to_forest.build(build, to_sentence);
    counters.shortened += to_forest.span_limit() < plan.options().span_limit;
    counters.edges += to_forest.edges();
  }

  // Inside and outside scores; from here on the search works on this forest.
  void bound(const UndirectedForest& on, const ScoredGrammar& grammar, const CffVector& weights,
             const GapFeatures& sparse) {
    const ThreadTimer timer(counters.bound_seconds);
    ranking.begin(on.groups(), on.passed());
    search.begin(on, ranking, grammar, weights, sparse);
  }

  // Runs one of the search's own functions.
  template <class Work>
  void rescore(Work work) {
    const ThreadTimer timer(counters.rescore_seconds);
    work();
    add_counters<UndirectedSearchCounters>(counters, search.counters());
    search.reset_counters();
  }

  bool large() const {
    constexpr size_t kLarge = size_t{16} << 20;
    return forest.bytes() > kLarge;
  }

  const ParsePlan& plan;
  ContextFreeForestBuilder build;
  SourceSentence sentence;
  UndirectedForest forest;
  RuleRanking ranking;
  std::optional<ScoredGrammar> reweighed;  // of an episode; the ranking holds on to it
  UndirectedSearch search;
  Trajectory path;
  Trajectory other_path;
  PartialTree tree;
  std::vector<Action> ranked;
  ZipfLaw zipf;
  UndirectedCounters counters;
};

}  // namespace demotic::decode::umt
