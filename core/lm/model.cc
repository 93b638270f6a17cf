#include "lm/model.h"

#include <numeric>
#include <vector>

#include "io/container.h"
#include "io/error.h"

namespace demotic::lm {

namespace {

constexpr std::string_view kKind = "lm";
constexpr uint32_t kVersion = 1;
constexpr uint64_t kMaxSpill = 4096;

// Section "lm.meta"; the others are "lm.1" (unigrams), "lm.N" and "lm.N.oldest", and the
// vocabulary.
struct Meta {
  uint64_t order;
  uint64_t counts[kMaxOrder];
  uint64_t spills[kMaxOrder];
};

[[noreturn]] void damaged(const std::string& what) {
  throw io::Error(io::Fault::corrupt, "damaged language model: " + what, 0,
                  "copy the file again or rebuild it");
}

template <class Bucket>
NgramTable<const Bucket> table_of(const Model::Order& part, size_t order, uint64_t count) {
  const std::span buckets(reinterpret_cast<const Bucket*>(part.buckets.data()),
                          part.buckets.size() / sizeof(Bucket));
  if (part.buckets.size() % sizeof(Bucket) != 0 || part.spill > kMaxSpill ||
      buckets.size() <= part.spill || part.oldest.size() != buckets.size() * Bucket::kSlots ||
      count > part.oldest.size())
    damaged(std::to_string(order) + "-grams");
  return {buckets, part.spill};
}

}  // namespace

Model::Model(Parts parts) : parts_(std::move(parts)), order_(parts_.counts.size()) {
  if (order_ < 1 || order_ > kMaxOrder) damaged("order");
  if (parts_.unigrams.empty() || parts_.unigrams.size() != parts_.vocab.size() ||
      parts_.counts[0] != parts_.unigrams.size())
    damaged("1-grams");
  if (order_ > 1)
    longest_ = table_of<LongestBucket>(parts_.orders[order_ - 2], order_, parts_.counts.back());
  middle_orders_ = std::max(order_, 2u) - 2;
  for (unsigned i = 0; i < middle_orders_; ++i)
    middle_[i] = table_of<MiddleBucket>(parts_.orders[i], i + 2, parts_.counts[i + 1]);
  begin_word_ = find(kBeginWord);
  end_word_ = find(kEndWord);
  if (order_ > 1) {
    begin_.length = 1;
    begin_.words[0] = begin_word_;
    begin_.backoffs[0] = log_backoff(parts_.unigrams[begin_word_].backoff);
  }
}

Model Model::open(const std::string& path, Verify verify) {
  auto container = std::make_shared<io::Container>(path, kKind, kVersion);
  const bool thorough = verify == Verify::everything ||
                        (verify == Verify::small_files && container->file_size() <= kSmallFile);
  if (thorough) container->verify();
  const std::span meta = container->section<Meta>("lm.meta");
  if (meta.size() != 1 || meta[0].order < 1 || meta[0].order > kMaxOrder) damaged("order");
  Parts parts;
  parts.counts.assign(meta[0].counts, meta[0].counts + meta[0].order);
  parts.vocab = text::VocabView(*container);
  parts.unigrams = container->section<Unigram>("lm.1");
  for (size_t n = 2; n <= meta[0].order; ++n) {
    const std::string name = "lm." + std::to_string(n);
    parts.orders[n - 2] = {container->section<std::byte>(name),
                           container->section<uint32_t>(name + ".oldest"), meta[0].spills[n - 1]};
  }
  parts.storage = std::move(container);
  Model model(std::move(parts));
  if (thorough) model.check();
  return model;
}

// What a checksum cannot know: that whoever wrote the file wrote a language model.
void Model::check() const {
  if (!parts_.vocab.is_sound()) damaged("words");
  for (const Unigram& unigram : parts_.unigrams)
    if (!std::isfinite(unigram.prob) || !std::isfinite(unigram.backoff)) damaged("1-grams");
  const auto check_order = [&]<class Bucket>(const NgramTable<const Bucket>& table, unsigned n) {
    const std::span<const uint32_t> oldest = parts_.orders[n - 2].oldest;
    for (size_t at = 0; at < oldest.size(); ++at) {
      const Bucket& bucket = table.buckets()[at / Bucket::kSlots];
      const unsigned slot = at % Bucket::kSlots;
      if (bucket.keys[slot] == 0) continue;
      bool sound = std::isfinite(bucket.probs[slot]) && (oldest[at] & ~kImplied) < words();
      if constexpr (requires { bucket.backoffs; })
        sound = sound && std::isfinite(bucket.backoffs[slot]);
      if (!sound) damaged(std::to_string(n) + "-grams");
    }
  };
  for (unsigned i = 0; i < middle_orders_; ++i) check_order(middle_[i], i + 2);
  if (order_ > 1) check_order(longest_, order_);
}

void Model::save(const std::string& path) const {
  io::ContainerWriter out(path, kKind, kVersion);
  Meta meta{};
  meta.order = order_;
  std::copy(parts_.counts.begin(), parts_.counts.end(), meta.counts);
  for (unsigned n = 2; n <= order_; ++n) meta.spills[n - 1] = parts_.orders[n - 2].spill;
  out.section<Meta>("lm.meta", {&meta, 1});
  parts_.vocab.save(out);
  out.section<Unigram>("lm.1", parts_.unigrams);
  for (unsigned n = 2; n <= order_; ++n) {
    const std::string name = "lm." + std::to_string(n);
    out.section<std::byte>(name, parts_.orders[n - 2].buckets);
    out.section<uint32_t>(name + ".oldest", parts_.orders[n - 2].oldest);
  }
  out.finish();
}

State Model::state_of(std::span<const uint32_t> history) const {
  State state{};
  if (history.empty() || order_ == 1) return state;
  const size_t reach = std::min<size_t>(history.size(), order_ - 1);
  uint32_t newest_first[kMaxOrder];
  for (size_t i = 0; i < reach; ++i) newest_first[i] = history[history.size() - 1 - i];
  const Unigram& unigram = parts_.unigrams[newest_first[0]];
  float backoffs[kMaxOrder] = {log_backoff(unigram.backoff)};
  unsigned use = extends_right(unigram.backoff) ? 1 : 0;
  Score s{ngram_key(newest_first[0]), 0, 1, !extends_left(unigram.prob)};
  const auto longer = static_cast<unsigned>(reach - 1);
  lengthen(fetch(newest_first + 1, longer, s.key, 0), longer, backoffs + 1, use, s);
  state.length = use;
  std::copy_n(newest_first, use, state.words);
  std::copy_n(backoffs, use, state.backoffs);
  return state;
}

Score Model::score_ngram(std::span<const uint32_t> history, uint32_t word) const {
  State ignored;
  return score(state_of(history), word, ignored);
}

// The words of an n-gram come back out of its key and the oldest words of its suffixes.
void Model::emit(NgramSink& sink) const {
  sink.begin(parts_.counts, Counts::exact);
  for (uint32_t id = 0; id < words(); ++id) sink.word(word(id));
  for (uint32_t id = 0; id < words(); ++id) {
    const Unigram& unigram = parts_.unigrams[id];
    sink.ngram({&id, 1}, log_prob(unigram.prob), unigram.backoff + 0.0f);
  }
  const auto words_of = [&](uint64_t key, uint32_t oldest, unsigned n, uint32_t* out) {
    for (unsigned at = 0; at + 2 < n; ++at) {
      out[at] = oldest & ~kImplied;
      key = shorten_key(key, out[at]);
      const Middle& table = middle_[n - at - 3];
      const auto hit = table.find(key);
      if (!hit) damaged(std::to_string(n) + "-grams");
      oldest = parts_.orders[n - at - 3].oldest[table.index(hit)];
    }
    out[n - 2] = oldest & ~kImplied;
    out[n - 1] = word_of_key(shorten_key(key, out[n - 2]));
    for (unsigned at = 0; at < n; ++at)
      if (out[at] >= words()) damaged(std::to_string(n) + "-grams");
  };
  const auto emit_order = [&]<class Bucket>(const NgramTable<const Bucket>& table, unsigned n) {
    const std::span<const uint32_t> oldest = parts_.orders[n - 2].oldest;
    std::vector<uint32_t> ids;
    std::vector<size_t> slots;
    for (size_t at = 0; at < oldest.size(); ++at) {
      const uint64_t key = table.buckets()[at / Bucket::kSlots].keys[at % Bucket::kSlots];
      if (key == 0 || (oldest[at] & kImplied) != 0) continue;
      ids.resize(ids.size() + n);
      words_of(key, oldest[at], n, ids.data() + ids.size() - n);
      slots.push_back(at);
    }
    if (slots.size() != parts_.counts[n - 1]) damaged(std::to_string(n) + "-grams");
    std::vector<size_t> sequence(slots.size());
    std::iota(sequence.begin(), sequence.end(), size_t{0});
    std::sort(sequence.begin(), sequence.end(), [&](size_t a, size_t b) {
      return std::lexicographical_compare(&ids[a * n], &ids[a * n] + n, &ids[b * n],
                                          &ids[b * n] + n);
    });
    for (const size_t i : sequence) {
      const Bucket& bucket = table.buckets()[slots[i] / Bucket::kSlots];
      const unsigned slot = slots[i] % Bucket::kSlots;
      float backoff = 0;
      if constexpr (requires { bucket.backoffs; }) backoff = bucket.backoffs[slot] + 0.0f;
      sink.ngram({&ids[i * n], n}, log_prob(bucket.probs[slot]), backoff);
    }
  };
  for (unsigned i = 0; i < middle_orders_; ++i) emit_order(middle_[i], i + 2);
  if (order_ > 1) emit_order(longest_, order_);
  sink.end();
}

}  // namespace demotic::lm
