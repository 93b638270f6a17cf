// Contexts: the boundary words of a node's yield, which n-gram counts need.
//
//   Forest g = refine(f, 3, 1000000);         each node split until all of its derivations agree on
//                                             their first and last 3 words
//   EdgeNgrams ngrams(g, 4);                  n-grams of up to width + 1 words
//   ngrams.each(e, [](auto words) {...});     those that edge e makes: they cross its borders or
//   lie
//                                             in its rule, none lies wholly in one tail
//
// Along a derivation each n-gram of the yield is made exactly once, so sums over edges are counts
// over strings.  A forest from a decoder whose states hold enough words is not split at all.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "forest/builder.h"
#include "forest/forest.h"

namespace demotic::forest {

// Throws Error(argument) if that needs more than max_nodes nodes.
Forest refine(const Forest& f, uint32_t width, size_t max_nodes);

// As refine, but false where it needs more than this; `provenance` says which edges of f it copied.
struct RefineLimit {
  size_t nodes, edges;
};
bool try_refine(const Forest& f, uint32_t width, const RefineLimit& most, Forest& refined,
                Provenance* provenance = nullptr);

class EdgeNgrams {
 public:
  EdgeNgrams(const Forest& f, uint32_t max_order);

  // Write out edge e's target side; then call visit(words) for each n-gram that e makes.
  template <class Visit>
  void each(uint32_t e, Visit&& visit) {
    write(e);
    const std::span<const int32_t> all(text_);
    for (size_t begin = 0; begin < all.size(); ++begin)
      for (size_t end = begin; end < all.size() && end < begin + max_order_; ++end) {
        if (all[end] == kGap) break;
        if (part_[begin] != part_[end] || part_[begin] == kNone)
          visit(all.subspan(begin, end + 1 - begin));
      }
  }

 private:
  void write(uint32_t e);

  const Forest& f_;
  size_t max_order_;
  std::vector<int32_t> text_;   // the target side, tails replaced by their contexts
  std::vector<uint32_t> part_;  // the slot that a word comes from; kNone: the rule itself
};

}  // namespace demotic::forest
