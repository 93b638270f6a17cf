#include "grammar/block_set.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <unordered_map>

#include "io/checksum.h"

namespace demotic {

namespace {

std::span<const uint32_t> words_at(const Array<uint32_t>& words, const Array<uint64_t>& ends,
                                   size_t i) {
  const uint64_t begin = i == 0 ? 0 : ends[i - 1];
  return words.view().subspan(begin, ends[i] - begin);
}

uint64_t word_pair(uint32_t source, uint32_t target) { return uint64_t{source} << 32 | target; }

}  // namespace

void BlockSet::add(std::span<const uint32_t> source, std::span<const uint32_t> target,
                   uint32_t sentence) {
  ++occurrences_;
  const uint64_t hash = mix64(checksum64(source.data(), source.size_bytes()) * 3 +
                              checksum64(target.data(), target.size_bytes()));
  if (rows_.size() * 2 >= slots_.size()) rehash(std::max<size_t>(1024, slots_.size() * 2));
  const size_t mask = slots_.size() - 1;
  size_t at = hash & mask;
  for (; slots_[at] != 0; at = (at + 1) & mask) {
    Row& row = rows_[slots_[at] - 1];
    if (row.hash != hash || !std::ranges::equal(source_of(row), source) ||
        !std::ranges::equal(target_of(row), target))
      continue;
    ++row.count;
    if (row.origins < kOrigins && row.origin[row.origins - 1] != sentence)
      row.origin[row.origins++] = sentence;
    return;
  }
  rows_.push_back({hash,
                   words_.size(),
                   1,
                   static_cast<uint16_t>(source.size()),
                   static_cast<uint16_t>(target.size()),
                   1,
                   {sentence, 0, 0}});
  words_.insert(words_.end(), source.begin(), source.end());
  words_.insert(words_.end(), target.begin(), target.end());
  slots_[at] = static_cast<uint32_t>(rows_.size());
}

void BlockSet::rehash(size_t slots) {
  slots_.assign(slots, 0);
  for (size_t i = 0; i < rows_.size(); ++i) {
    size_t at = rows_[i].hash & (slots - 1);
    while (slots_[at] != 0) at = (at + 1) & (slots - 1);
    slots_[at] = static_cast<uint32_t>(i + 1);
  }
}

BlockTable BlockSet::finish(const Vocab& source, const Vocab& target,
                            const BlockSetOptions& options) {
  slots_ = {};
  std::vector<uint32_t> order;
  for (uint32_t i = 0; i < rows_.size(); ++i) {
    const Row& row = rows_[i];
    if (row.count >= options.min_count || (row.source_size == 1 && row.target_size == 1))
      order.push_back(i);
  }
  if (order.empty())
    throw Error(Fault::argument, "no blocks were found", 0,
                "is the text aligned? give more sentence pairs");
  std::sort(order.begin(), order.end(), [&](uint32_t x, uint32_t y) {
    const Row& a = rows_[x];
    const Row& b = rows_[y];
    if (!std::ranges::equal(source_of(a), source_of(b)))
      return std::ranges::lexicographical_compare(source_of(a), source_of(b));
    if (a.count != b.count) return a.count > b.count;
    return std::ranges::lexicographical_compare(target_of(a), target_of(b));
  });

  const auto vocabs = std::make_shared<std::pair<Vocab, Vocab>>(source, target);
  std::vector<uint32_t> phrase_words, block_ends, target_words, count, origins;
  std::vector<uint64_t> phrase_ends, target_ends, origin_ends;
  BlockTotals totals;
  totals.lexical = options.lexical;
  const Row* last = nullptr;
  for (const uint32_t i : order) {
    const Row& row = rows_[i];
    if (last == nullptr || !std::ranges::equal(source_of(*last), source_of(row))) {
      if (last != nullptr) block_ends.push_back(static_cast<uint32_t>(count.size()));
      const auto words = source_of(row);
      phrase_words.insert(phrase_words.end(), words.begin(), words.end());
      phrase_ends.push_back(phrase_words.size());
    }
    last = &row;
    const auto words = target_of(row);
    target_words.insert(target_words.end(), words.begin(), words.end());
    target_ends.push_back(target_words.size());
    count.push_back(row.count);
    origins.insert(origins.end(), row.origin.begin(), row.origin.begin() + row.origins);
    origin_ends.push_back(origins.size());
    totals.count += row.count;
    totals.max_words = std::max<uint32_t>({totals.max_words, row.source_size, row.target_size});
  }
  block_ends.push_back(static_cast<uint32_t>(count.size()));
  rows_ = {};
  words_ = {};

  const size_t blocks = count.size();
  BlockTable::Parts parts{.source_vocab = vocabs->first.view(),
                          .target_vocab = vocabs->second.view(),
                          .vocab_owner = vocabs,
                          .phrase_words = Array<uint32_t>(std::move(phrase_words)),
                          .phrase_ends = Array<uint64_t>(std::move(phrase_ends)),
                          .block_ends = Array<uint32_t>(std::move(block_ends)),
                          .phrase_slots = {},
                          .target_words = Array<uint32_t>(std::move(target_words)),
                          .target_ends = Array<uint64_t>(std::move(target_ends)),
                          .count = Array<uint32_t>(std::move(count)),
                          .left = Array<uint32_t>(std::vector<uint32_t>(blocks, 0)),
                          .right = Array<uint32_t>(std::vector<uint32_t>(blocks, 0)),
                          .lexical = {},
                          .origins = Array<uint32_t>(std::move(origins)),
                          .origin_ends = Array<uint64_t>(std::move(origin_ends)),
                          .totals = totals};
  parts.phrase_slots = Array<uint32_t>(phrase_slots(parts));
  parts.lexical = Array<float>(lexical_costs(parts, options.lexical));
  parts.totals.fingerprint = fingerprint(parts);
  return BlockTable(std::move(parts));
}

std::vector<uint32_t> phrase_slots(const BlockTable::Parts& parts) {
  const size_t phrases = parts.phrase_ends.size();
  std::vector<uint32_t> slots(std::bit_ceil(std::max<size_t>(2, phrases * 2)), 0);
  const size_t mask = slots.size() - 1;
  for (size_t i = 0; i < phrases; ++i) {
    const auto words = words_at(parts.phrase_words, parts.phrase_ends, i);
    size_t at = checksum64(words.data(), words.size_bytes()) & mask;
    while (slots[at] != 0) at = (at + 1) & mask;
    slots[at] = static_cast<uint32_t>(i + 1);
  }
  return slots;
}

uint64_t fingerprint(const BlockTable::Parts& parts) {
  uint64_t sum = 0;
  const auto add = [&](const auto& values) {
    const auto view = values.view();
    sum = mix64(sum ^ checksum64(view.data(), view.size_bytes()));
  };
  add(parts.phrase_words);
  add(parts.phrase_ends);
  add(parts.block_ends);
  add(parts.target_words);
  add(parts.target_ends);
  add(parts.count);
  return sum;
}

// p(S|T) = prod_j (1 / N(s_j, T)) sum_i p(s_j|t_i), N(s_j, T) = #{i : p(s_j|t_i) > 0}
std::vector<float> lexical_costs(const BlockTable::Parts& parts, LexicalKind kind) {
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
  for (size_t p = 0; p < phrases; ++p) {
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
  return costs;
}

}  // namespace demotic
