// Writes n-grams as an ARPA file.
//
//   ArpaWriter writer([&](std::string_view text) { ... });   called with a mebibyte at a time
//   ArpaReader reader(writer);  or  model.emit(writer);      whatever drives an NgramSink
//
// Numbers are the shortest that read back to the same float.  Every n-gram below the highest order
// gets its back-off, also 0, so that all toolkits read the file.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "lm/ngram_sink.h"
#include "text/vocab.h"

namespace demotic::lm {

class ArpaWriter : public NgramSink {
 public:
  explicit ArpaWriter(std::function<void(std::string_view)> out) : out_(std::move(out)) {}

  void begin(std::span<const uint64_t> counts, Counts trust) override;
  void word(std::string_view word) override;
  void ngram(std::span<const uint32_t> words, float prob, float backoff) override;
  void end() override;

 private:
  void number(float value);
  void open_section(size_t order);

  std::function<void(std::string_view)> out_;
  std::string text_;
  text::Vocab vocab_;
  uint32_t words_ = 0;
  std::vector<uint64_t> counts_;
  size_t order_ = 0;
  uint64_t left_ = 0;  // n-grams still to come in this section
};

}  // namespace demotic::lm
