#include "align/cooccurrence.h"

#include <algorithm>

#include "io/error.h"
#include "parallel.h"

namespace demotic::align {

namespace {

constexpr size_t kRowsPerChunk = 256;

// Where a source word stands: the pairs and positions of its occurrences, word by word.
struct Occurrence {
  uint32_t pair;
  uint32_t position;
};

struct Occurrences {
  std::vector<uint64_t> ends;
  std::vector<Occurrence> places;

  std::span<const Occurrence> of(uint32_t word) const {
    const uint64_t begin = word == 0 ? 0 : ends[word - 1];
    return {places.data() + begin, ends[word] - begin};
  }
};

Occurrences locate(const text::TokenLines& source, const std::vector<uint64_t>& pair_ends,
                   uint32_t words) {
  const auto usable = [&](size_t pair) {
    return pair_ends[pair] > (pair == 0 ? 0 : pair_ends[pair - 1]);
  };
  Occurrences found;
  found.ends.assign(words, 0);
  for (size_t pair = 0; pair < source.size(); ++pair)
    if (usable(pair))
      for (const uint32_t word : source[pair]) ++found.ends[word];
  uint64_t total = 0;
  std::vector<uint64_t> next(words);
  for (uint32_t word = 0; word < words; ++word) {
    next[word] = total;
    total += found.ends[word];
    found.ends[word] = total;
  }
  found.places.resize(total);
  for (size_t pair = 0; pair < source.size(); ++pair) {
    if (!usable(pair)) continue;
    const auto line = source[pair];
    for (uint32_t i = 0; i < line.size(); ++i)
      found.places[next[line[i]]++] = {static_cast<uint32_t>(pair), i};
  }
  return found;
}

// Marks of target words, cleared by moving on to the next row's stamp.
struct Marks {
  std::vector<uint32_t> stamp, cell;
  std::vector<uint32_t> row;
};

void collect_row(std::span<const Occurrence> places, const text::TokenLines& target, uint32_t stamp,
                 Marks& marks) {
  marks.row.clear();
  for (const Occurrence& place : places) {
    for (const uint32_t word : target[place.pair]) {
      if (marks.stamp[word] == stamp) continue;
      marks.stamp[word] = stamp;
      marks.row.push_back(word);
    }
  }
}

}  // namespace

Cooccurrence::Cooccurrence(const text::TokenLines& source, const text::TokenLines& target,
                           uint32_t words, uint32_t max_length, unsigned threads) {
  pair_ends_.resize(source.size());
  uint64_t total = 0;
  for (size_t pair = 0; pair < source.size(); ++pair) {
    const size_t longest = std::max(source[pair].size(), target[pair].size());
    if (longest <= max_length) total += source[pair].size() * target[pair].size();
    pair_ends_[pair] = total;
  }
  index_.resize(total);
  const Occurrences found = locate(source, pair_ends_, words);

  // The rows of a chunk are collected and numbered from 0; their place among all rows is known
  // when every chunk is done.
  const size_t chunks = (words + kRowsPerChunk - 1) / kRowsPerChunk;
  std::vector<std::vector<uint32_t>> parts(chunks);
  std::vector<Marks> marks(std::max(threads, 1u));
  row_ends_.assign(words, 0);
  parallel_for(chunks, threads, [&](size_t chunk, unsigned worker) {
    Marks& mine = marks[worker];
    mine.stamp.resize(words, 0);
    mine.cell.resize(words);
    const size_t end = std::min<size_t>(words, (chunk + 1) * kRowsPerChunk);
    for (auto word = static_cast<uint32_t>(chunk * kRowsPerChunk); word < end; ++word) {
      const auto places = found.of(word);
      collect_row(places, target, word + 1, mine);
      std::sort(mine.row.begin(), mine.row.end());
      for (const uint32_t met : mine.row) {
        mine.cell[met] = static_cast<uint32_t>(parts[chunk].size());
        parts[chunk].push_back(met);
      }
      row_ends_[word] = static_cast<uint32_t>(parts[chunk].size());
      for (const Occurrence& place : places) {
        const auto line = target[place.pair];
        const uint64_t pair_begin = place.pair == 0 ? 0 : pair_ends_[place.pair - 1];
        uint32_t* cells = index_.data() + pair_begin + place.position * line.size();
        for (size_t j = 0; j < line.size(); ++j) cells[j] = mine.cell[line[j]];
      }
    }
  });

  std::vector<uint32_t> base(chunks);
  uint64_t cells = 0;
  for (size_t chunk = 0; chunk < chunks; ++chunk) {
    base[chunk] = static_cast<uint32_t>(cells);
    cells += parts[chunk].size();
    if (cells >= UINT32_MAX)
      throw io::Error(io::Fault::argument,
                      "the corpus has more than 4 billion different word pairs", 0,
                      "align it in parts");
  }
  targets_.reserve(cells);
  for (auto& part : parts) {
    targets_.insert(targets_.end(), part.begin(), part.end());
    part = {};
  }
  for (uint32_t word = 0; word < words; ++word) row_ends_[word] += base[word / kRowsPerChunk];
  for (size_t pair = 0; pair < source.size(); ++pair) {
    if (of(pair).empty()) continue;
    const auto from = source[pair];
    const size_t width = target[pair].size();
    uint32_t* at = index_.data() + (pair == 0 ? 0 : pair_ends_[pair - 1]);
    for (const uint32_t word : from)
      for (size_t j = 0; j < width; ++j) *at++ += base[word / kRowsPerChunk];
  }
}

void Cooccurrence::keep(const std::vector<bool>& kept, unsigned threads) {
  std::vector<uint32_t> renumbered(size_t{size()} + 1);
  uint32_t next = 0;
  for (uint32_t word = 0, cell = 0; word < words(); ++word) {
    for (; cell < row_ends_[word]; ++cell) {
      if (!kept[cell]) continue;
      targets_[next] = targets_[cell];
      renumbered[cell] = ++next;  // one too high: 0 means dropped
    }
    row_ends_[word] = next;
  }
  for (uint32_t& number : renumbered) number = number == 0 ? next : number - 1;
  targets_.resize(next);
  targets_.shrink_to_fit();
  constexpr size_t kBlock = size_t{1} << 16;
  parallel_for((index_.size() + kBlock - 1) / kBlock, threads, [&](size_t block, unsigned) {
    const size_t end = std::min(index_.size(), (block + 1) * kBlock);
    for (size_t at = block * kBlock; at < end; ++at) index_[at] = renumbered[index_[at]];
  });
}

}  // namespace demotic::align
