// Logistic regression that learns a choice among few labels from the costs of each.
//
//   CostSoftmax learner(rows, order, seed);               as CostPerceptron
//   learner.pass(examples);                               how often it was wrong
//   learner.averaged()
//
// An example costs -log of the probability of its cheapest labels together, times the mean cost of
// the others (relative to the mean over all examples): where a mistake costs more, it counts more.
// Steps are those of AdaGrad; what is averaged are the weights after each example.
#pragma once

#include <cstdint>
#include <vector>

#include "learn/cost_examples.h"

namespace demotic::learn {

class CostSoftmax {
 public:
  CostSoftmax(uint32_t rows, std::vector<uint32_t> order, uint64_t seed);

  uint64_t pass(const CostExamples& examples);
  std::vector<float> averaged() const;

 private:
  static constexpr double kRate = 0.3;

  bool learn(std::span<const uint32_t> rows, std::span<const uint8_t> costs, double mean);

  uint32_t rows_;
  std::vector<uint32_t> order_;
  uint32_t stride_;
  uint64_t seed_;
  uint64_t passes_ = 0;
  uint64_t steps_ = 0;
  std::vector<float> weights_;
  std::vector<float> squares_;  // of gradients, summed
  std::vector<double> sums_;    // of each change times the steps before it
  std::vector<float> scores_;
  std::vector<double> gradient_;
};

}  // namespace demotic::learn
