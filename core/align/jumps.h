// The distortion part of the HMM: how far the link of a word lies from that of the word before.
//
//   Jumps jumps(options.max_length);          a first guess that favours short steps ahead
//   jumps.start(i), jumps.step(d), jumps.end(k)  weights; the HMM normalises them by sentence
//   JumpCounts counts(max_length);            each worker adds expected counts ...
//   jumps.reestimate(counts, smoothing);      ... and the weights follow
//
// p(i | i', I) = step(i - i') / sum over l < I of step(l - i').  Distances are tied in bins that
// grow with the distance.  The weights are those of Luce's choice model, so that the M-step is
// Hunter's (2004) minorise-maximise update: expected jumps of a bin divided by the expected
// opportunities to make one, which never lowers the likelihood, unlike dividing plain counts.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "align/fixed_point.h"

namespace demotic::align {

// Bins of the distance 0, 1, 2, ...: one each up to kExact, then doubling widths.
struct DistanceBins {
  static constexpr uint32_t kExact = 8;
  static constexpr uint32_t kBins = kExact + 1 + 12;
  static uint32_t of(uint32_t distance);
};

struct JumpCounts {
  explicit JumpCounts(uint32_t max_length)
      : made(2 * max_length + 1),
        chances(2 * max_length + 2),
        started(max_length + 1),
        start_chances(max_length + 2),
        ended(max_length + 1),
        end_chances(max_length + 2) {}

  // made[d + max_length], started[i], ended[k] hold expected jumps.  The chances are differences:
  // a weight added at the first possible distance and taken away after the last.
  std::vector<Fixed> made, chances;
  std::vector<Fixed> started, start_chances;
  std::vector<Fixed> ended, end_chances;

  void add(const JumpCounts& other);
};

class Jumps {
 public:
  static constexpr uint32_t kParameters = 4 * DistanceBins::kBins;

  explicit Jumps(uint32_t max_length);
  // From saved parameters; whatever is not a positive finite number becomes a small one.
  Jumps(uint32_t max_length, std::span<const float> parameters);

  uint32_t max_length() const { return max_length_; }
  std::span<const float> parameters() const { return parameters_; }

  // Weight of stepping by d, |d| <= max_length; `steps() + d` may be read as an array, and
  // `back_steps() + d` is the weight of stepping by -d.
  const float* steps() const { return steps_.data() + max_length_; }
  const float* back_steps() const { return back_steps_.data() + max_length_; }
  const float* starts() const { return starts_.data(); }  // weight of the first position being i
  const float* ends() const { return ends_.data(); }      // of the last being I - k, k = 1 .. I

  double start_total(uint32_t length) const { return start_sums_[length]; }
  double end_total(uint32_t length) const { return end_sums_[length + 1]; }
  double step_total(uint32_t from, uint32_t length) const {
    return step_sums_[max_length_ + length - from] - step_sums_[max_length_ - from];
  }

  void reestimate(const JumpCounts& counts, double smoothing);

 private:
  void expand();

  uint32_t max_length_;
  std::vector<float> parameters_;  // bins of: step ahead, step back, start, end
  std::vector<float> steps_, back_steps_, starts_, ends_;
  std::vector<double> step_sums_, start_sums_, end_sums_;  // of everything before an index
};

}  // namespace demotic::align
