// Where each sequence of words stands in a text: the text's places, by the words from there on.
//
//   std::vector<uint32_t> places = suffix_array(words, depth, threads);
//   SuffixArray array(words, places);                       both may lie in a mapped file
//   SuffixArray::Range all = array.all();
//   SuffixArray::Range of_the = array.narrow(all, 0, the);  places with this word first
//   array.narrow(of_the, 1, house).size()                   "the house" stands so often
//
// Sentences end with kEnd, which no sequence passes.  Places are ordered by their first `depth`
// words; equal ones by where they are.  An accessor stays inside whatever the bytes say.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "io/packed_ints.h"

namespace demotic::text {

inline constexpr uint32_t kEnd = 0;

std::vector<uint32_t> suffix_array(std::span<const uint32_t> words, uint32_t depth,
                                   unsigned threads);

class SuffixArray {
 public:
  struct Range {
    uint64_t begin, end;
    uint64_t size() const { return end - begin; }
    bool empty() const { return begin >= end; }
  };

  SuffixArray() = default;
  SuffixArray(io::PackedInts<uint32_t> words, io::PackedInts<uint32_t> places)
      : words_(words), places_(places) {}

  size_t words() const { return words_.size(); }
  uint32_t word(uint64_t place) const { return place < words_.size() ? words_[place] : kEnd; }
  Range all() const { return {0, places_.size()}; }
  uint32_t place(uint64_t number) const { return places_[number]; }

  // Of places that agree in their first words, those that have `word` behind so many of them.
  Range narrow(Range range, uint32_t behind, uint32_t word) const {
    const uint64_t begin = bound(range, behind, [&](uint32_t other) { return other < word; });
    return {begin,
            bound({begin, range.end}, behind, [&](uint32_t other) { return other <= word; })};
  }

 private:
  template <class Before>
  uint64_t bound(Range range, uint32_t behind, Before&& before) const {
    uint64_t begin = range.begin;
    for (uint64_t size = range.empty() ? 0 : range.size(); size > 0;) {
      const uint64_t half = size / 2;
      if (before(word(uint64_t{places_[begin + half]} + behind))) {
        begin += half + 1;
        size -= half + 1;
      } else {
        size = half;
      }
    }
    return begin;
  }

  io::PackedInts<uint32_t> words_;
  io::PackedInts<uint32_t> places_;
};

}  // namespace demotic::text
