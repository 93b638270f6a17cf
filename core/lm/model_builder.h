// Makes a Model out of n-grams: the sink behind ARPA files and the estimator.
//
//   ModelBuilder builder;  ArpaReader reader(builder);  ...  Model model = builder.finish();
//
// A Model must hold, with each n-gram, its suffix (all but the oldest word) and its context (all
// but the newest), or searches would miss it.  Pruned models of some toolkits leave those out.  The
// builder then adds them as *implied* n-grams, with the score that backing off gives and back-off
// 0: no score changes.  Implied n-grams count as matches (as KenLM counts them), and are not
// written when the model is written out.
//
// Throws Error(format) for an n-gram listed twice, a word id that was not announced, scores that
// are not numbers, and counts that were not kept.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "lm/model.h"
#include "lm/ngram_sink.h"
#include "lm/ngram_table.h"
#include "text/vocab.h"

namespace demotic::lm {

// An NgramTable that grows.
template <class Bucket>
class GrowingTable {
 public:
  using Table = NgramTable<Bucket>;
  using Hit = typename Table::Hit;

  explicit GrowingTable(uint64_t expected = 0);

  Hit find(uint64_t key) { return Table(buckets_, kRoom).find(key); }
  Hit insert(uint64_t key, uint32_t oldest);  // the key must be absent
  uint32_t& oldest(const Hit& hit) {
    return oldest_[static_cast<size_t>(hit.bucket - buckets_.data()) * Bucket::kSlots + hit.slot];
  }
  void trim();  // drops the room that no n-gram needed
  Model::Order part() const { return {std::as_bytes(std::span(buckets_)), oldest_, spill_}; }

 private:
  static constexpr size_t kRoom = 32;  // buckets behind the last home; more crowding makes it grow

  void allocate(uint64_t capacity);
  Hit place(uint64_t key);  // null when the neighbourhood is too crowded

  std::vector<Bucket> buckets_;
  std::vector<uint32_t> oldest_;
  uint64_t size_ = 0;
  uint64_t spill_ = 0;  // the farthest that a key lies from its home
};

class ModelBuilder : public NgramSink {
 public:
  ModelBuilder();
  ~ModelBuilder() override;

  void begin(std::span<const uint64_t> counts, Counts trust) override;
  void word(std::string_view word) override;
  void ngram(std::span<const uint32_t> words, float prob, float backoff) override;
  void end() override;

  Model finish();  // after end(); the builder is empty then

 private:
  struct Storage;

  // Where the scores of an n-gram lie; `backoff` is null for the highest order.
  struct Scores {
    float* prob;
    float* backoff;
  };
  using Keys = std::array<uint64_t, kMaxOrder>;  // of the suffixes of 1, 2, ... words

  static Keys keys_of(std::span<const uint32_t> words);
  Scores require(std::span<const uint32_t> words);  // adds an implied n-gram if it is absent
  void link(std::span<const uint32_t> words);       // to its suffix and its context
  void keep_suffixes(std::span<const uint32_t> words);
  void check_count(size_t order) const;

  std::shared_ptr<Storage> storage_;
  std::vector<uint64_t> counts_;
  std::vector<uint64_t> seen_;
  bool complete_ = false;
};

}  // namespace demotic::lm
