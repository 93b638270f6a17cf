#include "align/hmm.h"

#include <algorithm>
#include <cmath>

namespace demotic::align {

namespace {

// out[0 .. n) += factor * in[0 .. n)
inline void add_scaled(float* __restrict out, const float* __restrict in, float factor, size_t n) {
  for (size_t at = 0; at < n; ++at) out[at] += factor * in[at];
}

// A mass below this share of the whole cannot move a posterior by a visible amount.
constexpr float kNegligible = 1e-9f;
// Below this a mass is zero: denormal numbers would slow everything down.
constexpr float kVanishing = 1e-25f;

}  // namespace

void HmmSentence::prepare(const HmmInput& input) {
  const size_t states = input.states;
  const size_t words = input.observations;
  states_ = input.states;
  memory_.resize((words + 1) * (states + 1));
  posterior_.resize(words * states);
  null_posterior_.resize(words);
  scale_.resize(words);
  start_.resize(states);
  end_.resize(states + 1);
  inverse_.resize(states);
  beta_.resize(states + 1);
  next_beta_.resize(states + 1);
  ahead_.resize(states);
  const Jumps& jumps = *input.jumps;
  const auto start_scale = static_cast<float>(1 / jumps.start_total(input.states));
  const auto end_scale = static_cast<float>(1 / jumps.end_total(input.states));
  end_[0] = 1.0f / static_cast<float>(states);  // nothing was linked: no preference
  for (size_t i = 0; i < states; ++i) {
    start_[i] = jumps.starts()[i] * start_scale;
    end_[i + 1] = jumps.ends()[states - i] * end_scale;
    inverse_[i] = static_cast<float>(1 / jumps.step_total(static_cast<uint32_t>(i), input.states));
  }
}

double HmmSentence::run(const HmmInput& input) {
  prepare(input);
  const double log_likelihood = forward(input);
  backward(input);
  return log_likelihood;
}

double HmmSentence::forward(const HmmInput& input) {
  const size_t states = input.states;
  const float* steps = input.jumps->steps();
  const float linked = 1.0f - input.null_probability;
  double log_likelihood = 0;
  std::fill_n(memory_.begin(), states + 1, 0.0f);
  memory_[0] = 1.0f;
  for (size_t j = 0; j < input.observations; ++j) {
    const float* before = memory_.data() + j * (states + 1);
    float* after = memory_.data() + (j + 1) * (states + 1);
    float* alpha = posterior_.data() + j * states;
    for (size_t i = 0; i < states; ++i) alpha[i] = before[0] * start_[i];
    for (size_t from = 0; from < states; ++from) {
      if (before[from + 1] < kNegligible) continue;
      add_scaled(alpha, steps - from, before[from + 1] * inverse_[from], states);
    }
    const float* emission = input.emissions + j * states;
    const float null = input.null_probability * input.null_emissions[j];
    after[0] = null * before[0];
    for (size_t i = 0; i < states; ++i) {
      alpha[i] *= linked * emission[i];
      after[i + 1] = null * before[i + 1] + alpha[i];
    }
    double total = 0;
    for (size_t m = 0; m <= states; ++m) total += after[m];
    scale_[j] = static_cast<float>(1 / total);
    log_likelihood += std::log(total);
    for (size_t m = 0; m <= states; ++m) {
      const float scaled = after[m] * scale_[j];
      after[m] = scaled < kVanishing ? 0.0f : scaled;
    }
    for (size_t i = 0; i < states; ++i) alpha[i] *= scale_[j];
  }
  const float* last = memory_.data() + input.observations * (states + 1);
  double total = 0;
  for (size_t m = 0; m <= states; ++m) total += static_cast<double>(last[m]) * end_[m];
  for (size_t m = 0; m <= states; ++m) beta_[m] = static_cast<float>(end_[m] / total);
  return log_likelihood + std::log(total);
}

void HmmSentence::backward(const HmmInput& input) {
  const size_t states = input.states;
  const float* back_steps = input.jumps->back_steps();
  const float linked = 1.0f - input.null_probability;
  jump_mass_.assign(2 * states + 1, 0.0f);
  left_.assign(states, 0.0f);
  start_made_.assign(states, 0.0f);
  end_made_.resize(states + 1);
  start_mass_ = 0;
  const float* last = memory_.data() + input.observations * (states + 1);
  for (size_t m = 0; m <= states; ++m) end_made_[m] = last[m] * beta_[m];
  for (size_t j = input.observations; j-- > 0;) {
    const float* before = memory_.data() + j * (states + 1);
    const float* emission = input.emissions + j * states;
    float* gamma = posterior_.data() + j * states;
    const float null = input.null_probability * input.null_emissions[j] * scale_[j];
    double null_total = 0;
    for (size_t m = 0; m <= states; ++m)
      null_total += static_cast<double>(null * before[m]) * beta_[m];
    null_posterior_[j] = static_cast<float>(null_total);
    for (size_t i = 0; i < states; ++i) {
      gamma[i] *= beta_[i + 1];
      ahead_[i] = linked * scale_[j] * emission[i] * beta_[i + 1];
    }
    // next_beta_[i' + 1] = sum over i of step(i - i') * ahead_[i], and the same mass by distance.
    std::fill(next_beta_.begin(), next_beta_.end(), 0.0f);
    for (size_t i = 0; i < states; ++i)
      if (gamma[i] > 0) add_scaled(next_beta_.data() + 1, back_steps - i, ahead_[i], states);
    double from_start = 0;
    for (size_t i = 0; i < states; ++i) {
      const float mass = before[0] * start_[i] * ahead_[i];
      start_made_[i] += mass;
      from_start += static_cast<double>(start_[i]) * ahead_[i];
    }
    start_mass_ += static_cast<float>(before[0] * from_start);
    for (size_t from = 0; from < states; ++from) {
      const float u = before[from + 1] * inverse_[from];
      next_beta_[from + 1] *= inverse_[from];
      const float mass = before[from + 1] * next_beta_[from + 1];
      left_[from] += mass;
      if (mass < kNegligible) continue;
      add_scaled(jump_mass_.data() + (states - from), ahead_.data(), u, states);
    }
    next_beta_[0] = static_cast<float>(from_start);
    for (size_t m = 0; m <= states; ++m) next_beta_[m] += null * beta_[m];
    beta_.swap(next_beta_);
  }
}

void HmmSentence::count_jumps(const HmmInput& input, JumpCounts& counts) const {
  const Jumps& jumps = *input.jumps;
  const size_t states = input.states;
  const size_t span = jumps.max_length();
  for (size_t at = 1; at < 2 * states; ++at) {
    const float weight = (jumps.steps() - states)[at];
    counts.made[span + at - states] += to_fixed(jump_mass_[at] * weight);
  }
  for (size_t from = 0; from < states; ++from) {
    const Fixed chance = to_fixed(left_[from] * inverse_[from]);
    counts.chances[span - from] += chance;
    counts.chances[span - from + states] -= chance;
  }
  const Fixed start = to_fixed(start_mass_ / jumps.start_total(input.states));
  counts.start_chances[0] += start;
  counts.start_chances[states] -= start;
  double finished = 0;
  for (size_t i = 0; i < states; ++i) {
    counts.started[i] += to_fixed(start_made_[i]);
    counts.ended[states - i] += to_fixed(end_made_[i + 1]);
    finished += end_made_[i + 1];
  }
  const Fixed end = to_fixed(finished / jumps.end_total(input.states));
  counts.end_chances[1] += end;
  counts.end_chances[states + 1] -= end;
}

}  // namespace demotic::align
