// The text a model is estimated from, as word ids: "<unk>" is 0, "<s>" 1, "</s>" 2, then the words
// in order of first appearance.  Each sentence ends with "</s>"; its "<s>" is understood.
//
//   TrainingText text(folder, memory, skip_special);
//   text.add("the house\nis small\n");               whole lines
//   for_each_ngram(text, order, [&](std::span<const uint32_t> ngram) { ... });
//
// Ids wait in memory up to `memory` bytes and go to a temporary file beyond that.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "io/temp_file.h"
#include "text/vocab.h"

namespace demotic::lm {

inline constexpr uint32_t kBegin = 1;
inline constexpr uint32_t kEnd = 2;
inline constexpr unsigned kEstimateOrder = 8;  // the highest

class TrainingText {
 public:
  // With `skip_special`, the words <s>, </s> and <unk> in the text are passed over; otherwise they
  // are an error, since the model needs them for itself.
  TrainingText(std::string folder, uint64_t memory, bool skip_special);

  void add(std::string_view lines);
  // Line numbers in errors start again at 1.
  void next_file() { line_ = 0; }

  const text::Vocab& vocab() const { return vocab_; }
  // How often each id occurs.
  const std::vector<uint64_t>& frequencies() const { return frequencies_; }
  uint64_t words() const { return words_; }
  uint64_t lines() const { return lines_; }
  // Ids in all, "</s>" included: the number of n-grams of any order.
  uint64_t size() const { return spilled_ids() + ids_.size(); }

  // Calls each(span of ids) block by block, in order.
  template <class Each>
  void for_each_block(Each&& each) const {
    if (spilled_) {
      std::vector<uint32_t> block;
      for (uint64_t at = 0; at < spilled_ids(); at += block.size()) {
        block.resize(std::min<uint64_t>(kBlock, spilled_ids() - at));
        spilled_->read(at * sizeof(uint32_t), block.data(), block.size() * sizeof(uint32_t));
        each(std::span<const uint32_t>(block));
      }
    }
    if (!ids_.empty()) each(std::span<const uint32_t>(ids_));
  }

  // Gives back the memory of the ids, once they are counted.
  void forget() {
    std::vector<uint32_t>().swap(ids_);
    spilled_.reset();
  }
  text::Vocab take_vocab() { return std::move(vocab_); }

 private:
  static constexpr uint64_t kBlock = 1 << 16;
  uint64_t spilled_ids() const { return spilled_ ? spilled_->size() / sizeof(uint32_t) : 0; }
  void push(uint32_t id);

  std::string folder_;
  uint64_t capacity_;
  bool skip_special_;
  text::Vocab vocab_;
  std::vector<uint64_t> frequencies_;
  std::vector<uint32_t> ids_;
  std::optional<io::TempFile> spilled_;
  uint64_t words_ = 0, lines_ = 0, line_ = 0;
};

// Calls each(w_1 ... w_n) for every position of the text, sentences filled up with "<s>" in front.
template <class Each>
void for_each_ngram(const TrainingText& text, unsigned order, Each&& each) {
  std::array<uint32_t, kEstimateOrder> window;
  window.fill(kBegin);
  text.for_each_block([&](std::span<const uint32_t> ids) {
    for (const uint32_t id : ids) {
      for (unsigned i = 1; i < order; ++i) window[i - 1] = window[i];
      window[order - 1] = id;
      each(std::span<const uint32_t>(window.data(), order));
      if (id == kEnd) window.fill(kBegin);
    }
  });
}

}  // namespace demotic::lm
