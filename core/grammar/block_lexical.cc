#include "grammar/block_lexical.h"

#include <algorithm>
#include <cmath>
#include <unordered_map>

#include "parallel.h"

namespace demotic::grammar {

namespace {

constexpr size_t kChunk = 4096;  // source phrases that one thread takes at a time

uint64_t word_pair(uint32_t source, uint32_t target) { return uint64_t{source} << 32 | target; }

}  // namespace

std::vector<float> lexical_costs(const BlockTable& table, unsigned threads) {
  const LexicalKind kind = table.totals().lexical;
  const auto each_word_pair = [&](auto&& visit) {
    for (uint32_t p = 0; p < table.phrases(); ++p) {
      const auto source = table.source(p);
      if (source.size() != 1) continue;
      for (const uint32_t b : table.blocks_of(p))
        if (const auto target = table.target(b); target.size() == 1)
          visit(source[0], target[0], table.count(b));
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

  std::vector<float> costs(table.blocks(), 0.0f);
  parallel_for((table.phrases() + kChunk - 1) / kChunk, threads, [&](size_t chunk, unsigned) {
    const auto end = static_cast<uint32_t>(std::min<size_t>(table.phrases(), (chunk + 1) * kChunk));
    for (auto p = static_cast<uint32_t>(chunk * kChunk); p < end; ++p) {
      for (const uint32_t b : table.blocks_of(p)) {
        double cost = 0.0;
        for (const uint32_t s : table.source(p)) {
          double sum = 0.0;
          uint32_t possible = 0;
          for (const uint32_t t : table.target(b))
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
