#include "lm/estimate_memory.h"

#include <span>

namespace demotic::lm {
namespace {

constexpr size_t kChunk = 4096;

class MemoryModel final : public EstimatedModel {
 public:
  template <size_t Limbs>
  MemoryModel(std::vector<CountedNgram<Limbs>> ngrams, text::Vocab vocab, const Pruning& pruning,
              const EstimateOptions& options, const NgramPacking& packing, const Tick& tick)
      : levels_(options.order), threads_(options.threads) {
    vocab_ = std::move(vocab);
    counts_.resize(options.order);
    build(ngrams, pruning, packing);
    std::vector<CountedNgram<Limbs>>().swap(ngrams);
    count_kept(pruning);
    for (unsigned k = 0; k < levels_.size(); ++k) {
      CountsOfCounts seen;
      for (const uint32_t count : levels_[k].count) seen.add(count);
      discounts_.push_back(estimate_discounts(seen, k + 1, options.discount_fallback));
    }
    TickCounter ticks(tick);
    score_unigrams();
    for (unsigned k = 1; k < levels_.size(); ++k) {
      find_contexts(k);
      score(k);
      to_logarithms(levels_[k - 1]);
      ticks.add(levels_[k].size());
    }
    levels_.back().backoff.assign(levels_.back().size(), 1);
    to_logarithms(levels_.back());
    for (TrieLevel& level : levels_) {
      std::vector<uint32_t>().swap(level.count);
      std::vector<uint32_t>().swap(level.context);
    }
    ticks.report();
  }

 private:
  template <size_t Limbs>
  void build(const std::vector<CountedNgram<Limbs>>& ngrams, const Pruning& pruning,
             const NgramPacking& packing);
  void count_kept(const Pruning& pruning);
  void score_unigrams();
  void find_contexts(unsigned k);
  void score(unsigned k);
  void to_logarithms(TrieLevel& level);
  void for_each_ngram_of(unsigned order, const Visit& visit) const override;

  bool kept(const TrieLevel& level, size_t node) const {
    return level.pruned.empty() || !level.pruned[node];
  }
  size_t chunks(size_t size) const { return (size + kChunk - 1) / kChunk; }

  std::vector<TrieLevel> levels_;           // levels_[k] holds the (k+1)-grams
  std::vector<std::vector<uint32_t>> raw_;  // raw counts, when something may be pruned
  unsigned threads_;
};

// The unigram level is dense: node = word id, with <unk> and <s> that end no n-gram of the text.
template <size_t Limbs>
void MemoryModel::build(const std::vector<CountedNgram<Limbs>>& ngrams, const Pruning& pruning,
                        const NgramPacking& packing) {
  const unsigned order = static_cast<unsigned>(levels_.size());
  if (pruning.active()) raw_.resize(order);
  const auto open = [&](unsigned k, uint32_t word, bool allowed) {
    TrieLevel& level = levels_[k];
    level.word.push_back(word);
    level.count.push_back(0);
    if (k + 1 < order) level.first_child.push_back(static_cast<uint32_t>(levels_[k + 1].size()));
    if (pruning.active()) {
      raw_[k].push_back(0);
      level.pruned.push_back(!allowed);
    }
  };
  open(0, text::kUnknown, true);
  open(0, kBegin, true);
  std::array<bool, kEstimateOrder + 1> allowed;  // whether the last k words of the n-gram all are
  allowed[0] = true;
  const CountedNgram<Limbs>* previous = nullptr;
  for (const CountedNgram<Limbs>& ngram : ngrams) {
    const unsigned same = previous ? packing.common(ngram.key, previous->key, order) : 0;
    previous = &ngram;
    const auto raw = static_cast<uint32_t>(ngram.count);
    for (unsigned k = 0; k < order; ++k) {
      const uint32_t word = packing.word(ngram.key, k);
      if (k >= same) {
        allowed[k + 1] = allowed[k] && pruning.word_allowed(word);
        open(k, word, allowed[k + 1]);
        // Each first word is one more continuation of the n-gram behind it.
        if (k > 0) ++levels_[k - 1].count.back();
      }
      if (pruning.active()) raw_[k].back() += raw;
      // n-grams that begin a sentence, and the longest ones, have their raw counts.
      if (k + 1 == order || word == kBegin) {
        levels_[k].count.back() = raw;
        break;
      }
    }
  }
  for (unsigned k = 0; k + 1 < order; ++k)
    levels_[k].first_child.push_back(static_cast<uint32_t>(levels_[k + 1].size()));
}

void MemoryModel::count_kept(const Pruning& pruning) {
  for (unsigned k = 0; k < levels_.size(); ++k) {
    TrieLevel& level = levels_[k];
    counts_[k] = level.size();
    for (size_t node = 0; node < level.pruned.size(); ++node) {
      const bool stays = k == 0 && node <= kEnd
                             ? true
                             : !level.pruned[node] && pruning.frequent(k + 1, raw_[k][node]);
      level.pruned[node] = !stays;
      if (!stays) --counts_[k];
    }
  }
  raw_.clear();
  kept_words_.resize(vocab_.size());
  for (size_t word = 0; word < kept_words_.size(); ++word)
    kept_words_[word] = kept(levels_[0], word);
}

void MemoryModel::score_unigrams() {
  TrieLevel& level = levels_[0];
  ContextSum sum;
  for (size_t word = 0; word < level.size(); ++word) sum.add(level.count[word], kept(level, word));
  const float weight = interpolation_weight(discounts_[0], sum);
  const float uniform = 1.0f / static_cast<float>(counts_[0] - 1);  // <s> is never predicted
  level.prob.resize(level.size());
  for (size_t word = 0; word < level.size(); ++word)
    level.prob[word] =
        interpolate(uninterpolated(level.count[word], discounts_[0], sum), weight, uniform);
  level.prob[kBegin] = 1;
}

// The first position from `from` on whose word is not less; near ones are found fastest.
size_t gallop(const std::vector<uint32_t>& words, size_t from, size_t end, uint32_t word) {
  size_t step = 1, low = from;
  while (low + step < end && words[low + step] < word) {
    low += step;
    step *= 2;
  }
  return static_cast<size_t>(
      std::lower_bound(words.begin() + static_cast<ptrdiff_t>(low),
                       words.begin() + static_cast<ptrdiff_t>(std::min(end, low + step + 1)),
                       word) -
      words.begin());
}

void MemoryModel::find_contexts(unsigned k) {
  TrieLevel& level = levels_[k];
  const TrieLevel& below = levels_[k - 1];
  if (k == 1) {
    level.context = level.word;
    return;
  }
  const TrieLevel& two_below = levels_[k - 2];
  level.context.resize(level.size());
  parallel_for(chunks(below.size()), threads_, [&](size_t chunk, unsigned) {
    const size_t last = std::min(below.size(), (chunk + 1) * kChunk);
    for (size_t parent = chunk * kChunk; parent < last; ++parent) {
      const size_t begin = below.first_child[parent], end = below.first_child[parent + 1];
      if (begin == end) continue;
      size_t at = two_below.first_child[below.context[parent]];
      const size_t candidates_end = two_below.first_child[below.context[parent] + 1];
      for (size_t node = begin; node < end; ++node) {
        at = gallop(below.word, at, candidates_end, level.word[node]);
        level.context[node] = static_cast<uint32_t>(at);
      }
    }
  });
}

void MemoryModel::score(unsigned k) {
  TrieLevel& level = levels_[k];
  TrieLevel& below = levels_[k - 1];
  std::vector<ContextSum> sums(below.size());
  for (size_t node = 0; node < level.size(); ++node)
    sums[level.context[node]].add(level.count[node], kept(level, node));
  below.backoff.resize(below.size());
  parallel_for(chunks(below.size()), threads_, [&](size_t chunk, unsigned) {
    const size_t last = std::min(below.size(), (chunk + 1) * kChunk);
    for (size_t node = chunk * kChunk; node < last; ++node)
      below.backoff[node] =
          sums[node].total == 0 ? 1.0f : interpolation_weight(discounts_[k], sums[node]);
  });
  level.prob.resize(level.size());
  parallel_for(chunks(below.size()), threads_, [&](size_t chunk, unsigned) {
    const size_t last = std::min(below.size(), (chunk + 1) * kChunk);
    for (size_t parent = chunk * kChunk; parent < last; ++parent) {
      for (size_t node = below.first_child[parent]; node < below.first_child[parent + 1]; ++node) {
        const uint32_t context = level.context[node];
        level.prob[node] =
            interpolate(uninterpolated(level.count[node], discounts_[k], sums[context]),
                        below.backoff[context], below.prob[parent]);
      }
    }
  });
}

void MemoryModel::to_logarithms(TrieLevel& level) {
  parallel_for(chunks(level.size()), threads_, [&](size_t chunk, unsigned) {
    const size_t last = std::min(level.size(), (chunk + 1) * kChunk);
    for (size_t node = chunk * kChunk; node < last; ++node) {
      level.prob[node] = arpa_log(level.prob[node]);
      level.backoff[node] = arpa_log(level.backoff[node]);
    }
  });
}

void MemoryModel::for_each_ngram_of(unsigned order, const Visit& visit) const {
  const TrieLevel& level = levels_[order - 1];
  std::array<size_t, kEstimateOrder> path{};  // path[k]: the node of level k above the current one
  std::array<uint32_t, kEstimateOrder> words{};
  for (size_t node = 0; node < level.size(); ++node) {
    size_t child = node;
    for (unsigned k = order - 1; k-- > 0;) {
      const TrieLevel& above = levels_[k];
      const size_t before = path[k];
      while (above.first_child[path[k] + 1] <= child) ++path[k];
      if (path[k] == before && node > 0) break;
      words[order - 1 - k] = above.word[path[k]];
      child = path[k];
    }
    words[0] = level.word[node];
    if (kept(level, node)) visit({words.data(), order}, level.prob[node], level.backoff[node]);
  }
}

}  // namespace

uint64_t trie_bytes(const std::vector<uint64_t>& nodes) {
  uint64_t all = 0, largest_context = 0;
  for (size_t k = 0; k < nodes.size(); ++k) {
    all += nodes[k] * (6 * sizeof(uint32_t) + 1);
    if (k + 1 < nodes.size()) largest_context = std::max(largest_context, nodes[k]);
  }
  return all + largest_context * sizeof(ContextSum);
}

template <size_t Limbs>
std::unique_ptr<EstimatedModel> estimate_in_memory(std::vector<CountedNgram<Limbs>> ngrams,
                                                   text::Vocab vocab, const Pruning& pruning,
                                                   const EstimateOptions& options,
                                                   const NgramPacking& packing, const Tick& tick) {
  return std::make_unique<MemoryModel>(std::move(ngrams), std::move(vocab), pruning, options,
                                       packing, tick);
}

#define DEMOTIC_INSTANTIATE(limbs)                                                           \
  template std::unique_ptr<EstimatedModel> estimate_in_memory<limbs>(                        \
      std::vector<CountedNgram<limbs>>, text::Vocab, const Pruning&, const EstimateOptions&, \
      const NgramPacking&, const Tick&);
DEMOTIC_INSTANTIATE(1)
DEMOTIC_INSTANTIATE(2)
DEMOTIC_INSTANTIATE(3)
DEMOTIC_INSTANTIATE(4)
#undef DEMOTIC_INSTANTIATE

}  // namespace demotic::lm
