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

// In the pairs from `begin` up to `end` that usable(pair) is true of.
template <class Usable>
Occurrences locate(const text::TokenLines& source, size_t begin, size_t end, uint32_t words,
                   Usable usable) {
  Occurrences found;
  found.ends.assign(words, 0);
  for (size_t pair = begin; pair < end; ++pair)
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
  for (size_t pair = begin; pair < end; ++pair) {
    if (!usable(pair)) continue;
    const auto line = source[pair];
    for (uint32_t i = 0; i < line.size(); ++i)
      found.places[next[line[i]]++] = {static_cast<uint32_t>(pair), i};
  }
  return found;
}

// Marks of target words, cleared by moving on to the next row's stamp.
struct Marks {
  std::vector<uint32_t> stamp;
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
  std::sort(marks.row.begin(), marks.row.end());
}

// Calls row(word, worker) for all words.
template <class Row>
void for_each_row(uint32_t words, unsigned threads, Row row) {
  parallel_for((words + kRowsPerChunk - 1) / kRowsPerChunk, threads,
               [&](size_t chunk, unsigned worker) {
                 const size_t end = std::min<size_t>(words, (chunk + 1) * kRowsPerChunk);
                 for (auto word = static_cast<uint32_t>(chunk * kRowsPerChunk); word < end; ++word)
                   row(word, worker);
               });
}

}  // namespace

Cooccurrence::Cooccurrence(const text::TokenLines& source, const text::TokenLines& target,
                           uint32_t words, uint32_t max_length, std::string folder, uint64_t memory,
                           unsigned threads)
    : folder_(std::move(folder)), memory_(memory), row_ends_(words), pair_ends_(source.size()) {
  uint64_t total = 0;
  for (size_t pair = 0; pair < source.size(); ++pair) {
    const size_t longest = std::max(source[pair].size(), target[pair].size());
    if (longest <= max_length) total += source[pair].size() * target[pair].size();
    pair_ends_[pair] = total;
  }
  collect(source, target, threads);
  if (total * sizeof(uint32_t) > memory_ / 2) file_ = std::make_unique<io::TempFile>(folder_);
  number(source, target, threads);
}

Cooccurrence::Cooccurrence(std::vector<uint32_t> row_ends, std::vector<uint32_t> targets)
    : row_ends_(std::move(row_ends)), targets_(std::move(targets)) {
  bool sound = std::is_sorted(row_ends_.begin(), row_ends_.end()) &&
               (row_ends_.empty() ? 0 : row_ends_.back()) == targets_.size();
  for (uint32_t word = 0; word < words() && sound; ++word)
    for (uint32_t cell = row_begin(word); cell < row_end(word) && sound; ++cell)
      sound = targets_[cell] < words() &&
              (cell == row_begin(word) || targets_[cell - 1] < targets_[cell]);
  if (!sound) throw io::Error(io::Fault::argument, "cells that are no sorted rows");
}

// The rows of a chunk are collected by themselves; their place among all rows is known when every
// chunk is done.
void Cooccurrence::collect(const text::TokenLines& source, const text::TokenLines& target,
                           unsigned threads) {
  const Occurrences found =
      locate(source, 0, source.size(), words(), [&](size_t pair) { return word_pairs(pair) > 0; });
  std::vector<std::vector<uint32_t>> parts((words() + kRowsPerChunk - 1) / kRowsPerChunk);
  std::vector<Marks> marks(std::max(threads, 1u));
  for_each_row(words(), threads, [&](uint32_t word, unsigned worker) {
    Marks& mine = marks[worker];
    mine.stamp.resize(words(), 0);
    collect_row(found.of(word), target, word + 1, mine);
    std::vector<uint32_t>& part = parts[word / kRowsPerChunk];
    part.insert(part.end(), mine.row.begin(), mine.row.end());
    row_ends_[word] = static_cast<uint32_t>(mine.row.size());
  });
  uint64_t cells = 0;
  for (uint32_t& row : row_ends_) {
    cells += row;
    if (cells >= UINT32_MAX)
      throw io::Error(io::Fault::argument,
                      "the corpus has more than 4 billion different word pairs", 0,
                      "align it in parts");
    row = static_cast<uint32_t>(cells);
  }
  targets_.reserve(cells);
  for (auto& part : parts) {
    targets_.insert(targets_.end(), part.begin(), part.end());
    part = {};
  }
}

uint64_t Cooccurrence::at_once() const {
  return file_ == nullptr ? all_word_pairs()
                          : std::max<uint64_t>(1, memory_ / 8 / sizeof(uint32_t));
}

// As many sentence pairs at a time as fit, row by row: the cells of a row are looked up in an array
// over the words.
void Cooccurrence::number(const text::TokenLines& source, const text::TokenLines& target,
                          unsigned threads) {
  std::vector<std::vector<uint32_t>> cell_of(std::max(threads, 1u));  // by target word
  for (size_t begin = 0, end = 0; begin < source.size(); begin = end) {
    const uint64_t base = pair_begin(begin);
    end = begin + 1;
    while (end < source.size() && pair_ends_[end] - base <= at_once()) ++end;
    const Occurrences found =
        locate(source, begin, end, words(), [&](size_t pair) { return word_pairs(pair) > 0; });
    index_.resize(pair_ends_[end - 1] - base);
    for_each_row(words(), threads, [&](uint32_t word, unsigned worker) {
      const auto places = found.of(word);
      if (places.empty()) return;
      std::vector<uint32_t>& cells = cell_of[worker];
      cells.resize(words());
      for (uint32_t cell = row_begin(word); cell < row_end(word); ++cell)
        cells[targets_[cell]] = cell;
      for (const Occurrence& place : places) {
        const auto line = target[place.pair];
        uint32_t* out =
            index_.data() + (pair_begin(place.pair) - base) + place.position * line.size();
        for (size_t j = 0; j < line.size(); ++j) out[j] = cells[line[j]];
      }
    });
    if (file_ != nullptr) file_->append(index_.data(), index_.size() * sizeof(uint32_t));
  }
  if (file_ != nullptr) index_ = {};
}

std::span<const uint32_t> Cooccurrence::of(size_t begin, size_t end,
                                           std::vector<uint32_t>& buffer) const {
  if (begin >= end) return {};
  const uint64_t first = pair_begin(begin);
  const uint64_t last = pair_ends_[end - 1];
  if (file_ == nullptr) return {index_.data() + first, last - first};
  buffer.resize(last - first);
  file_->read(first * sizeof(uint32_t), buffer.data(), buffer.size() * sizeof(uint32_t));
  return buffer;
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

  const auto renumber = [&](std::span<uint32_t> cells) {
    constexpr size_t kBlock = size_t{1} << 16;
    parallel_for((cells.size() + kBlock - 1) / kBlock, threads, [&](size_t block, unsigned) {
      const size_t end = std::min(cells.size(), (block + 1) * kBlock);
      for (size_t at = block * kBlock; at < end; ++at) cells[at] = renumbered[cells[at]];
    });
  };
  if (file_ == nullptr) return renumber(index_);
  auto changed = std::make_unique<io::TempFile>(folder_);
  std::vector<uint32_t> some;
  for (uint64_t begin = 0; begin < all_word_pairs(); begin += some.size()) {
    some.resize(std::min(at_once(), all_word_pairs() - begin));
    file_->read(begin * sizeof(uint32_t), some.data(), some.size() * sizeof(uint32_t));
    renumber(some);
    changed->append(some.data(), some.size() * sizeof(uint32_t));
  }
  file_ = std::move(changed);
}

}  // namespace demotic::align
