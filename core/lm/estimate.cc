#include "lm/estimate.h"

#include <algorithm>
#include <numeric>

#include "io/error.h"
#include "lm/estimate_disk.h"
#include "lm/estimate_memory.h"

namespace demotic::lm {

Pruning::Pruning(const EstimateOptions& options, const std::vector<uint64_t>& frequencies)
    : thresholds_(options.prune) {
  if (thresholds_.size() > options.order)
    throw io::Error(io::Fault::argument, "more pruning thresholds than orders");
  if (!std::is_sorted(thresholds_.begin(), thresholds_.end()))
    throw io::Error(io::Fault::argument, "pruning thresholds fall", 0,
                    "a longer n-gram needs the shorter ones: give thresholds that never fall");
  thresholds_.resize(options.order, thresholds_.empty() ? 0 : thresholds_.back());
  active_ = thresholds_.back() > 0;
  const size_t words = frequencies.size() - (kEnd + 1);
  if (options.vocab_limit == 0 || options.vocab_limit >= words) return;
  std::vector<uint32_t> by_frequency(words);
  std::iota(by_frequency.begin(), by_frequency.end(), kEnd + 1);
  std::stable_sort(by_frequency.begin(), by_frequency.end(),
                   [&](uint32_t a, uint32_t b) { return frequencies[a] > frequencies[b]; });
  banned_.assign(frequencies.size(), false);
  for (size_t i = options.vocab_limit; i < words; ++i) banned_[by_frequency[i]] = true;
  active_ = true;
}

void EstimatedModel::play(NgramSink& sink, const Tick& tick) const {
  sink.begin(counts_, Counts::exact);
  std::vector<uint32_t> renumbered(vocab_.size(), 0);  // words that were pruned leave no gap
  uint32_t next = 0;
  for (uint32_t id = 0; id < vocab_.size(); ++id) {
    if (!kept_words_[id]) continue;
    renumbered[id] = next++;
    sink.word(vocab_.word(id));
  }
  TickCounter ticks(tick);
  std::array<uint32_t, kEstimateOrder> ids;
  const Visit visit = [&](std::span<const uint32_t> words, float prob, float backoff) {
    for (size_t i = 0; i < words.size(); ++i) ids[i] = renumbered[words[i]];
    sink.ngram({ids.data(), words.size()}, prob, backoff);
    ticks();
  };
  for (unsigned order = 1; order <= this->order(); ++order) for_each_ngram_of(order, visit);
  sink.end();
  ticks.report();
}

namespace {

// How many n-grams of each order the sorted n-grams of the highest order contain; last, how many of
// these are distinct (some only fill up the beginning of a sentence).
template <size_t Limbs>
std::vector<uint64_t> count_nodes(const std::vector<PackedNgram<Limbs>>& sorted,
                                  const NgramPacking& packing) {
  std::vector<uint64_t> nodes(packing.order() + 1, 0);
  nodes[0] = 2;  // <unk> and <s>
  for (size_t i = 0; i < sorted.size(); ++i) {
    const unsigned same = i == 0 ? 0 : packing.common(sorted[i], sorted[i - 1], packing.order());
    nodes.back() += same < packing.order();
    for (unsigned k = same; k < packing.order(); ++k) {
      ++nodes[k];
      if (packing.word(sorted[i], k) == kBegin) break;
    }
  }
  return nodes;
}

// Calls each(n-gram with its count) for runs of equal keys.
template <size_t Limbs, class Each>
void for_each_distinct(const std::vector<PackedNgram<Limbs>>& sorted, Each&& each) {
  for (size_t i = 0, j; i < sorted.size(); i = j) {
    for (j = i + 1; j < sorted.size() && sorted[j] == sorted[i];) ++j;
    each(CountedNgram<Limbs>{sorted[i], j - i});
  }
}

template <size_t Limbs>
std::unique_ptr<EstimatedModel> estimate_packed(TrainingText text, const EstimateOptions& options,
                                                const NgramPacking& packing, const Tick& tick) {
  using Key = PackedNgram<Limbs>;
  using Counted = CountedNgram<Limbs>;
  const Pruning pruning(options, text.frequencies());
  const auto pack = [&](std::span<const uint32_t> ngram) {
    Key key{};
    for (unsigned i = 0; i < packing.order(); ++i)
      packing.set(key, i, ngram[packing.order() - 1 - i]);
    return key;
  };
  auto sorter = std::make_unique<ExternalSorter<Counted>>(options.folder, packing, packing.order(),
                                                          options.memory / 2, options.threads);
  const uint64_t sorting = text.size() * (sizeof(uint32_t) + 2 * sizeof(Key));
  if (sorting <= options.memory && text.size() < UINT32_MAX) {
    std::vector<Key> keys, scratch;
    keys.reserve(text.size());
    for_each_ngram(text, packing.order(), [&](auto ngram) { keys.push_back(pack(ngram)); });
    text.forget();
    radix_sort(keys, scratch, packing, packing.order(), options.threads);
    std::vector<Key>().swap(scratch);
    if (tick) tick(0);
    std::vector<uint64_t> nodes = count_nodes(keys, packing);
    const uint64_t distinct = nodes.back();
    nodes.pop_back();
    if (keys.size() * sizeof(Key) + distinct * sizeof(Counted) <= options.memory &&
        distinct * sizeof(Counted) + trie_bytes(nodes) <= options.memory) {
      std::vector<Counted> ngrams;
      ngrams.reserve(distinct);
      for_each_distinct(keys, [&](const Counted& ngram) { ngrams.push_back(ngram); });
      std::vector<Key>().swap(keys);
      return estimate_in_memory<Limbs>(std::move(ngrams), text.take_vocab(), pruning, options,
                                       packing, tick);
    }
    for_each_distinct(keys, [&](const Counted& ngram) { sorter->add(ngram); });
  } else {
    TickCounter ticks(tick);
    for_each_ngram(text, packing.order(), [&](auto ngram) {
      sorter->add({pack(ngram), 1});
      ticks();
    });
    text.forget();
  }
  sorter->seal();
  return estimate_on_disk<Limbs>(std::move(sorter), text.take_vocab(), pruning, options, packing,
                                 tick);
}

}  // namespace

std::unique_ptr<EstimatedModel> estimate(TrainingText text, const EstimateOptions& options,
                                         const Tick& tick) {
  if (options.order < 1 || options.order > kEstimateOrder)
    throw io::Error(io::Fault::argument, "order must be 1 to 8");
  if (text.words() == 0) throw io::Error(io::Fault::format, "the text has no words");
  const NgramPacking packing(text.vocab().size(), options.order);
  switch (packing.limbs()) {
    case 1:
      return estimate_packed<1>(std::move(text), options, packing, tick);
    case 2:
      return estimate_packed<2>(std::move(text), options, packing, tick);
    case 3:
      return estimate_packed<3>(std::move(text), options, packing, tick);
    default:
      return estimate_packed<4>(std::move(text), options, packing, tick);
  }
}

}  // namespace demotic::lm
