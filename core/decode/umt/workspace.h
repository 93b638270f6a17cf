// What one thread of the undirected decoder works with; its parts meet here and nowhere else.
#pragma once

#include <optional>

#include "decode/thread_clock.h"
#include "decode/umt/decoder.h"
#include "decode/umt/zipf_law.h"

namespace demotic::decode::umt {

struct UndirectedWorkspace {
  UndirectedWorkspace(const ParsePlan& plan, const ScoredGrammar& grammar,
                      const UndirectedOptions& options)
      : build(plan), ranking(grammar, options.bounds != BoundKind::local), search(options) {}

  void parse(const ScoredGrammar& grammar, const Tokens& tokens, SourceSentence& to_sentence,
             UndirectedForest& to_forest) {
    const double begin = thread_seconds();
    to_sentence = grammar.encode(tokens);
    build(to_sentence.source, parsed);
    to_forest.build(parsed, to_sentence);
    counters.parse_seconds += thread_seconds() - begin;
    ++counters.sentences;
    counters.edges += parsed.edges.size();
  }

  // Inside and outside scores; from here on the search works on this forest.
  void bound(const UndirectedForest& on, const ScoredGrammar& grammar, const CffVector& weights,
             const GapFeatures& sparse) {
    const double begin = thread_seconds();
    ranking.begin(on.groups(), on.passed());
    search.begin(on, ranking, grammar, weights, sparse);
    counters.bound_seconds += thread_seconds() - begin;
  }

  // Runs one of the search's own functions.
  template <class Work>
  void rescore(Work work) {
    const double begin = thread_seconds();
    work();
    counters.rescore_seconds += thread_seconds() - begin;
    counters.search += search.counters();
    search.reset_counters();
  }

  bool large() const {
    constexpr size_t kLarge = 1'000'000;
    return parsed.edges.capacity() > kLarge;
  }

  ContextFreeForestBuilder build;
  ContextFreeForest parsed;
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
