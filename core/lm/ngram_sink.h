// Where n-grams go.  The ARPA reader and the estimator drive a sink; the ARPA writer and the
// builder of the binary form are sinks, so every way in meets every way out.
//
//   sink.begin(counts, Counts::exact);        counts[k] = number of (k+1)-grams, an exact promise
//   sink.word("the");                         once per unigram, ids 0, 1, 2, ... in this order
//   sink.ngram(words, log10_prob, log10_backoff);   all unigrams first, then bigrams, ...
//   sink.end();
//
// Scores are base 10, as ARPA has them.  n-grams of the highest order have back-off 0.  Within an
// order the sequence is the source's own; id 0 is "<unk>" whether or not the source lists it.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace demotic::lm {

// How far to trust in counts that must be kept: `claimed` ones are those of a stream whose length
// nobody knows, so that making room for them may fill the memory for nothing.
enum class Counts : uint8_t { exact, claimed };

class NgramSink {
 public:
  virtual ~NgramSink() = default;
  virtual void begin(std::span<const uint64_t> counts, Counts trust) = 0;
  virtual void word(std::string_view word) = 0;
  virtual void ngram(std::span<const uint32_t> words, float prob, float backoff) = 0;
  virtual void end() = 0;
};

}  // namespace demotic::lm
