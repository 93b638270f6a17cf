#include "grammar/block_set.h"

#include <algorithm>
#include <bit>

#include "grammar/block_lexical.h"
#include "io/checksum.h"
#include "parallel.h"

namespace demotic::grammar {

uint32_t BlockSet::shard_of(std::span<const uint32_t> source) {
  return static_cast<uint32_t>(io::checksum64(source.data(), source.size_bytes()) >> 32) % kShards;
}

void BlockSet::add(uint32_t shard, std::span<const uint32_t> source,
                   std::span<const uint32_t> target, uint32_t sentence) {
  shards_[shard].add(source, target, sentence);
}

void BlockSet::Shard::add(std::span<const uint32_t> source, std::span<const uint32_t> target,
                          uint32_t sentence) {
  ++occurrences;
  const uint64_t hash = io::mix64(io::checksum64(source.data(), source.size_bytes()) * 3 +
                                  io::checksum64(target.data(), target.size_bytes()));
  const auto next = static_cast<uint32_t>(rows.size());
  const uint32_t number = index.find_or_add(hash, next, [&](uint32_t i) {
    return std::ranges::equal(source_of(rows[i]), source) &&
           std::ranges::equal(target_of(rows[i]), target);
  });
  if (number != next) {
    Row& row = rows[number];
    ++row.count;
    if (row.origins < kOrigins && row.origin[row.origins - 1] != sentence)
      row.origin[row.origins++] = sentence;
    return;
  }
  rows.push_back({words.size(),
                  1,
                  static_cast<uint16_t>(source.size()),
                  static_cast<uint16_t>(target.size()),
                  1,
                  {sentence, 0, 0}});
  words.insert(words.end(), source.begin(), source.end());
  words.insert(words.end(), target.begin(), target.end());
}

// Drop what is too rare; sort by source phrase, then by count, then by target phrase.
void BlockSet::Shard::sort(const BlockSetOptions& options) {
  const auto is_rare = [&](uint32_t i) {
    const Row& row = rows[i];
    return row.count < options.min_count && (row.source_size != 1 || row.target_size != 1);
  };
  index = {};
  order.clear();
  for (uint32_t i = 0; i < rows.size(); ++i)
    if (options.keep_lone || !is_rare(i)) order.push_back(i);
  std::sort(order.begin(), order.end(), [&](uint32_t x, uint32_t y) {
    const Row& a = rows[x];
    const Row& b = rows[y];
    if (!std::ranges::equal(source_of(a), source_of(b)))
      return std::ranges::lexicographical_compare(source_of(a), source_of(b));
    if (a.count != b.count) return a.count > b.count;
    return std::ranges::lexicographical_compare(target_of(a), target_of(b));
  });
  if (!options.keep_lone) return;
  std::vector<uint32_t> kept;
  const auto same_phrase = [&](size_t x, size_t y) {
    return std::ranges::equal(source_of(rows[order[x]]), source_of(rows[order[y]]));
  };
  for (size_t i = 0; i < order.size(); ++i) {
    const bool has_rivals =
        (i > 0 && same_phrase(i - 1, i)) || (i + 1 < order.size() && same_phrase(i, i + 1));
    if (!has_rivals || !is_rare(order[i])) kept.push_back(order[i]);
  }
  order = std::move(kept);
}

uint64_t BlockSet::occurrences() const {
  uint64_t sum = 0;
  for (const Shard& shard : shards_) sum += shard.occurrences;
  return sum;
}

BlockTable BlockSet::finish(const text::Vocab& source, const text::Vocab& target,
                            const BlockSetOptions& options, unsigned threads) {
  parallel_for(kShards, threads, [&](size_t shard, unsigned) { shards_[shard].sort(options); });
  size_t blocks = 0, target_size = 0, origin_count = 0;
  for (const Shard& shard : shards_) {
    blocks += shard.order.size();
    for (const uint32_t i : shard.order) {
      target_size += shard.rows[i].target_size;
      origin_count += shard.rows[i].origins;
    }
  }
  if (blocks == 0)
    throw io::Error(io::Fault::argument, "no blocks were found", 0,
                    "is the text aligned? give more sentence pairs");
  if (blocks >= kBeginBlock)
    throw io::Error(io::Fault::argument, "more than four billion blocks", 0, "use less text");

  const auto vocabs = std::make_shared<std::pair<text::Vocab, text::Vocab>>(source, target);
  std::vector<uint32_t> phrase_words, block_ends, target_words, count, origins;
  std::vector<uint64_t> phrase_ends, target_ends, origin_ends;
  target_words.reserve(target_size);
  target_ends.reserve(blocks);
  count.reserve(blocks);
  origins.reserve(origin_count);
  origin_ends.reserve(blocks);
  BlockTotals totals;
  totals.lexical = options.lexical;
  // The blocks of a source phrase are in one shard: phrases are merged.
  std::array<size_t, kShards> next{};
  const auto head = [&](uint32_t s) {
    const Shard& shard = shards_[s];
    return shard.source_of(shard.rows[shard.order[next[s]]]);
  };
  const auto later = [&](uint32_t x, uint32_t y) {
    return std::ranges::lexicographical_compare(head(y), head(x));
  };
  std::vector<uint32_t> heap;
  for (uint32_t s = 0; s < kShards; ++s)
    if (!shards_[s].order.empty()) heap.push_back(s);
  std::make_heap(heap.begin(), heap.end(), later);
  while (!heap.empty()) {
    std::pop_heap(heap.begin(), heap.end(), later);
    const uint32_t s = heap.back();
    heap.pop_back();
    Shard& shard = shards_[s];
    const std::span<const uint32_t> phrase = head(s);
    phrase_words.insert(phrase_words.end(), phrase.begin(), phrase.end());
    phrase_ends.push_back(phrase_words.size());
    for (; next[s] < shard.order.size() && std::ranges::equal(head(s), phrase); ++next[s]) {
      const Row& row = shard.rows[shard.order[next[s]]];
      const auto words = shard.target_of(row);
      target_words.insert(target_words.end(), words.begin(), words.end());
      target_ends.push_back(target_words.size());
      count.push_back(row.count);
      origins.insert(origins.end(), row.origin.begin(), row.origin.begin() + row.origins);
      origin_ends.push_back(origins.size());
      totals.count += row.count;
      totals.max_words = std::max<uint32_t>({totals.max_words, row.source_size, row.target_size});
    }
    block_ends.push_back(static_cast<uint32_t>(count.size()));
    if (next[s] == shard.order.size()) {
      shard = {};
    } else {
      heap.push_back(s);
      std::push_heap(heap.begin(), heap.end(), later);
    }
  }

  BlockTable::Parts parts{.source_vocab = vocabs->first.view(),
                          .target_vocab = vocabs->second.view(),
                          .vocab_owner = vocabs,
                          .phrase_words = io::Array<uint32_t>(std::move(phrase_words)),
                          .phrase_ends = io::Array<uint64_t>(std::move(phrase_ends)),
                          .block_ends = io::Array<uint32_t>(std::move(block_ends)),
                          .phrase_slots = {},
                          .target_words = io::Array<uint32_t>(std::move(target_words)),
                          .target_ends = io::Array<uint64_t>(std::move(target_ends)),
                          .count = io::Array<uint32_t>(std::move(count)),
                          .left = io::Array<uint32_t>(std::vector<uint32_t>(blocks, 0)),
                          .right = io::Array<uint32_t>(std::vector<uint32_t>(blocks, 0)),
                          .lexical = io::Array<float>(std::vector<float>(blocks, 0.0f)),
                          .origins = io::Array<uint32_t>(std::move(origins)),
                          .origin_ends = io::Array<uint64_t>(std::move(origin_ends)),
                          .totals = totals};
  parts.phrase_slots = io::Array<uint32_t>(phrase_slots(parts));
  parts.lexical = io::Array<float>(lexical_costs(BlockTable(parts), threads));
  parts.totals.fingerprint = fingerprint(parts);
  return BlockTable(std::move(parts));
}

std::vector<uint32_t> phrase_slots(const BlockTable::Parts& parts) {
  const size_t phrases = parts.phrase_ends.size();
  std::vector<uint32_t> slots(std::bit_ceil(std::max<size_t>(2, phrases * 2)), 0);
  for (uint32_t i = 0; i < phrases; ++i) {
    const auto words = io::row_until(parts.phrase_words.view(), parts.phrase_ends, i);
    put_number(slots, BlockTable::hash_of_phrase(words), i);
  }
  return slots;
}

uint64_t fingerprint(const BlockTable::Parts& parts) {
  uint64_t sum = 0;
  const auto add = [&](const auto& values) {
    const auto view = values.view();
    sum = io::mix64(sum ^ io::checksum64(view.data(), view.size_bytes()));
  };
  add(parts.phrase_words);
  add(parts.phrase_ends);
  add(parts.block_ends);
  add(parts.target_words);
  add(parts.target_ends);
  add(parts.count);
  return sum;
}

}  // namespace demotic::grammar
