#include "lm/estimate_disk.h"

#include <array>
#include <optional>

namespace demotic::lm {
namespace {

// Suffix order has the words at positions w_n, w_(n-1), ..., w_1; context order w_(n-1), ..., w_1,
// w_n, so that the n-grams of one context are neighbours and the contexts are in suffix order.
template <size_t Limbs>
PackedNgram<Limbs> suffix_to_context(const NgramPacking& packing, const PackedNgram<Limbs>& key,
                                     unsigned n) {
  PackedNgram<Limbs> out{};
  for (unsigned i = 0; i + 1 < n; ++i) packing.set(out, i, packing.word(key, i + 1));
  packing.set(out, n - 1, packing.word(key, 0));
  return out;
}

template <size_t Limbs>
PackedNgram<Limbs> context_to_suffix(const NgramPacking& packing, const PackedNgram<Limbs>& key,
                                     unsigned n) {
  PackedNgram<Limbs> out{};
  packing.set(out, 0, packing.word(key, n - 1));
  for (unsigned i = 0; i + 1 < n; ++i) packing.set(out, i + 1, packing.word(key, i));
  return out;
}

template <size_t Limbs>
class DiskModel final : public EstimatedModel {
  using Key = PackedNgram<Limbs>;
  using Counted = CountedNgram<Limbs>;

  struct Adjusted {  // in context order
    Key key;
    uint64_t count : 63;
    uint64_t kept : 1;
  };
  struct Uninterpolated {  // in suffix order
    Key key;
    float prob, weight;
  };
  struct Weight {  // of a context, in suffix order
    Key key;
    float weight, unused;
  };
  struct Scored {  // in suffix order
    Key key;
    float prob, backoff;
  };

 public:
  DiskModel(std::unique_ptr<ExternalSorter<Counted>> ngrams, text::Vocab vocab,
            const Pruning& pruning, const EstimateOptions& options, const NgramPacking& packing,
            const Tick& tick)
      : packing_(packing),
        folder_(options.folder),
        memory_(options.memory),
        threads_(options.threads) {
    TickCounter ticks(tick);
    vocab_ = std::move(vocab);
    counts_.assign(options.order, 0);
    kept_words_.assign(vocab_.size(), false);
    adjust_counts(*ngrams, pruning, options.discount_fallback, ticks);
    ngrams.reset();
    score_all(ticks);
    ticks.report();
  }

 private:
  unsigned order() const { return packing_.order(); }
  std::unique_ptr<ExternalSorter<Uninterpolated>> suffix_sorter(unsigned n) const {
    return std::make_unique<ExternalSorter<Uninterpolated>>(folder_, packing_, n, memory_ / 2,
                                                            threads_);
  }

  void adjust_counts(const ExternalSorter<Counted>& ngrams, const Pruning& pruning, bool fallback,
                     TickCounter& ticks);
  void score_all(TickCounter& ticks);
  std::unique_ptr<ExternalSorter<Uninterpolated>> score_unigrams();
  std::unique_ptr<ExternalSorter<Uninterpolated>> weigh_contexts(unsigned n, io::TempFile& weights,
                                                                 TickCounter& ticks);
  void interpolate_order(unsigned n, const ExternalSorter<Uninterpolated>& ngrams,
                         const std::optional<io::TempFile>& weights, TickCounter& ticks);
  void for_each_ngram_of(unsigned n, const Visit& visit) const override;

  NgramPacking packing_;
  std::string folder_;
  uint64_t memory_;
  unsigned threads_;
  std::vector<Adjusted> unigrams_;
  std::vector<std::unique_ptr<ExternalSorter<Adjusted>>> adjusted_;  // [n - 2]: of order n
  std::vector<io::TempFile> scored_;                                 // [n - 1]: of order n
};

// Pass 1.  Walks over the longest n-grams in suffix order and keeps, for each shorter length, the
// suffix that is being counted; it is complete when a later n-gram no longer ends with it.
template <size_t Limbs>
void DiskModel<Limbs>::adjust_counts(const ExternalSorter<Counted>& ngrams, const Pruning& pruning,
                                     bool fallback, TickCounter& ticks) {
  const unsigned order = this->order();
  const uint64_t share = memory_ / (order + 1);
  for (unsigned n = 2; n <= order; ++n)
    adjusted_.push_back(
        std::make_unique<ExternalSorter<Adjusted>>(folder_, packing_, n, share, threads_));
  std::vector<CountsOfCounts> seen(order);
  std::array<uint64_t, kEstimateOrder> count{}, raw{};
  std::array<bool, kEstimateOrder + 1> allowed;
  allowed[0] = true;
  Key current{};
  unsigned open = 0;  // lengths 1 ... open are being counted

  const auto complete = [&](unsigned n) {
    const bool kept = n == 1 ? pruning.unigram_kept(packing_.word(current, 0), raw[0])
                             : allowed[n] && pruning.frequent(n, raw[n - 1]);
    seen[n - 1].add(count[n - 1]);
    counts_[n - 1] += kept;
    const Key key = packing_.head(current, n);
    if (n == 1) {
      unigrams_.push_back({key, count[0], kept});
      kept_words_[packing_.word(current, 0)] = kept;
    } else {
      adjusted_[n - 2]->add({suffix_to_context(packing_, key, n), count[n - 1], kept});
    }
  };

  for (const uint32_t word : {text::kUnknown, kBegin}) {  // they end no n-gram of the text
    current = {};
    packing_.set(current, 0, word);
    complete(1);
  }
  auto merged = ngrams.merged(share);
  for (Counted ngram; merged.next(ngram); ticks()) {
    const unsigned same = open == 0 ? 0 : packing_.common(ngram.key, current, order);
    for (; open > same; --open) complete(open);
    for (unsigned n = 1; n <= same; ++n) raw[n - 1] += ngram.count;
    if (same > 0) ++count[same - 1];
    current = ngram.key;
    while (open < order) {
      const uint32_t word = packing_.word(current, open);
      // n-grams that begin a sentence, and the longest ones, have their raw counts.
      const bool whole = word == kBegin || open + 1 == order;
      count[open] = whole ? ngram.count : 1;
      raw[open] = ngram.count;
      allowed[open + 1] = allowed[open] && pruning.word_allowed(word);
      ++open;
      if (word == kBegin) break;
    }
  }
  for (; open > 0; --open) complete(open);
  for (auto& sorter : adjusted_) sorter->seal();
  for (unsigned n = 1; n <= order; ++n)
    discounts_.push_back(estimate_discounts(seen[n - 1], n, fallback));
}

template <size_t Limbs>
void DiskModel<Limbs>::score_all(TickCounter& ticks) {
  std::unique_ptr<ExternalSorter<Uninterpolated>> ngrams = score_unigrams();
  for (unsigned n = 1; n <= order(); ++n) {
    std::unique_ptr<ExternalSorter<Uninterpolated>> above;
    std::optional<io::TempFile> weights;
    if (n < order()) {
      weights.emplace(folder_);
      above = weigh_contexts(n + 1, *weights, ticks);
      adjusted_[n - 1].reset();
    }
    interpolate_order(n, *ngrams, weights, ticks);
    ngrams = std::move(above);
  }
  adjusted_.clear();
}

template <size_t Limbs>
auto DiskModel<Limbs>::score_unigrams() -> std::unique_ptr<ExternalSorter<Uninterpolated>> {
  ContextSum sum;
  for (const Adjusted& unigram : unigrams_) sum.add(unigram.count, unigram.kept);
  const float weight = interpolation_weight(discounts_[0], sum);
  auto out = suffix_sorter(1);
  for (const Adjusted& unigram : unigrams_) {
    if (!unigram.kept) continue;
    if (packing_.word(unigram.key, 0) == kBegin)
      out->add({unigram.key, 1, 0});  // <s> is given, never predicted
    else
      out->add({unigram.key, uninterpolated(unigram.count, discounts_[0], sum), weight});
  }
  std::vector<Adjusted>().swap(unigrams_);
  out->seal();
  return out;
}

// Pass 2.  A group is no larger than the vocabulary.
template <size_t Limbs>
auto DiskModel<Limbs>::weigh_contexts(unsigned n, io::TempFile& weights, TickCounter& ticks)
    -> std::unique_ptr<ExternalSorter<Uninterpolated>> {
  auto out = suffix_sorter(n);
  const Discounts& discounts = discounts_[n - 1];
  io::RecordWriter<Weight> writer(weights, memory_ / 16);
  std::vector<Adjusted> group;
  const auto complete = [&] {
    if (group.empty()) return;
    ContextSum sum;
    for (const Adjusted& ngram : group) sum.add(ngram.count, ngram.kept);
    const float weight = interpolation_weight(discounts, sum);
    writer.add({packing_.head(group[0].key, n - 1), weight, 0});
    for (const Adjusted& ngram : group)
      if (ngram.kept)
        out->add({context_to_suffix(packing_, ngram.key, n),
                  uninterpolated(ngram.count, discounts, sum), weight});
    group.clear();
  };
  auto merged = adjusted_[n - 2]->merged(memory_ / 4);
  for (Adjusted ngram; merged.next(ngram); ticks()) {
    if (!group.empty() && packing_.common(ngram.key, group[0].key, n - 1) < n - 1) complete();
    group.push_back(ngram);
  }
  complete();
  writer.flush();
  out->seal();
  return out;
}

// Pass 3.  Three streams in suffix order: the n-grams, the (n-1)-grams that end them, and the
// weights of those that are contexts.
template <size_t Limbs>
void DiskModel<Limbs>::interpolate_order(unsigned n, const ExternalSorter<Uninterpolated>& ngrams,
                                         const std::optional<io::TempFile>& weights,
                                         TickCounter& ticks) {
  scored_.emplace_back(folder_);
  io::RecordWriter<Scored> writer(scored_.back(), memory_ / 8);
  std::optional<io::RecordReader<Scored>> lower;
  Scored suffix{{}, 1.0f / static_cast<float>(counts_[0] - 1), 0};  // uniform, without <s>
  if (n > 1) {
    lower.emplace(scored_[n - 2], memory_ / 8);
    lower->next(suffix);
  }
  std::optional<io::RecordReader<Weight>> contexts;
  Weight context{};
  bool more = false;
  if (weights) {
    contexts.emplace(*weights, memory_ / 8);
    more = contexts->next(context);
  }
  auto merged = ngrams.merged(memory_ / 4);
  for (Uninterpolated ngram; merged.next(ngram); ticks()) {
    if (lower)
      for (const Key key = packing_.head(ngram.key, n - 1); suffix.key != key;) lower->next(suffix);
    while (more && context.key < ngram.key) more = contexts->next(context);
    const float backoff = more && context.key == ngram.key ? context.weight : 1.0f;
    writer.add({ngram.key, interpolate(ngram.prob, ngram.weight, suffix.prob), backoff});
  }
  writer.flush();
}

template <size_t Limbs>
void DiskModel<Limbs>::for_each_ngram_of(unsigned n, const Visit& visit) const {
  io::RecordReader<Scored> reader(scored_[n - 1], memory_ / 4);
  std::array<uint32_t, kEstimateOrder> words;
  for (Scored ngram; reader.next(ngram);) {
    for (unsigned i = 0; i < n; ++i) words[i] = packing_.word(ngram.key, n - 1 - i);
    visit({words.data(), n}, arpa_log(ngram.prob), arpa_log(ngram.backoff));
  }
}

}  // namespace

template <size_t Limbs>
std::unique_ptr<EstimatedModel> estimate_on_disk(
    std::unique_ptr<ExternalSorter<CountedNgram<Limbs>>> ngrams, text::Vocab vocab,
    const Pruning& pruning, const EstimateOptions& options, const NgramPacking& packing,
    const Tick& tick) {
  return std::make_unique<DiskModel<Limbs>>(std::move(ngrams), std::move(vocab), pruning, options,
                                            packing, tick);
}

#define DEMOTIC_INSTANTIATE(limbs)                                                       \
  template std::unique_ptr<EstimatedModel> estimate_on_disk<limbs>(                      \
      std::unique_ptr<ExternalSorter<CountedNgram<limbs>>>, text::Vocab, const Pruning&, \
      const EstimateOptions&, const NgramPacking&, const Tick&);
DEMOTIC_INSTANTIATE(1)
DEMOTIC_INSTANTIATE(2)
DEMOTIC_INSTANTIATE(3)
DEMOTIC_INSTANTIATE(4)
#undef DEMOTIC_INSTANTIATE

}  // namespace demotic::lm
