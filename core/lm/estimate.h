// Interpolated modified Kneser-Ney estimation, orders 1-8, as lmplz does it (Heafield, Pouzyrevsky,
// Clark and Koehn 2013, "Scalable modified Kneser-Ney language model estimation").
//
//   TrainingText text(folder, memory / 4, false);  text.add(lines);
//   std::unique_ptr<EstimatedModel> model = estimate(std::move(text), options, tick);
//   model->play(sink, tick);                        as often as one likes
//
// What fits into `memory` is estimated there (estimate_memory.h), the rest by sorting on disk
// (estimate_disk.h); both give the same n-grams in the same order with the same bits, for any
// number of threads.  n-grams come in suffix order: sorted by last word, then the one before, ...
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "lm/discounts.h"
#include "lm/estimate_text.h"
#include "lm/ngram_sink.h"

namespace demotic::lm {

// Called now and then with the number of n-grams done since the last call; may throw to stop.
using Tick = std::function<void(uint64_t)>;

// Calls a Tick every million n-grams.
class TickCounter {
 public:
  explicit TickCounter(const Tick& tick) : tick_(tick) {}
  void operator()() {
    if (++done_ == kEvery) report();
  }
  void add(uint64_t amount) {
    done_ += amount;
    if (done_ >= kEvery) report();
  }
  void report() {
    if (tick_) tick_(done_);
    done_ = 0;
  }

 private:
  static constexpr uint64_t kEvery = 1 << 20;
  const Tick& tick_;
  uint64_t done_ = 0;
};

struct EstimateOptions {
  unsigned order = 5;
  uint64_t memory = uint64_t{1} << 30;  // bytes for text, sorting and result; words come on top
  std::string folder = "/tmp";          // of temporary files
  bool discount_fallback = true;
  // Drop n-grams seen this often or less: one threshold per order from unigrams on, never falling,
  // the last one for all higher orders; empty keeps everything.
  std::vector<uint64_t> prune;
  // Keep only n-grams over this many most frequent words; 0 keeps all.
  uint64_t vocab_limit = 0;
  unsigned threads = 1;
};

// Which n-grams stay in the model.  <unk>, <s> and </s> always do.
class Pruning {
 public:
  Pruning(const EstimateOptions& options, const std::vector<uint64_t>& frequencies);

  bool active() const { return active_; }
  bool word_allowed(uint32_t word) const { return banned_.empty() || !banned_[word]; }
  // By raw count alone.
  bool frequent(unsigned order, uint64_t raw) const { return raw > thresholds_[order - 1]; }
  bool unigram_kept(uint32_t word, uint64_t raw) const {
    return word <= kEnd || (frequent(1, raw) && word_allowed(word));
  }

 private:
  std::vector<uint64_t> thresholds_;
  std::vector<bool> banned_;  // empty when every word is allowed
  bool active_;
};

// The result: scores of all n-grams, in memory or in temporary files.
class EstimatedModel {
 public:
  virtual ~EstimatedModel() = default;

  unsigned order() const { return static_cast<unsigned>(counts_.size()); }
  const std::vector<uint64_t>& counts() const { return counts_; }
  const std::vector<Discounts>& discounts() const { return discounts_; }
  // Drives the sink from begin() to end().
  void play(NgramSink& sink, const Tick& tick) const;

 protected:
  // Receives ids of `vocab_`, and base-10 scores.
  using Visit = std::function<void(std::span<const uint32_t> words, float prob, float backoff)>;
  virtual void for_each_ngram_of(unsigned order, const Visit& visit) const = 0;

  std::vector<uint64_t> counts_;  // per order, after pruning
  std::vector<Discounts> discounts_;
  text::Vocab vocab_;
  std::vector<bool> kept_words_;
};

std::unique_ptr<EstimatedModel> estimate(TrainingText text, const EstimateOptions& options,
                                         const Tick& tick);

}  // namespace demotic::lm
