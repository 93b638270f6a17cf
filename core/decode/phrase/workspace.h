// What one thread of the phrase-based decoder works with, and what it counts.
#pragma once

#include <cstdint>
#include <string>

#include "counters.h"
#include "decode/phrase/search.h"
#include "decode/sentence_decoder.h"
#include "decode/thread_clock.h"

namespace demotic::decode::phrase {

struct PhraseCounters : PhraseSearchCounters {
  uint64_t sentences = 0;
  uint64_t shortened = 0;     // sentences so long that their distortion limit was lowered
  double option_seconds = 0;  // of CPU time
  double search_seconds = 0;  // likewise

  static constexpr auto kFields =
      std::tuple_cat(PhraseSearchCounters::kFields,
                     std::tuple{CounterField{"sentences", &PhraseCounters::sentences},
                                CounterField{"shortened", &PhraseCounters::shortened},
                                CounterField{"option_seconds", &PhraseCounters::option_seconds},
                                CounterField{"search_seconds", &PhraseCounters::search_seconds}});
};

struct PhraseWorkspace {
  PhraseWorkspace(const PhraseModel& model, const PhraseSearchOptions& options)
      : model(model), search(model, options) {}

  // `keep_alternatives`: the arcs that lost, too.
  void run(const Tokens& tokens, bool keep_alternatives) {
    if (tokens.empty()) return;
    {
      const ThreadTimer timer(counters.option_seconds);
      sentence = model.grammar().encode(tokens);
      search.keep_alternatives(keep_alternatives);
      search.prepare(sentence);
    }
    {
      const ThreadTimer timer(counters.search_seconds);
      search.run();
    }
    counters.shortened += search.shortened();
    add_counters<PhraseSearchCounters>(counters, search.counters());
  }

  bool large() const { return search.hypotheses() > 1'000'000; }

  const PhraseModel& model;
  PhraseSearch search;
  SourceSentence sentence;
  PhraseCounters counters;
};

}  // namespace demotic::decode::phrase
