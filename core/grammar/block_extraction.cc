#include "grammar/block_extraction.h"

#include <algorithm>
#include <array>
#include <vector>

#include "grammar/block_extract.h"
#include "parallel.h"

namespace demotic::grammar {

namespace {

constexpr size_t kChunk = 64;  // sentence pairs that one thread takes at a time

struct Place {
  uint32_t line;
  BlockPlace at;
};

// What a chunk of the text has, by the shard of the set that it goes to.
struct Found {
  std::array<std::vector<Place>, BlockSet::kShards> places;
  uint64_t skipped = 0;
};

std::span<const uint32_t> source_words(const text::TokenLines& source, const Place& place) {
  return source[place.line].subspan(place.at.source_begin,
                                    place.at.source_end - place.at.source_begin);
}

std::span<const uint32_t> target_words(const text::TokenLines& target, const Place& place) {
  return target[place.line].subspan(place.at.target_begin,
                                    place.at.target_end - place.at.target_begin);
}

}  // namespace

void BlockExtraction::run(const text::TokenLines& source, const text::TokenLines& target,
                          const align::Links& links, const align::Links* all, size_t begin,
                          size_t end, unsigned threads) {
  end = std::min({end, source.size(), target.size(), links.size()});
  if (begin >= end) return;
  threads = std::max(1u, threads);
  std::vector<Found> found((end - begin + kChunk - 1) / kChunk);
  std::vector<BlockExtractor> extractors(threads, BlockExtractor(max_words_));
  parallel_for(found.size(), threads, [&](size_t chunk, unsigned worker) {
    const size_t last = std::min(end, begin + (chunk + 1) * kChunk);
    for (size_t line = begin + chunk * kChunk; line < last; ++line) {
      const auto source_size = static_cast<uint32_t>(source[line].size());
      const auto target_size = static_cast<uint32_t>(target[line].size());
      if (source_size > longest_ || target_size > longest_) {
        ++found[chunk].skipped;
        continue;
      }
      BlockExtractor& extract = extractors[worker];
      for (const BlockPlace& at :
           all == nullptr ? extract(source_size, target_size, links[line])
                          : extract(source_size, target_size, links[line], (*all)[line])) {
        const Place place{static_cast<uint32_t>(line), at};
        found[chunk].places[BlockSet::shard_of(source_words(source, place))].push_back(place);
      }
    }
  });
  parallel_for(BlockSet::kShards, threads, [&](size_t number, unsigned) {
    const auto shard = static_cast<uint32_t>(number);
    for (const Found& chunk : found)
      for (const Place& place : chunk.places[shard])
        set_.add(shard, source_words(source, place), target_words(target, place), place.line);
  });
  for (const Found& chunk : found) skipped_ += chunk.skipped;
}

}  // namespace demotic::grammar
