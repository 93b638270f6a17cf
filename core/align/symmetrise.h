// Two directional word alignments made one: intersection, union, and the growing heuristics of
// Koehn, Och and Marcu (2003), with the visiting order of Moses' symal, so that the links equal
// its.
//
//   forward:  each target word was linked with at most one source word  (from p(target | source))
//   backward: each source word was linked with at most one target word  (from p(source | target))
//   Links links = symmetrise(forward, backward, Heuristic::grow_diag_final_and, threads);
//
// grow            adds to the intersection, until nothing changes, links of the union that stand
//                 beside a link already taken and cover a word not yet covered
// grow_diag       counts diagonal neighbours too
// ..._final       then takes remaining links that cover a word not yet covered: first those of
//                 `forward`, then those of `backward`, each in order of (target, source)
// ..._final_and   asks that neither word is covered yet
//
// Any sets of links will do, not only functional ones.  Time is n log n in the number of links.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "align/links.h"

namespace demotic::align {

enum class Heuristic : uint8_t {
  intersection,
  union_,
  grow,
  grow_diag,
  grow_diag_final,
  grow_diag_final_and,
};

// One sentence pair at a time, with scratch space that is kept between calls.
class Symmetriser {
 public:
  explicit Symmetriser(Heuristic heuristic) : heuristic_(heuristic) {}

  // Appends the links, sorted by (source, target).
  void operator()(std::span<const Link> forward, std::span<const Link> backward,
                  std::vector<Link>& out);

 private:
  struct Candidate {  // a link of the union; sorted by (target, source) as symal's sets are
    uint32_t target;
    uint32_t source;
    bool forward;
    bool backward;
    bool taken;
  };

  void collect(std::span<const Link> forward, std::span<const Link> backward);
  void take(Candidate& candidate);
  void grow(bool diagonal);
  void finish(bool forward, bool both_uncovered);
  Candidate* find(uint32_t target, uint32_t source);

  Heuristic heuristic_;
  std::vector<Candidate> union_;
  std::vector<uint64_t> row_;  // row_[t] = first candidate of target word t
  std::vector<char> source_covered_;
  std::vector<char> target_covered_;
  std::vector<uint64_t> now_;  // heaps of candidates to visit in this pass and in the next
  std::vector<uint64_t> later_;
};

Links symmetrise(const Links& forward, const Links& backward, Heuristic heuristic,
                 unsigned threads);

}  // namespace demotic::align
