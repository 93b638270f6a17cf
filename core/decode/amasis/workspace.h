// What one thread of the decoder by labels works with, and what it counts.
#pragma once

#include <cstdint>

#include "counters.h"
#include "decode/amasis/search.h"
#include "decode/sentence_decoder.h"
#include "decode/thread_clock.h"

namespace demotic::decode::amasis {

struct AmasisCounters : AmasisSearchCounters {
  uint64_t sentences = 0;
  double search_seconds = 0;  // of CPU time

  static constexpr auto kFields =
      std::tuple_cat(AmasisSearchCounters::kFields,
                     std::tuple{CounterField{"sentences", &AmasisCounters::sentences},
                                CounterField{"search_seconds", &AmasisCounters::search_seconds}});
};

struct AmasisWorkspace {
  AmasisWorkspace(const AmasisModel& model, const AmasisSettings& settings)
      : model(model), search(model, settings) {}

  // `keep_alternatives`: the arcs that lost, too.
  void run(const Tokens& tokens, bool keep_alternatives) {
    if (tokens.empty()) return;
    const ThreadTimer timer(counters.search_seconds);
    sentence = model.grammar().encode(tokens);
    search.keep_alternatives(keep_alternatives);
    search.run(sentence);
    add_counters<AmasisSearchCounters>(counters, search.counters());
  }

  bool large() const { return search.hypotheses() > 200'000; }

  const AmasisModel& model;
  AmasisSearch search;
  SourceSentence sentence;
  AmasisCounters counters;
};

}  // namespace demotic::decode::amasis
