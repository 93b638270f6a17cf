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

double mean_wrong_cost(std::span<const uint8_t> costs) {
  double sum = 0;
  uint32_t labels = 0;
  for (const uint8_t cost : costs)
    if (cost != CostExamples::kForbidden && cost > 0) {
      sum += cost;
      ++labels;
    }
  return labels == 0 ? 0.0 : sum / labels;
}

double mean_of_wrong_costs(const CostExamples& examples) {
  double sum = 0;
  for (size_t i = 0; i < examples.size(); ++i) sum += mean_wrong_cost(examples.costs_of(i));
  return sum / static_cast<double>(std::max<size_t>(1, examples.size()));
}

double mean_margin(const CostExamples& examples, std::span<const float> weights,
                   std::span<const uint32_t> order) {
  const uint32_t stride = label_stride(order.size());
  return mean_margin(examples, order, [&](size_t at, std::span<float> scores) {
    add_label_scores(examples.rows_of(at), weights, stride, scores);
  });
}

}  // namespace demotic::learn
