#include "learn/cost_examples.h"

#include "io/error.h"

namespace demotic::learn {

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

void CostExamples::check(uint32_t feature_rows, size_t label_count) const {
  if (size() > 0 && labels != label_count)
    throw io::Error(io::Fault::argument, "examples of other labels");
  for (const uint32_t row : rows)
    if (row != events::kNoRow && row >= feature_rows)
      throw io::Error(io::Fault::argument, "examples of other features");
}

void check_order(std::span<const uint32_t> order) {
  for (const uint32_t label : order)
    if (label >= order.size()) throw io::Error(io::Fault::argument, "no order of labels");
}

double mean_margin(const CostExamples& examples, std::span<const float> weights,
                   std::span<const uint32_t> order) {
  const uint32_t stride = label_stride(order.size());
  std::vector<float> scores(stride);
  double sum = 0;
  uint64_t counted = 0;
  for (size_t at = 0; at < examples.size(); ++at) {
    const auto costs = examples.costs_of(at);
    add_label_scores(examples.rows_of(at), weights, stride, scores);
    const uint32_t right = best_label(scores, costs, order, [](uint8_t cost) { return cost == 0; });
    const uint32_t wrong = best_label(scores, costs, order, [](uint8_t cost) { return cost > 0; });
    if (right == kNoBestLabel || wrong == kNoBestLabel) continue;
    sum += static_cast<double>(scores[right]) - scores[wrong];
    ++counted;
  }
  return counted == 0 ? 0.0 : sum / static_cast<double>(counted);
}

}  // namespace demotic::learn
