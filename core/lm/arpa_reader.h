// Reads ARPA files, fed piece by piece, and drives an NgramSink.
//
//   ArpaReader reader(sink);  reader.feed(chunk);  ...  reader.finish();
//
// Takes what SRILM, IRSTLM, KenLM and BerkeleyLM write: any text before \data\, tabs or runs of
// spaces, blank lines, a missing back-off (0), -inf (-99, which is how ARPA writes log 0), markers
// in any case, "<UNK>" for "<unk>".  A model without "<unk>" gets one with log10 probability -100,
// as KenLM does; one without "<s>" or "</s>" treats them as unknown words.
//
// Throws Error(format) with the line for everything else: counts that are not kept, words or
// numbers missing, NaN, a log10 probability above 0 (no probability is above 1; IRSTLM has written
// such), a word that is no 1-gram, an n-gram listed twice (where the sink notices), an order below
// the highest without a single back-off, a file that ends early.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lm/ngram_sink.h"
#include "lm/state.h"
#include "text/vocab.h"

namespace demotic::lm {

inline constexpr float kMissingUnknown = -100.0f;
inline constexpr float kLogZero = -99.0f;

class ArpaReader {
 public:
  // `size` is the most bytes that the text can have; counts that announce more are refused before
  // anybody makes room for them.  Without it the sink is told to be careful.
  explicit ArpaReader(NgramSink& sink, std::optional<uint64_t> size = {})
      : sink_(sink), size_(size) {}

  void feed(std::string_view chunk);  // borders need not be line borders
  void finish();

 private:
  enum class Part : uint8_t { preamble, counts, ngrams, end };

  void line(std::string_view text);
  void count_line(std::string_view text);
  bool section_line(std::string_view text);
  void ngram_line(std::string_view text);
  void close_section();
  void check_counts() const;
  void send_unigrams();
  [[noreturn]] void fail(const std::string& message, std::string remedy = {}) const;

  NgramSink& sink_;
  std::optional<uint64_t> size_;
  std::string rest_;  // an unfinished line
  uint64_t line_ = 0;
  Part part_ = Part::preamble;
  std::vector<uint64_t> counts_;
  size_t order_ = 0;           // of the section being read
  uint64_t seen_ = 0;          // n-grams of this section so far
  uint64_t section_line_ = 0;  // where the section begins
  bool backoffs_ = false;      // has this section shown a back-off?

  // Unigrams wait for the end of their section: only then is it known whether "<unk>" is among
  // them.
  struct Listed {
    uint32_t id;
    float prob;
    float backoff;
  };
  text::Vocab vocab_;
  std::vector<Listed> unigrams_;
  bool unknown_listed_ = false;
};

}  // namespace demotic::lm
