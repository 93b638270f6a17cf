// Where the blocks of an aligned sentence pair lie.
//
//   BlockExtractor extract(options);
//   for (const BlockPlace& place : extract(source_size, target_size, links)) ...
//   extract(source_size, target_size, intersection, union_)        with options.projection
//
// Default: phrase pairs consistent with the links (at least one inside, none leaving), unaligned
// words at the edges allowed.  Projection (Tillmann and Xia 2003): each source interval with the
// target hull of its intersection links, which grows while a union link of the interval ends on the
// next word outside.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "align/links.h"
#include "grammar/hiero_extract.h"

namespace demotic::grammar {

using BlockPlace = HieroExtractor::Pair;

class BlockExtractor {
 public:
  explicit BlockExtractor(uint32_t max_words)
      : max_words_(max_words),
        consistent_({.max_phrase = max_words,
                     .max_symbols = max_words,
                     .max_nonterminals = 0,
                     .tight = false}) {}

  std::span<const BlockPlace> operator()(uint32_t source_size, uint32_t target_size,
                                         std::span<const align::Link> links) {
    return consistent_.initial_pairs(source_size, target_size, links);
  }
  std::span<const BlockPlace> operator()(uint32_t source_size, uint32_t target_size,
                                         std::span<const align::Link> intersection,
                                         std::span<const align::Link> all);

 private:
  uint32_t max_words_;
  HieroExtractor consistent_;
  std::vector<BlockPlace> places_;
};

}  // namespace demotic::grammar
