#include "align/jumps.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace demotic::align {

namespace {

constexpr float kSmallest = 1e-6f;
constexpr uint32_t kBins = DistanceBins::kBins;

enum Part : uint32_t { kAhead = 0, kBack = kBins, kStart = 2 * kBins, kEnd = 3 * kBins };

// The wanted expected count and opportunities of one bin.
struct Tally {
  double made = 0;
  double chances = 0;
};

float weight(const Tally& tally, double smoothing) {
  if (!(tally.chances + smoothing > 0)) return 0;
  return static_cast<float>((tally.made + smoothing) / (tally.chances + smoothing));
}

// Scale is free in a choice model; the heaviest weight becomes 1, none is zero.
void rescale(std::span<float> weights) {
  float most = kSmallest;
  for (const float w : weights) most = std::max(most, w);
  for (float& w : weights) w = std::max(w / most, kSmallest);
}

}  // namespace

uint32_t DistanceBins::of(uint32_t distance) {
  if (distance <= kExact) return distance;
  const uint32_t octave = std::bit_width((distance - 1) / kExact);  // 9-16: 1, 17-32: 2, ...
  return std::min(kExact + octave, kBins - 1);
}

void JumpCounts::add(const JumpCounts& other) {
  const auto sum = [](std::vector<Fixed>& into, const std::vector<Fixed>& from) {
    for (size_t at = 0; at < into.size(); ++at) into[at] += from[at];
  };
  sum(made, other.made);
  sum(chances, other.chances);
  sum(started, other.started);
  sum(start_chances, other.start_chances);
  sum(ended, other.ended);
  sum(end_chances, other.end_chances);
}

Jumps::Jumps(uint32_t max_length) : max_length_(max_length), parameters_(kParameters) {
  for (uint32_t distance = 0; distance <= std::max(max_length, 1u); ++distance) {
    const uint32_t bin = DistanceBins::of(distance);
    const auto d = static_cast<float>(distance);
    parameters_[kAhead + bin] = 1.0f / (1.0f + std::abs(d - 1.0f));
    parameters_[kBack + bin] = 1.0f / (2.0f + d);
    parameters_[kStart + bin] = 1.0f / (1.0f + d);
    parameters_[kEnd + bin] = 1.0f / (1.0f + d);
  }
  expand();
}

Jumps::Jumps(uint32_t max_length, std::span<const float> parameters)
    : max_length_(max_length), parameters_(parameters.begin(), parameters.end()) {
  parameters_.resize(kParameters, kSmallest);
  for (float& p : parameters_)
    if (!(p >= kSmallest && p <= 1.0f)) p = kSmallest;
  expand();
}

void Jumps::expand() {
  const uint32_t span = max_length_;
  steps_.assign(2 * span + 1, 0.0f);
  back_steps_.assign(2 * span + 1, 0.0f);
  starts_.assign(span + 1, 0.0f);
  ends_.assign(span + 1, 0.0f);
  for (uint32_t distance = 0; distance <= span; ++distance) {
    const uint32_t bin = DistanceBins::of(distance);
    steps_[span + distance] = parameters_[kAhead + bin];
    if (distance > 0) steps_[span - distance] = parameters_[kBack + bin];
    starts_[distance] = parameters_[kStart + bin];
    if (distance > 0) ends_[distance] = parameters_[kEnd + DistanceBins::of(distance - 1)];
  }
  std::reverse_copy(steps_.begin(), steps_.end(), back_steps_.begin());
  const auto sums = [](const std::vector<float>& weights, std::vector<double>& out) {
    out.assign(weights.size() + 1, 0.0);
    for (size_t at = 0; at < weights.size(); ++at) out[at + 1] = out[at] + weights[at];
  };
  sums(steps_, step_sums_);
  sums(starts_, start_sums_);
  sums(ends_, end_sums_);
}

void Jumps::reestimate(const JumpCounts& counts, double smoothing) {
  std::vector<Tally> tally(kParameters);
  const uint32_t span = max_length_;
  Fixed chances = 0;
  for (uint32_t at = 0; at <= 2 * span; ++at) {
    chances += counts.chances[at];
    const bool ahead = at >= span;
    const uint32_t bin = DistanceBins::of(ahead ? at - span : span - at);
    Tally& t = tally[(ahead ? kAhead : kBack) + bin];
    t.made += from_fixed(counts.made[at]);
    t.chances += from_fixed(chances);
  }
  Fixed start_chances = 0;
  Fixed end_chances = 0;
  for (uint32_t at = 0; at <= span; ++at) {
    start_chances += counts.start_chances[at];
    Tally& start = tally[kStart + DistanceBins::of(at)];
    start.made += from_fixed(counts.started[at]);
    start.chances += from_fixed(start_chances);
    end_chances += counts.end_chances[at];
    if (at == 0) continue;
    Tally& end = tally[kEnd + DistanceBins::of(at - 1)];
    end.made += from_fixed(counts.ended[at]);
    end.chances += from_fixed(end_chances);
  }
  for (uint32_t p = 0; p < kParameters; ++p) parameters_[p] = weight(tally[p], smoothing);
  parameters_[kBack] = parameters_[kAhead];  // distance 0 is counted with the steps ahead
  rescale(std::span(parameters_).subspan(kAhead, 2 * kBins));
  rescale(std::span(parameters_).subspan(kStart, kBins));
  rescale(std::span(parameters_).subspan(kEnd, kBins));
  expand();
}

}  // namespace demotic::align
