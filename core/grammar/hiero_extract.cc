#include "grammar/hiero_extract.h"

#include <algorithm>

#include "io/error.h"

namespace demotic::grammar {

HieroExtractor::HieroExtractor(const HieroOptions& options) : options_(options) {
  const auto require = [](bool holds, const char* message) {
    if (!holds) throw io::Error(io::Fault::argument, message);
  };
  require(options.max_phrase >= 1 && options.max_phrase <= 100, "max_phrase: 1 to 100 words");
  require(options.max_symbols >= 1 && options.max_symbols <= 100, "max_symbols: 1 to 100 symbols");
  require(options.max_nonterminals <= kMaxExtracted, "max_nonterminals: at most 2");
  require(options.min_hole >= 1, "min_hole: at least 1 word");
}

void HieroExtractor::find_initial_pairs(uint32_t source_size, uint32_t target_size,
                                        std::span<const align::Link> links) {
  link_begin_.assign(source_size + size_t{1}, 0);
  target_reach_.assign(target_size, {UINT32_MAX, 0});
  for (const align::Link& link : links) {
    ++link_begin_[link.source + 1];
    auto& [least, last] = target_reach_[link.target];
    least = std::min(least, link.source);
    last = std::max(last, link.source);
  }
  linked_before_.assign(source_size + size_t{1}, 0);
  for (uint32_t i = 0; i < source_size; ++i) {
    linked_before_[i + 1] = linked_before_[i] + (link_begin_[i + 1] > 0);
    link_begin_[i + 1] += link_begin_[i];
  }

  pairs_.clear();
  first_pair_.assign(source_size + size_t{1}, 0);
  for (uint32_t begin = 0; begin < source_size; ++begin) {
    first_pair_[begin] = static_cast<uint32_t>(pairs_.size());
    if (options_.tight && link_begin_[begin] == link_begin_[begin + 1]) continue;
    uint32_t target_begin = UINT32_MAX;
    uint32_t target_end = 0;
    const uint32_t limit = std::min(source_size, begin + options_.max_phrase);
    for (uint32_t end = begin + 1; end <= limit; ++end) {
      if (options_.tight && link_begin_[end - 1] == link_begin_[end]) continue;
      for (uint32_t at = link_begin_[end - 1]; at < link_begin_[end]; ++at) {
        target_begin = std::min(target_begin, links[at].target);
        target_end = std::max(target_end, links[at].target + 1);
      }
      if (target_end == 0) continue;                               // no link yet
      if (target_end - target_begin > options_.max_phrase) break;  // it only grows from here
      bool closed = true;
      for (uint32_t j = target_begin; j < target_end && closed; ++j) {
        const auto [least, last] = target_reach_[j];
        closed = least == UINT32_MAX || (least >= begin && last < end);
      }
      const bool tight =
          link_begin_[begin] < link_begin_[begin + 1] && link_begin_[end - 1] < link_begin_[end];
      if (closed) add_pairs({begin, end, target_begin, target_end, tight});
    }
  }
  first_pair_[source_size] = static_cast<uint32_t>(pairs_.size());
}

// The pair and, if pairs may be loose, those with more unaligned target words at their edges.
void HieroExtractor::add_pairs(const Pair& tight) {
  pairs_.push_back(tight);
  if (options_.tight) return;
  const auto free = [&](uint32_t j) { return target_reach_[j][0] == UINT32_MAX; };
  Pair pair = tight;
  for (;; --pair.target_begin) {
    for (pair.target_end = tight.target_end;
         pair.target_end - pair.target_begin <= options_.max_phrase; ++pair.target_end) {
      pair.tight = false;
      if (pair.target_begin < tight.target_begin || pair.target_end > tight.target_end)
        pairs_.push_back(pair);
      if (pair.target_end == target_reach_.size() || !free(pair.target_end)) break;
    }
    if (pair.target_begin == 0 || !free(pair.target_begin - 1)) break;
  }
}

namespace {

// Corners of pairs, by what begins (or ends) there on the source side, then on the target side.
constexpr uint8_t kEndEnd = 1;
constexpr uint8_t kBeginEnd = 2;
constexpr uint8_t kBeginBegin = 4;
constexpr uint8_t kEndBegin = 8;

}  // namespace

void HieroExtractor::find_corners() {
  const size_t row = target_reach_.size() + 1;
  corners_.assign(link_begin_.size() * row, 0);
  for (const Pair& pair : pairs_) {
    corners_[pair.source_end * row + pair.target_end] |= kEndEnd;
    corners_[pair.source_begin * row + pair.target_end] |= kBeginEnd;
    corners_[pair.source_begin * row + pair.target_begin] |= kBeginBegin;
    corners_[pair.source_end * row + pair.target_begin] |= kEndBegin;
  }
  corners_.front() |= kEndEnd;     // the sentence's start
  corners_.back() |= kBeginBegin;  // and its end
}

uint8_t HieroExtractor::orientation_of(const Pair& pair) const {
  const size_t row = target_reach_.size() + 1;
  const auto is = [&](uint32_t source, uint32_t target, uint8_t corner) {
    return (corners_[source * row + target] & corner) != 0;
  };
  const auto choose = [](bool monotone, bool swap) {
    if (monotone) return Orientation::monotone;
    return swap ? Orientation::swap : Orientation::other;
  };
  const Orientation previous = choose(is(pair.source_begin, pair.target_begin, kEndEnd),
                                      is(pair.source_end, pair.target_begin, kBeginEnd));
  const Orientation next = choose(is(pair.source_end, pair.target_end, kBeginBegin),
                                  is(pair.source_begin, pair.target_end, kEndBegin));
  return static_cast<uint8_t>(1 + kOrientations * static_cast<uint32_t>(previous) +
                              static_cast<uint32_t>(next));
}

void HieroExtractor::find_holes(const Pair& outer) {
  holes_.clear();
  const uint32_t size = outer.source_size();
  const uint32_t linked = linked_words(outer);
  const auto fits = [&](uint32_t covered, uint32_t count, uint32_t covered_links) {
    return size - covered + count <= options_.max_symbols && covered_links < linked;
  };
  if (fits(0, 0, 0)) holes_.push_back({0, {}});
  if (options_.max_nonterminals == 0) return;
  const auto fits_hole = [&](const Pair& pair) {
    return pair.inside(outer) && pair.source_size() >= options_.min_hole &&
           (pair.tight || !options_.tight_holes);
  };
  const uint32_t end = first_pair_[outer.source_end];
  for (uint32_t a = first_pair_[outer.source_begin]; a < end; ++a) {
    const Pair& first = pairs_[a];
    if (!fits_hole(first)) continue;
    if (fits(first.source_size(), 1, linked_words(first))) holes_.push_back({1, {a, 0}});
    if (options_.max_nonterminals == 1 || first.source_end >= outer.source_end) continue;
    for (uint32_t b = first_pair_[first.source_end + 1]; b < end; ++b) {
      const Pair& second = pairs_[b];
      if (!fits_hole(second) || second.meets_on_target(first)) continue;
      if (fits(first.source_size() + second.source_size(), 2,
               linked_words(first) + linked_words(second)))
        holes_.push_back({2, {a, b}});
    }
  }
}

void HieroExtractor::write(const Pair& outer, const Holes& holes, std::span<const uint32_t> source,
                           std::span<const uint32_t> target, std::span<const align::Link> links) {
  source_.clear();
  target_.clear();
  links_.clear();
  target_place_.assign(outer.target_end - outer.target_begin, 0);
  for (uint32_t j = outer.target_begin; j < outer.target_end;) {
    uint32_t slot = 0;
    while (slot < holes.count && pairs_[holes.pair[slot]].target_begin != j) ++slot;
    if (slot < holes.count) {
      target_.push_back(text::slot_symbol(slot));
      j = pairs_[holes.pair[slot]].target_end;
    } else {
      target_place_[j - outer.target_begin] = static_cast<uint8_t>(target_.size());
      target_.push_back(static_cast<text::Symbol>(target[j]));
      ++j;
    }
  }
  uint32_t slot = 0;
  for (uint32_t i = outer.source_begin; i < outer.source_end;) {
    if (slot < holes.count && pairs_[holes.pair[slot]].source_begin == i) {
      source_.push_back(category_symbol(kX));
      i = pairs_[holes.pair[slot]].source_end;
      ++slot;
      continue;
    }
    for (uint32_t at = link_begin_[i]; at < link_begin_[i + 1]; ++at)
      links_.push_back({static_cast<uint8_t>(source_.size()),
                        target_place_[links[at].target - outer.target_begin]});
    source_.push_back(static_cast<text::Symbol>(source[i]));
    ++i;
  }
}

}  // namespace demotic::grammar
