#include "text/suffix_array.h"

#include "parallel.h"

namespace demotic::text {

namespace {

struct Keyed {
  uint64_t key;  // the next two words
  uint32_t place;

  bool operator<(const Keyed& other) const {
    return key != other.key ? key < other.key : place < other.place;
  }
};

// Sorts places that agree in `depth` words by those behind them.
void sort_behind(std::span<const uint32_t> words, std::span<uint32_t> places, uint32_t depth,
                 uint32_t limit) {
  if (places.size() < 2 || depth >= limit) return;
  std::vector<Keyed> keyed;
  keyed.reserve(places.size());
  for (const uint32_t place : places) {
    // What agrees so far has not ended yet: there is at least the end of its sentence.
    const uint64_t first = words[place + size_t{depth}];
    const uint64_t second = first == kEnd ? kEnd : words[place + size_t{depth} + 1];
    keyed.push_back({first << 32 | second, place});
  }
  std::sort(keyed.begin(), keyed.end());
  for (size_t i = 0; i < places.size(); ++i) places[i] = keyed[i].place;
  std::vector<size_t> ends;  // of those that agree in these words, too
  for (size_t i = 1; i <= keyed.size(); ++i)
    if (i == keyed.size() || keyed[i].key != keyed[i - 1].key) ends.push_back(i);
  const auto go_on = [&](size_t at) { return (keyed[at].key & UINT32_MAX) != kEnd; };
  std::vector<char> wanted;
  for (size_t i = 0; i < ends.size(); ++i) wanted.push_back(go_on(ends[i] - 1));
  keyed = {};
  for (size_t i = 0; i < ends.size(); ++i) {
    const size_t begin = i == 0 ? 0 : ends[i - 1];
    if (wanted[i]) sort_behind(words, places.subspan(begin, ends[i] - begin), depth + 2, limit);
  }
}

}  // namespace

std::vector<uint32_t> suffix_array(std::span<const uint32_t> words, uint32_t depth,
                                   unsigned threads) {
  const uint32_t most = words.empty() ? 0 : *std::max_element(words.begin(), words.end());
  std::vector<uint64_t> ends(size_t{most} + 2, 0);  // by word: behind its places
  for (const uint32_t word : words)
    if (word != kEnd) ++ends[word + size_t{1}];
  for (size_t word = 1; word < ends.size(); ++word) ends[word] += ends[word - 1];
  std::vector<uint32_t> places(ends.back());
  for (size_t place = 0; place < words.size(); ++place)
    if (words[place] != kEnd) places[ends[words[place]]++] = static_cast<uint32_t>(place);
  // Filling has moved each word's beginning to its end.
  constexpr size_t kChunk = 256;  // words
  parallel_for((ends.size() + kChunk - 1) / kChunk, threads, [&](size_t chunk, unsigned) {
    const size_t last = std::min(ends.size(), (chunk + 1) * kChunk);
    for (size_t word = std::max<size_t>(1, chunk * kChunk); word < last; ++word)
      sort_behind(words, std::span(places).subspan(ends[word - 1], ends[word] - ends[word - 1]), 1,
                  depth);
  });
  return places;
}

}  // namespace demotic::text
