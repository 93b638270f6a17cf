#include "grammar/block_lexical.h"

#include <algorithm>
#include <cmath>
#include <unordered_map>

#include "parallel.h"

namespace demotic::grammar {

namespace {

constexpr size_t kChunk = 4096;  // source phrases that one thread takes at a time

std::span<const uint32_t> words_at(const io::Array<uint32_t>& words,
                                   const io::Array<uint64_t>& ends, size_t i) {
  const uint64_t begin = i == 0 ? 0 : ends[i - 1];
  return words.view().subspan(begin, ends[i] - begin);
}

uint64_t word_pair(uint32_t source, uint32_t target) { return uint64_t{source} << 32 | target; }

}  // namespace

std::vector<float> lexical_costs(const BlockTable::Parts& parts, LexicalKind kind,
                                 unsigned threads) {
  const size_t phrases = parts.phrase_ends.size();
  const auto each_word_pair = [&](auto&& visit) {
    for (size_t p = 0; p < phrases; ++p) {
      const auto source = words_at(parts.phrase_words, parts.phrase_ends, p);
      if (source.size() != 1) continue;
      for (uint32_t b = p == 0 ? 0 : parts.block_ends[p - 1]; b < parts.block_ends[p]; ++b) {
        const auto target = words_at(parts.target_words, parts.target_ends, b);
        if (target.size() == 1) visit(source[0], target[0], parts.count[b]);
      }
    }
  };
  std::unordered_map<uint32_t, double> totals;  // by source word, or by target word
  each_word_pair([&](uint32_t s, uint32_t t, uint32_t count) {
    totals[kind == LexicalKind::literal ? s : t] += count;
  });
  std::unordered_map<uint64_t, double> probability;  // p(s|t)
  each_word_pair([&](uint32_t s, uint32_t t, uint32_t count) {
    probability[word_pair(s, t)] = count / totals[kind == LexicalKind::literal ? s : t];
  });

  std::vector<float> costs(parts.count.size(), 0.0f);
  parallel_for((phrases + kChunk - 1) / kChunk, threads, [&](size_t chunk, unsigned) {
    const size_t end = std::min(phrases, (chunk + 1) * kChunk);
    for (size_t p = chunk * kChunk; p < end; ++p) {
      const auto source = words_at(parts.phrase_words, parts.phrase_ends, p);
      for (uint32_t b = p == 0 ? 0 : parts.block_ends[p - 1]; b < parts.block_ends[p]; ++b) {
        double cost = 0.0;
        for (const uint32_t s : source) {
          double sum = 0.0;
          uint32_t possible = 0;
          for (const uint32_t t : words_at(parts.target_words, parts.target_ends, b))
            if (const auto hit = probability.find(word_pair(s, t)); hit != probability.end()) {
              sum += hit->second;
              ++possible;
            }
          cost -= std::log(possible == 0 ? kFloor : sum / possible);
        }
        costs[b] = static_cast<float>(cost);
      }
    }
  });
  return costs;
}

}  // namespace demotic::grammar
