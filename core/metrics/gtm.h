// The match size behind the General Text Matcher's precision and recall (Melamed, Green and Turian
// 2003; Turian, Shen and Melamed 2003).
//
//   GtmStats s = gtm_statistics(hypothesis, references, exponent, scratch);
//   precision = s.match / s.hyp_len;  recall = s.match / s.ref_len;
//
// Equal words of hypothesis and reference are hits; a matching takes each word at most once.  Its
// size is (sum over runs of length^e)^(1/e): the larger e, the more long runs in common order
// count. Runs are taken greedily, longest first (ties: later in the hypothesis, then in the
// reference), as the authors do: for e = 1 and one reference that is a maximum matching, for e > 1
// a lower bound. Several references are laid end to end, no run crosses their borders, and no more
// words are matched than the mean reference has.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace demotic::metrics {

struct GtmStats {
  double match = 0.0;
  double hyp_len = 0.0;
  double ref_len = 0.0;  // mean over the references
};
static_assert(sizeof(GtmStats) == 24);

struct GtmRun {
  uint32_t length;
  uint32_t row;     // first word in the hypothesis
  uint32_t column;  // first word in the references laid end to end
  bool operator<(const GtmRun& other) const {
    if (length != other.length) return length < other.length;
    if (row != other.row) return row < other.row;
    return column < other.column;
  }
};

struct GtmScratch {
  std::vector<GtmRun> heap;
  std::vector<char> row_used;
  std::vector<char> column_used;
};

GtmStats gtm_statistics(std::span<const uint32_t> hypothesis,
                        std::span<const std::span<const uint32_t>> references, double exponent,
                        GtmScratch& scratch);

}  // namespace demotic::metrics
