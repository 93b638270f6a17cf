#include "grammar/block_extract.h"

#include <algorithm>

namespace demotic::grammar {

namespace {

// The links of source word i are links[begin[i]] ... links[begin[i + 1] - 1].
std::vector<uint32_t> link_borders(uint32_t source_size, std::span<const align::Link> links) {
  std::vector<uint32_t> begin(source_size + size_t{1}, 0);
  for (const align::Link& link : links) ++begin[link.source + 1];
  for (uint32_t i = 0; i < source_size; ++i) begin[i + 1] += begin[i];
  return begin;
}

}  // namespace

std::span<const BlockPlace> BlockExtractor::operator()(uint32_t source_size, uint32_t target_size,
                                                       std::span<const align::Link> intersection,
                                                       std::span<const align::Link> all) {
  places_.clear();
  const std::vector<uint32_t> certain = link_borders(source_size, intersection);
  const std::vector<uint32_t> possible = link_borders(source_size, all);
  std::vector<char> reached(target_size);
  for (uint32_t begin = 0; begin < source_size; ++begin) {
    std::fill(reached.begin(), reached.end(), 0);
    uint32_t hull_begin = UINT32_MAX;
    uint32_t hull_end = 0;
    const uint32_t limit = std::min(source_size, begin + max_words_);
    for (uint32_t end = begin + 1; end <= limit; ++end) {
      for (uint32_t at = certain[end - 1]; at < certain[end]; ++at) {
        hull_begin = std::min(hull_begin, intersection[at].target);
        hull_end = std::max(hull_end, intersection[at].target + 1);
      }
      for (uint32_t at = possible[end - 1]; at < possible[end]; ++at) reached[all[at].target] = 1;
      if (hull_end == 0) continue;
      BlockPlace place{begin, end, hull_begin, hull_end};
      while (place.target_begin > 0 && reached[place.target_begin - 1]) --place.target_begin;
      while (place.target_end < target_size && reached[place.target_end]) ++place.target_end;
      if (place.target_end - place.target_begin <= max_words_) places_.push_back(place);
    }
  }
  return places_;
}

}  // namespace demotic::grammar
