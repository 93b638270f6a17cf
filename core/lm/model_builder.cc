#include "lm/model_builder.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "io/error.h"

namespace demotic::lm {

namespace {

// Seven of ten slots used: nearly every search ends in its first bucket.
constexpr double kLoad = 0.7;
constexpr double kCrowded = 0.85;
// N-grams to make room for at once; beyond, tables grow.
constexpr uint64_t kTrusted = uint64_t{1} << 24;
constexpr uint64_t kClaimed = uint64_t{1} << 18;

constexpr float kNoExtension = -0.0f;

std::string name(size_t order) { return std::to_string(order) + "-gram"; }

}  // namespace

template <class Bucket>
GrowingTable<Bucket>::GrowingTable(uint64_t expected) {
  allocate(expected);
}

template <class Bucket>
void GrowingTable<Bucket>::allocate(uint64_t capacity) {
  const auto homes = static_cast<size_t>(static_cast<double>(capacity) / (kLoad * Bucket::kSlots));
  buckets_.assign(homes + 1 + kRoom, Bucket{});
  oldest_.assign(buckets_.size() * Bucket::kSlots, 0);
  spill_ = 0;
}

template <class Bucket>
typename GrowingTable<Bucket>::Hit GrowingTable<Bucket>::place(uint64_t key) {
  const size_t home = Table(buckets_, kRoom).home(key);
  for (size_t distance = 0; distance <= kRoom; ++distance) {
    Bucket& bucket = buckets_[home + distance];
    for (unsigned slot = 0; slot < Bucket::kSlots; ++slot) {
      if (bucket.keys[slot] != 0) continue;
      bucket.keys[slot] = key;
      spill_ = std::max<uint64_t>(spill_, distance);
      return {&bucket, slot};
    }
  }
  return {};
}

template <class Bucket>
typename GrowingTable<Bucket>::Hit GrowingTable<Bucket>::insert(uint64_t key, uint32_t oldest) {
  Hit hit;
  if (static_cast<double>(size_ + 1) <= kCrowded * static_cast<double>(oldest_.size()))
    hit = place(key);
  for (uint64_t capacity = 2 * (size_ + 1); !hit; capacity *= 2) {
    GrowingTable bigger;
    bigger.allocate(capacity);
    bool fits = true;
    for (size_t at = 0; fits && at < oldest_.size(); ++at) {
      const Bucket& from = buckets_[at / Bucket::kSlots];
      const unsigned slot = at % Bucket::kSlots;
      if (from.keys[slot] == 0) continue;
      const Hit to = bigger.place(from.keys[slot]);
      fits = static_cast<bool>(to);
      if (!fits) break;
      to.bucket->probs[to.slot] = from.probs[slot];
      if constexpr (requires { from.backoffs; }) to.bucket->backoffs[to.slot] = from.backoffs[slot];
      bigger.oldest(to) = oldest_[at];
    }
    if (!fits) continue;
    hit = bigger.place(key);
    if (!hit) continue;
    bigger.size_ = size_;
    *this = std::move(bigger);  // moving a vector keeps its memory, so `hit` stays valid
  }
  ++size_;
  this->oldest(hit) = oldest;
  return hit;
}

template <class Bucket>
void GrowingTable<Bucket>::trim() {
  buckets_.resize(buckets_.size() - (kRoom - spill_));
  oldest_.resize(buckets_.size() * Bucket::kSlots);
}

struct ModelBuilder::Storage {
  text::Vocab vocab;
  std::vector<Unigram> unigrams;
  std::vector<GrowingTable<MiddleBucket>> middle;
  GrowingTable<LongestBucket> longest;
};

ModelBuilder::ModelBuilder() = default;
ModelBuilder::~ModelBuilder() = default;

void ModelBuilder::begin(std::span<const uint64_t> counts, Counts trust) {
  if (counts.empty() || counts.size() > kMaxOrder)
    throw io::Error(io::Fault::format, "order " + std::to_string(counts.size()) +
                                           ", but models of order 1 to " +
                                           std::to_string(kMaxOrder) + " can be read");
  storage_ = std::make_shared<Storage>();
  complete_ = false;
  counts_.assign(counts.begin(), counts.end());
  seen_.assign(counts.size(), 0);
  const uint64_t most = trust == Counts::exact ? kTrusted : kClaimed;
  for (size_t n = 2; n < counts.size(); ++n)
    storage_->middle.emplace_back(std::min(counts[n - 1], most));
  if (counts.size() > 1)
    storage_->longest = GrowingTable<LongestBucket>(std::min(counts.back(), most));
}

void ModelBuilder::word(std::string_view word) {
  const uint32_t expected = static_cast<uint32_t>(storage_->unigrams.size());
  if (storage_->vocab.add(word) != expected)
    throw io::Error(io::Fault::format, "the word '" + std::string(word) + "' is listed twice");
  if (expected >= Model::kImplied) throw io::Error(io::Fault::format, "more than 2^31 words");
  // A NaN until the word's own unigram comes.
  storage_->unigrams.push_back({std::nanf(""), kNoExtension});
}

ModelBuilder::Keys ModelBuilder::keys_of(std::span<const uint32_t> words) {
  Keys keys{};
  keys[0] = ngram_key(words.back());
  for (size_t n = 2; n <= words.size(); ++n)
    keys[n - 1] = extend_key(keys[n - 2], words[words.size() - n]);
  return keys;
}

void ModelBuilder::ngram(std::span<const uint32_t> words, float prob, float backoff) {
  const size_t n = words.size();
  if (n == 0 || n > counts_.size())
    throw io::Error(io::Fault::format,
                    name(n) + " in a model of order " + std::to_string(counts_.size()));
  for (const uint32_t id : words)
    if (id >= storage_->unigrams.size())
      throw io::Error(io::Fault::format, "a word that is no 1-gram");
  if (!(prob <= 0) || !std::isfinite(prob) || !std::isfinite(backoff))
    throw io::Error(io::Fault::format,
                    "the scores of an n-gram must be finite, and no log10 above 0");
  if (n > 1 && seen_[n - 1] == 0) check_count(n - 1);
  if (++seen_[n - 1] > counts_[n - 1]) check_count(n);

  prob = -std::fabs(prob);  // sign bit set: not yet known to extend to the left
  if (backoff == 0) backoff = kNoExtension;
  if (n == 1) {
    Unigram& unigram = storage_->unigrams[words[0]];
    if (!std::isnan(unigram.prob)) throw io::Error(io::Fault::format, "a 1-gram is listed twice");
    unigram = {prob, counts_.size() == 1 ? kNoExtension : backoff};
    return;
  }
  const uint64_t key = keys_of(words)[n - 1];
  const auto add = [&](auto& table) {
    if (key == 0 || table.find(key))
      throw io::Error(io::Fault::format, "the n-gram is listed twice");
    return table.insert(key, words[0]);
  };
  if (n == counts_.size()) {
    const auto hit = add(storage_->longest);
    hit.bucket->probs[hit.slot] = prob;
  } else {
    const auto hit = add(storage_->middle[n - 2]);
    hit.bucket->probs[hit.slot] = prob;
    hit.bucket->backoffs[hit.slot] = backoff;
  }
  link(words);
  if (n < counts_.size() && backoff != 0) keep_suffixes(words);
}

// An n-gram whose back-off counts is kept in States though nothing extends it.  Its suffixes must
// be kept as well, because chart.h takes a State that was cut short for one that cannot grow again.
void ModelBuilder::keep_suffixes(std::span<const uint32_t> words) {
  while (words.size() > 1) {
    words = words.subspan(1);
    float& backoff = *require(words).backoff;
    if (extends_right(backoff)) return;
    backoff = 0.0f;
  }
}

void ModelBuilder::link(std::span<const uint32_t> words) {
  float& suffix = *require(words.subspan(1)).prob;
  suffix = std::fabs(suffix);
  float& context = *require(words.first(words.size() - 1)).backoff;
  if (context == 0) context = 0.0f;  // no longer -0.0
}

// Orders are complete from the lowest up, so what is absent now will not be listed later.
ModelBuilder::Scores ModelBuilder::require(std::span<const uint32_t> words) {
  if (words.size() == 1) {
    Unigram& unigram = storage_->unigrams[words[0]];
    return {&unigram.prob, &unigram.backoff};
  }
  GrowingTable<MiddleBucket>& table = storage_->middle[words.size() - 2];
  const uint64_t key = keys_of(words)[words.size() - 1];
  auto hit = table.find(key);
  if (!hit) {
    link(words);
    const float prob =
        log_prob(*require(words.subspan(1)).prob) + *require(words.first(words.size() - 1)).backoff;
    hit = table.insert(key, words[0] | Model::kImplied);
    // A back-off above 0 may give "probabilities" above 1, which have no place in the model.
    hit.bucket->probs[hit.slot] = -std::fabs(std::min(prob, 0.0f));
    hit.bucket->backoffs[hit.slot] = kNoExtension;
  }
  return {&hit.bucket->probs[hit.slot], &hit.bucket->backoffs[hit.slot]};
}

void ModelBuilder::check_count(size_t order) const {
  if (seen_[order - 1] != counts_[order - 1])
    throw io::Error(io::Fault::format, std::to_string(counts_[order - 1]) + " " + name(order) +
                                           "s were announced, " + std::to_string(seen_[order - 1]) +
                                           " given");
}

void ModelBuilder::end() {
  for (size_t n = 1; n <= counts_.size(); ++n) check_count(n);
  for (const Unigram& unigram : storage_->unigrams)
    if (std::isnan(unigram.prob)) throw io::Error(io::Fault::format, "a word without a 1-gram");
  for (auto& table : storage_->middle) table.trim();
  storage_->longest.trim();
  complete_ = true;
}

Model ModelBuilder::finish() {
  if (!complete_) throw io::Error(io::Fault::argument, "a model without all of its n-grams");
  complete_ = false;
  Model::Parts parts;
  parts.counts = counts_;
  parts.vocab = storage_->vocab.view();
  parts.unigrams = storage_->unigrams;
  for (size_t n = 2; n < counts_.size(); ++n) parts.orders[n - 2] = storage_->middle[n - 2].part();
  if (counts_.size() > 1) parts.orders[counts_.size() - 2] = storage_->longest.part();
  parts.storage = std::move(storage_);
  return Model(std::move(parts));
}

}  // namespace demotic::lm
