#include "learn/cost_softmax.h"

#include <cmath>
#include <utility>

#include "learn/visit_order.h"

namespace demotic::learn {

CostSoftmax::CostSoftmax(uint32_t rows, std::vector<uint32_t> order, uint64_t seed)
    : rows_(rows),
      order_(std::move(order)),
      stride_(label_stride(order_.size())),
      seed_(seed),
      weights_(size_t{rows} * stride_, 0.0f),
      squares_(size_t{rows} * stride_, 0.0f),
      sums_(size_t{rows} * stride_, 0.0),
      scores_(stride_),
      gradient_(stride_) {
  check_order(order_);
}

uint64_t CostSoftmax::pass(const CostExamples& examples) {
  examples.check(rows_, order_.size());
  const double mean = mean_of_wrong_costs(examples);
  uint64_t mistakes = 0;
  const VisitOrder visits(examples.size(), seed_, passes_++);
  for (size_t i = 0; i < examples.size(); ++i, ++steps_)
    if (learn(examples.rows_of(visits(i)), examples.costs_of(visits(i)), mean)) ++mistakes;
  return mistakes;
}

// Was it wrong before?
bool CostSoftmax::learn(std::span<const uint32_t> rows, std::span<const uint8_t> costs,
                        double mean) {
  const double weight = mean_wrong_cost(costs);
  if (weight <= 0) return false;
  add_label_scores(rows, weights_, stride_, scores_);
  const uint32_t chosen = best_label(scores_, costs, order_, [](uint8_t) { return true; });
  double total = 0, right = 0;
  for (uint32_t label = 0; label < costs.size(); ++label) {
    gradient_[label] = 0;
    if (costs[label] == CostExamples::kForbidden) continue;
    gradient_[label] = std::exp(static_cast<double>(scores_[label]) - scores_[chosen]);
    total += gradient_[label];
    if (costs[label] == 0) right += gradient_[label];
  }
  const double factor = weight / mean;
  for (uint32_t label = 0; label < costs.size(); ++label) {
    const double p = gradient_[label] / total;
    const double of_right = costs[label] == 0 && right > 0 ? gradient_[label] / right : 0.0;
    gradient_[label] = factor * (of_right - p);
  }
  for (const uint32_t row : rows) {
    if (row == events::kNoRow) continue;
    const size_t first = size_t{row} * stride_;
    for (uint32_t label = 0; label < costs.size(); ++label) {
      const double gradient = gradient_[label];
      if (gradient == 0) continue;
      const size_t at = first + label;
      squares_[at] += static_cast<float>(gradient * gradient);
      const double change = kRate * gradient / std::sqrt(1e-6 + static_cast<double>(squares_[at]));
      weights_[at] += static_cast<float>(change);
      sums_[at] += change * static_cast<double>(steps_);
    }
  }
  return costs[chosen] != 0;
}

std::vector<float> CostSoftmax::averaged() const {
  std::vector<float> mean(weights_.size());
  const double steps = static_cast<double>(std::max<uint64_t>(steps_, 1));
  for (size_t i = 0; i < mean.size(); ++i)
    mean[i] = static_cast<float>(static_cast<double>(weights_[i]) - sums_[i] / steps);
  return mean;
}

}  // namespace demotic::learn
