// An averaged perceptron that learns a choice among few labels from the costs of each.
//
//   CostPerceptron learner(rows, order, seed);            `order`: labels, the most frequent first
//   learner.pass(examples);                               once through them, in random order
//   learner.averaged()                                    stride() floats for each row
//
// An example is a few rows of weights and a cost for each label; the score of a label is the sum of
// its weights in these rows.  Where the best label costs more than the best of the cheapest ones,
// both move by the difference of their costs.  What is averaged are the weights after each example
// (Collins 2002).  Ties fall to the more frequent label.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "learn/cost_examples.h"

namespace demotic::learn {

class CostPerceptron {
 public:
  CostPerceptron(uint32_t rows, std::vector<uint32_t> order, uint64_t seed);

  uint64_t pass(const CostExamples& examples);  // how often it was wrong
  std::vector<float> averaged() const;
  uint32_t stride() const { return stride_; }

 private:
  uint32_t rows_;
  std::vector<uint32_t> order_;
  uint32_t stride_;
  uint64_t seed_;
  uint64_t passes_ = 0;
  uint64_t steps_ = 0;
  std::vector<float> weights_;
  std::vector<double> sums_;  // of each change times the steps before it
};

}  // namespace demotic::learn
