// An n-gram back-off model: log10 p(word | history), from memory or straight from a mapped file.
//
//   1. Model model = Model::open("lm.bin");           or ModelBuilder::finish(), see
//   model_builder.h
//   2. State state = model.begin_sentence();          or model.empty_context()
//   3. Score s = model.score(state, model.find("house"), next);   s.prob;  state = next;
//   4. model.score(state, model.end_word(), next)     the end of the sentence is a word, too
//   5. model.score_ngram(history, word)               without states: history oldest word first
//   6. chart.h                                        for fragments whose left context is not known
//
// Unknown words are id 0 and score as "<unk>" does.  Nothing here allocates or throws but open,
// save and emit; a Model is read-only and may be shared by threads.  Ids must be below words().
//
// How scores are stored.  The sign bit of a log10 probability (never above 0) is free: it is clear
// when some listed n-gram extends this one to the left, so a search for longer ones ends early when
// it is set.  A back-off of -0.0 marks an n-gram that no other extends to the right and that costs
// nothing to leave: it is dropped from States.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "lm/ngram_sink.h"
#include "lm/ngram_table.h"
#include "lm/state.h"
#include "text/vocab.h"

namespace demotic::lm {

inline constexpr std::string_view kBeginWord = "<s>";
inline constexpr std::string_view kEndWord = "</s>";

struct Unigram {
  float prob;
  float backoff;
};

struct Score {
  uint64_t key;           // of the longest n-gram found, see ngram_table.h
  float prob;             // log10
  uint8_t length;         // of the longest n-gram found, counting the new word
  bool independent_left;  // no n-gram extends it to the left: older words cannot matter
};

inline bool extends_right(float backoff) { return std::bit_cast<uint32_t>(backoff) != 0x80000000u; }
inline bool extends_left(float prob) { return !std::signbit(prob); }
// Damage becomes a large number; infinities would add up to what is no number at all.
inline constexpr float kMost = 1e30f;
inline float log_prob(float prob) { return -std::min(kMost, std::fabs(prob)); }
inline float log_backoff(float backoff) { return std::max(-kMost, std::min(kMost, backoff)); }

class Model {
 public:
  using Middle = NgramTable<const MiddleBucket>;
  using Longest = NgramTable<const LongestBucket>;

  // The n-grams of one order, as they lie in memory.  `oldest` gives, slot by slot, the word by
  // which the n-gram is longer than its suffix; it is read only to write the model out again.
  struct Order {
    std::span<const std::byte> buckets;
    std::span<const uint32_t> oldest;
    uint64_t spill = 0;
  };
  struct Parts {
    std::vector<uint64_t> counts;  // n-grams listed, by order
    text::VocabView vocab;
    std::span<const Unigram> unigrams;
    std::array<Order, kMaxOrder - 1> orders;  // of 2-grams, 3-grams, ...
    std::shared_ptr<const void> storage;      // keeps the memory behind the spans
  };
  static constexpr uint32_t kImplied = 0x80000000u;  // flag in `oldest`, see model_builder.h

  // How much of a file is compared with its checksums before use.  Damage that goes unnoticed can
  // make scores wrong, no more: they stay finite.
  enum class Verify : uint8_t { structure, small_files, everything };
  static constexpr size_t kSmallFile = size_t{64} << 20;

  explicit Model(Parts parts);  // throws Error(corrupt) where the parts do not fit together
  static Model open(const std::string& path, Verify verify = Verify::small_files);
  void save(const std::string& path) const;
  void emit(NgramSink& sink) const;  // every listed n-gram, sorted by word ids

  unsigned order() const { return order_; }
  std::span<const uint64_t> counts() const { return parts_.counts; }
  uint32_t words() const { return static_cast<uint32_t>(parts_.unigrams.size()); }
  std::string_view word(uint32_t id) const { return parts_.vocab.word(id); }
  uint32_t find(std::string_view word) const {
    const uint32_t id = parts_.vocab.find(word);
    return id < words() ? id : text::kUnknown;
  }
  // Of a text: what looks like a sentence border is a word that the model does not know.
  uint32_t find_in_text(std::string_view word) const {
    const uint32_t id = find(word);
    return id == begin_word_ || id == end_word_ ? text::kUnknown : id;
  }
  uint32_t begin_word() const { return begin_word_; }
  uint32_t end_word() const { return end_word_; }

  const State& begin_sentence() const { return begin_; }
  State empty_context() const { return {}; }
  State state_of(std::span<const uint32_t> history) const;  // oldest word first

  Score score(const State& in, uint32_t word, State& out) const;

  // The same in two steps, for those who know words ahead of their turn (batch.h): the keys of the
  // n-grams of 2, 3, ... words that end in `word` after `size` words of history, newest first.
  // Fetching the memory behind them takes longer than all the rest.
  struct Keys {
    uint64_t of[kMaxOrder - 1];
  };
  Keys fetch(const uint32_t* history, unsigned size, uint32_t word) const;
  Score score(const State& in, uint32_t word, const Keys& keys, State& out) const;

  Score score_ngram(std::span<const uint32_t> history, uint32_t word) const;
  // The same without history, log10.
  float unigram(uint32_t word) const { return log_prob(parts_.unigrams[word].prob); }

  // For chart.h: the score of the last word of an n-gram of `length` words, known by key and
  // probability, when the first `use` words of `add` (newest first) come before it.  `backoffs_in`
  // are those of `add` as its history; `backoffs_out` and `use` become those of `add` as the
  // history of the word that follows.
  Score extend_left(const uint32_t* add, const float* backoffs_in, uint64_t key, float prob,
                    unsigned length, float* backoffs_out, unsigned& use) const;
  // Fetches the memory that extend_left will look at.
  void fetch_left(const uint32_t* add, unsigned use, uint64_t key, unsigned length) const {
    if (length < order_) fetch(add, std::min(use, order_ - length), key, length - 1);
  }

 private:
  void check() const;
  // The keys of n-grams longer than the one of `key` by the words of `history`, newest first; the
  // first of them lies in table `table`, counting from bigrams.
  Keys fetch(const uint32_t* history, unsigned size, uint64_t key, unsigned table) const;
  // Lengthens the match in `s` to the n-grams of `keys` while they are found.  Writes their
  // back-offs and sets `use` to the longest length that some n-gram extends.
  void lengthen(const Keys& keys, unsigned size, float* backoffs, unsigned& use, Score& s) const;

  Parts parts_;
  unsigned order_ = 0;
  unsigned middle_orders_ = 0;  // orders between the lowest and the highest
  std::array<Middle, kMaxOrder - 2> middle_;
  Longest longest_;
  uint32_t begin_word_ = text::kUnknown;
  uint32_t end_word_ = text::kUnknown;
  State begin_{};
};

inline Model::Keys Model::fetch(const uint32_t* history, unsigned size, uint64_t key,
                                unsigned table) const {
  Keys keys;
  for (unsigned i = 0; i < size; ++i, ++table) {
    keys.of[i] = key = extend_key(key, history[i]);
    if (table < middle_orders_)
      middle_[table].prefetch(key);
    else
      longest_.prefetch(key);
  }
  return keys;
}

inline Model::Keys Model::fetch(const uint32_t* history, unsigned size, uint32_t word) const {
  __builtin_prefetch(&parts_.unigrams[word]);
  return fetch(history, std::min(size, order_ - 1), ngram_key(word), 0);
}

inline void Model::lengthen(const Keys& keys, unsigned size, float* backoffs, unsigned& use,
                            Score& s) const {
  const unsigned begin = s.length - 1u;  // tables count from bigrams
  for (unsigned i = 0; i < size && !s.independent_left; ++i) {
    if (begin + i >= middle_orders_) {
      s.independent_left = true;
      if (const auto hit = longest_.find(keys.of[i])) {
        s.prob = log_prob(hit.bucket->probs[hit.slot]);
        s.length = static_cast<uint8_t>(order_);
      }
      return;
    }
    const auto hit = middle_[begin + i].find(keys.of[i]);
    if (!hit) {
      s.independent_left = true;  // the model holds each suffix of each n-gram
      return;
    }
    const float prob = hit.bucket->probs[hit.slot];
    s.key = keys.of[i];
    s.prob = log_prob(prob);
    s.length = static_cast<uint8_t>(begin + i + 2);
    s.independent_left = !extends_left(prob);
    backoffs[i] = log_backoff(hit.bucket->backoffs[hit.slot]);
    if (extends_right(backoffs[i])) use = s.length;
  }
}

inline Score Model::score(const State& in, uint32_t word, State& out) const {
  return score(in, word, fetch(in.words, in.length, ngram_key(word), 0), out);
}

inline Score Model::score(const State& in, uint32_t word, const Keys& keys, State& out) const {
  const Unigram& unigram = parts_.unigrams[word];
  Score s{ngram_key(word), log_prob(unigram.prob), 1, !extends_left(unigram.prob)};
  float backoffs[kMaxOrder] = {log_backoff(unigram.backoff)};
  unsigned use = order_ > 1 && extends_right(unigram.backoff) ? 1 : 0;
  lengthen(keys, in.length, backoffs + 1, use, s);
  for (unsigned i = s.length - 1u; i < in.length; ++i) s.prob += in.backoffs[i];
  // Fixed bounds, so that these loops become a few vector instructions.  `in` may be `out`.
  uint32_t words[kMaxOrder - 1] = {word};
  for (unsigned i = 1; i < kMaxOrder - 1; ++i) words[i] = in.words[i - 1];
  out.length = use;
  for (unsigned i = 0; i < kMaxOrder - 1; ++i) out.words[i] = i < use ? words[i] : 0;
  for (unsigned i = 0; i < kMaxOrder - 1; ++i) out.backoffs[i] = i < use ? backoffs[i] : 0.0f;
  out.zero = 0;
  return s;
}

inline Score Model::extend_left(const uint32_t* add, const float* backoffs_in, uint64_t key,
                                float prob, unsigned length, float* backoffs_out,
                                unsigned& use) const {
  Score s{key, prob, static_cast<uint8_t>(length), false};
  const unsigned size = std::min(use, order_ - length);
  unsigned reach = length;
  lengthen(fetch(add, size, key, length - 1), size, backoffs_out, reach, s);
  for (unsigned i = s.length - length; i < use; ++i) s.prob += backoffs_in[i];
  use = reach - length;
  return s;
}

}  // namespace demotic::lm
