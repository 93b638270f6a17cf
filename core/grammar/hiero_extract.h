// Hierarchical rules of one aligned sentence pair (Chiang 2007, section 3).
//
//   HieroExtractor extract(options);
//   extract(source, target, links, [&](const ExtractedRule& rule) { ... });
//
// Initial pairs hold at least one link, no link crosses their border, they have at most
// `max_phrase` words a side and, unless asked otherwise, are tight (no unaligned word at an edge).
// A rule replaces up to two initial pairs inside another by X, never next to each other on the
// source side, and keeps at least one linked pair of words.  Each initial pair has mass 1, shared
// equally by its rules; mass is a fixed-point integer, so that sums do not depend on their order.
// On demand each source word without a link, in a sentence pair that has some, gives a rule of mass
// 1 that deletes it.
//
// On demand each rule carries its orientations (Tillmann 2004): how its initial pair lies to others
// that end where it begins, and begin where it ends, on the target side.  It is monotone to the one
// before it if that ends where it begins on the source side too, a swap if it begins there where
// this one ends; likewise to the one after it.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "align/links.h"
#include "grammar/rule.h"

namespace demotic::grammar {

inline constexpr uint32_t kMaxExtracted = 2;  // nonterminals of an extracted rule

struct HieroOptions {
  uint32_t max_phrase = 10;       // words of an initial pair, each side
  uint32_t max_symbols = 5;       // source symbols of a rule
  uint32_t max_nonterminals = 2;  // 0 extracts plain phrases
  uint32_t min_hole = 1;          // source words that X stands for at least
  bool tight = true;              // else unaligned words may stand at an initial pair's edges
  bool tight_holes = false;       // what X stands for is tight even so
  bool deletions = false;         // source words without a link give rules with an empty target
  bool orientations = false;
};

enum class Orientation : uint8_t { monotone, swap, other };
inline constexpr uint32_t kOrientations = 3;

inline constexpr uint64_t kUnitMass = uint64_t{1} << 32;

struct ExtractedRule {
  std::span<const text::Symbol> source;
  std::span<const text::Symbol> target;
  std::span<const RuleLink> links;
  uint64_t mass;        // kUnitMass = one whole occurrence
  uint8_t orientation;  // 0: not asked for; else 1 + kOrientations * previous + next
};

class HieroExtractor {
 public:
  static constexpr uint32_t kX = 0;  // the one category

  struct Pair {
    uint32_t source_begin, source_end, target_begin, target_end;
    bool tight = true;
    uint32_t source_size() const { return source_end - source_begin; }
    bool inside(const Pair& outer) const {
      return source_begin >= outer.source_begin && source_end <= outer.source_end &&
             target_begin >= outer.target_begin && target_end <= outer.target_end;
    }
    bool meets_on_target(const Pair& other) const {  // loose pairs may share unaligned words
      return target_begin < other.target_end && other.target_begin < target_end;
    }
  };

  // Throws Error(argument) where an option is out of its range.
  explicit HieroExtractor(const HieroOptions& options = {});

  // The initial pairs alone, by (source_begin, source_end).
  std::span<const Pair> initial_pairs(uint32_t source_size, uint32_t target_size,
                                      std::span<const align::Link> links) {
    find_initial_pairs(source_size, target_size, links);
    return pairs_;
  }

  template <class Emit>
  void operator()(std::span<const uint32_t> source, std::span<const uint32_t> target,
                  std::span<const align::Link> links, Emit&& emit) {
    wanted(
        source, target, links, [](const Pair&) { return true; },
        [](const Pair&, std::span<const Pair>) { return true; }, emit);
  }

  // The same of some rules alone: those of initial pairs for which wants_pair(pair) holds, and of
  // these the ones for which wants_rule(pair, pairs that X stands for) does.  Masses are shared
  // with the others all the same.  A rule that deletes a word has an initial pair without target
  // words.
  template <class WantsPair, class WantsRule, class Emit>
  void wanted(std::span<const uint32_t> source, std::span<const uint32_t> target,
              std::span<const align::Link> links, WantsPair&& wants_pair, WantsRule&& wants_rule,
              Emit&& emit) {
    find_initial_pairs(static_cast<uint32_t>(source.size()), static_cast<uint32_t>(target.size()),
                       links);
    if (options_.orientations) find_corners();
    for (const Pair& outer : pairs_) {
      if (!wants_pair(outer)) continue;
      find_holes(outer);
      const uint8_t orientation = options_.orientations ? orientation_of(outer) : 0;
      for (const Holes& holes : holes_) {
        const std::array<Pair, kMaxExtracted> inner{pairs_[holes.pair[0]], pairs_[holes.pair[1]]};
        if (!wants_rule(outer, std::span<const Pair>(inner).first(holes.count))) continue;
        write(outer, holes, source, target, links);
        emit(ExtractedRule{source_, target_, links_, kUnitMass / holes_.size(), orientation});
      }
    }
    if (!options_.deletions || links.empty()) return;
    target_.clear();
    links_.clear();
    for (size_t i = 0; i < source.size(); ++i) {
      if (link_begin_[i] != link_begin_[i + 1]) continue;
      const auto at = static_cast<uint32_t>(i);
      const Pair pair{at, at + 1, 0, 0};
      if (!wants_pair(pair) || !wants_rule(pair, std::span<const Pair>())) continue;
      source_.assign(1, static_cast<text::Symbol>(source[i]));
      emit(ExtractedRule{source_, target_, links_, kUnitMass, 0});
    }
  }

 private:
  struct Holes {
    uint32_t count;
    std::array<uint32_t, kMaxExtracted> pair;  // indices into pairs_, in source order
  };

  void find_initial_pairs(uint32_t source_size, uint32_t target_size,
                          std::span<const align::Link> links);
  void add_pairs(const Pair& tight);
  void find_corners();
  uint8_t orientation_of(const Pair& pair) const;
  void find_holes(const Pair& outer);
  void write(const Pair& outer, const Holes& holes, std::span<const uint32_t> source,
             std::span<const uint32_t> target, std::span<const align::Link> links);
  uint32_t linked_words(const Pair& pair) const {
    return linked_before_[pair.source_end] - linked_before_[pair.source_begin];
  }

  HieroOptions options_;
  std::vector<Pair> pairs_;              // sorted by (source_begin, source_end)
  std::vector<uint32_t> first_pair_;     // first_pair_[i] = first pair that begins at i or later
  std::vector<uint32_t> linked_before_;  // linked source words before position i
  std::vector<uint32_t> link_begin_;     // links of source word i
  std::vector<std::array<uint32_t, 2>> target_reach_;  // least and last source word linked with j
  std::vector<uint8_t> corners_;  // by source and target position: pairs that have a corner there
  std::vector<Holes> holes_;
  std::vector<text::Symbol> source_, target_;
  std::vector<uint8_t> target_place_;  // of a target word among the rule's symbols
  std::vector<RuleLink> links_;
};

}  // namespace demotic::grammar
