#include "learn/cost_perceptron.h"

#include <algorithm>
#include <utility>

#include "io/error.h"
#include "learn/visit_order.h"

namespace demotic::learn {

CostPerceptron::CostPerceptron(uint32_t rows, std::vector<uint32_t> order, uint64_t seed)
    : rows_(rows),
      order_(std::move(order)),
      stride_(label_stride(order_.size())),
      seed_(seed),
      weights_(size_t{rows} * stride_, 0.0f),
      sums_(size_t{rows} * stride_, 0.0) {
  check_order(order_);
}

uint64_t CostPerceptron::pass(const CostExamples& examples) {
  examples.check(rows_, order_.size());
  std::vector<float> scores(stride_);
  uint64_t mistakes = 0;
  const VisitOrder visits(examples.size(), seed_, passes_++);
  for (size_t i = 0; i < examples.size(); ++i, ++steps_) {
    const uint64_t at = visits(i);
    const auto rows = examples.rows_of(at);
    const auto costs = examples.costs_of(at);
    add_label_scores(rows, weights_, stride_, scores);
    const uint32_t chosen = best_label(scores, costs, order_, [](uint8_t) { return true; });
    if (chosen == kNoBestLabel || costs[chosen] == 0) continue;
    const uint32_t right =
        best_label(scores, costs, order_, [](uint8_t cost) { return cost == 0; });
    if (right == kNoBestLabel) continue;
    ++mistakes;
    const auto change = static_cast<float>(costs[chosen]);
    const double weighted = static_cast<double>(steps_) * change;
    for (const uint32_t row : rows) {
      if (row == events::kNoRow) continue;
      const size_t first = size_t{row} * stride_;
      weights_[first + right] += change;
      weights_[first + chosen] -= change;
      sums_[first + right] += weighted;
      sums_[first + chosen] -= weighted;
    }
  }
  return mistakes;
}

std::vector<float> CostPerceptron::averaged() const {
  std::vector<float> mean(weights_.size());
  const double steps = static_cast<double>(std::max<uint64_t>(steps_, 1));
  for (size_t i = 0; i < mean.size(); ++i)
    mean[i] = static_cast<float>(static_cast<double>(weights_[i]) - sums_[i] / steps);
  return mean;
}

}  // namespace demotic::learn
