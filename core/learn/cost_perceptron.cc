#include "learn/cost_perceptron.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "events/label_corpus.h"
#include "io/error.h"
#include "learn/visit_order.h"

namespace demotic::learn {

namespace {

constexpr uint32_t kNoLabel = UINT32_MAX;

uint32_t stride_of(size_t labels) { return static_cast<uint32_t>((labels + 15) / 16 * 16); }

void add_scores(std::span<const uint32_t> rows, std::span<const float> weights, uint32_t stride,
                std::span<float> scores) {
  std::fill(scores.begin(), scores.end(), 0.0f);
  for (const uint32_t row : rows) {
    if (row == events::kNoRow) continue;
    const float* const values = weights.data() + size_t{row} * stride;
    for (uint32_t i = 0; i < stride; ++i) scores[i] += values[i];
  }
}

// The best label for which fits(cost) is true.
template <class Fits>
uint32_t best_label(std::span<const float> scores, std::span<const uint8_t> costs,
                    std::span<const uint32_t> order, Fits&& fits) {
  uint32_t best = kNoLabel;
  for (const uint32_t label : order)
    if (costs[label] != CostExamples::kForbidden && fits(costs[label]) &&
        (best == kNoLabel || scores[label] > scores[best]))
      best = label;
  return best;
}

}  // namespace

void CostExamples::append(const CostExamples& more) {
  if (labels == 0) {
    width = more.width;
    labels = more.labels;
  }
  if (width != more.width || labels != more.labels)
    throw io::Error(io::Fault::argument, "examples of another kind");
  rows.insert(rows.end(), more.rows.begin(), more.rows.end());
  costs.insert(costs.end(), more.costs.begin(), more.costs.end());
}

CostPerceptron::CostPerceptron(uint32_t rows, std::vector<uint32_t> order, uint64_t seed)
    : rows_(rows),
      order_(std::move(order)),
      stride_(stride_of(order_.size())),
      seed_(seed),
      weights_(size_t{rows} * stride_, 0.0f),
      sums_(size_t{rows} * stride_, 0.0) {
  for (const uint32_t label : order_)
    if (label >= order_.size()) throw io::Error(io::Fault::argument, "no order of labels");
}

uint64_t CostPerceptron::pass(const CostExamples& examples) {
  if (examples.size() > 0 && examples.labels != order_.size())
    throw io::Error(io::Fault::argument, "examples of other labels");
  for (const uint32_t row : examples.rows)
    if (row != events::kNoRow && row >= rows_)
      throw io::Error(io::Fault::argument, "examples of other features");
  std::vector<float> scores(stride_);
  uint64_t mistakes = 0;
  const VisitOrder visits(examples.size(), seed_, passes_++);
  for (size_t i = 0; i < examples.size(); ++i, ++steps_) {
    const uint64_t at = visits(i);
    const auto rows = std::span(examples.rows).subspan(at * examples.width, examples.width);
    const auto costs = std::span(examples.costs).subspan(at * examples.labels, examples.labels);
    add_scores(rows, weights_, stride_, scores);
    const uint32_t chosen = best_label(scores, costs, order_, [](uint8_t) { return true; });
    if (chosen == kNoLabel || costs[chosen] == 0) continue;
    const uint32_t right =
        best_label(scores, costs, order_, [](uint8_t cost) { return cost == 0; });
    if (right == kNoLabel) continue;
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

double CostPerceptron::margin(const CostExamples& examples, std::span<const float> weights,
                              std::span<const uint32_t> order) {
  const uint32_t stride = stride_of(order.size());
  std::vector<float> scores(stride);
  double sum = 0;
  uint64_t counted = 0;
  for (size_t at = 0; at < examples.size(); ++at) {
    const auto costs = std::span(examples.costs).subspan(at * examples.labels, examples.labels);
    add_scores(std::span(examples.rows).subspan(at * examples.width, examples.width), weights,
               stride, scores);
    const uint32_t right = best_label(scores, costs, order, [](uint8_t cost) { return cost == 0; });
    const uint32_t wrong = best_label(scores, costs, order, [](uint8_t cost) { return cost > 0; });
    if (right == kNoLabel || wrong == kNoLabel) continue;
    sum += static_cast<double>(scores[right]) - scores[wrong];
    ++counted;
  }
  return counted == 0 ? 0.0 : sum / static_cast<double>(counted);
}

}  // namespace demotic::learn
