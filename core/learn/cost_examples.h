// Choices among few labels, each with a cost, and what learners of such choices share.
//
//   CostExamples examples;                                 flat arrays; append() adds those of
//   others examples.rows_of(i), examples.costs_of(i) add_label_scores(rows, weights, stride,
//   scores);       the scores of all labels best_label(scores, costs, order, fits) of those whose
//   cost fits mean_margin(examples, weights, order)
//
// An example is a few rows of weights and a cost for each label; the score of a label is the sum of
// its weights in these rows, label_stride() of them in each.  Ties fall to the more frequent label:
// `order` has the most frequent first.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "events/label_corpus.h"

namespace demotic::learn {

struct CostExamples {
  static constexpr uint8_t kForbidden = UINT8_MAX;  // no label of this example

  uint32_t width = 0;  // rows of an example; events::kNoRow: none
  uint32_t labels = 0;
  std::vector<uint32_t> rows;
  std::vector<uint8_t> costs;  // `labels` of each, the least of them 0

  std::span<const uint32_t> rows_of(size_t example) const {
    return std::span(rows).subspan(example * width, width);
  }
  std::span<const uint8_t> costs_of(size_t example) const {
    return std::span(costs).subspan(example * labels, labels);
  }
  size_t size() const { return labels == 0 ? 0 : costs.size() / labels; }
  void append(const CostExamples& more);
  // Throws Error(argument) unless they are of these features and labels.
  void check(uint32_t feature_rows, size_t label_count) const;
};

inline constexpr uint32_t kNoBestLabel = UINT32_MAX;

constexpr uint32_t label_stride(size_t labels) {
  return static_cast<uint32_t>((labels + 15) / 16 * 16);
}

// Throws Error(argument) unless these are labels.
void check_order(std::span<const uint32_t> order);

inline void add_label_scores(std::span<const uint32_t> rows, std::span<const float> weights,
                             uint32_t stride, std::span<float> scores) {
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
  uint32_t best = kNoBestLabel;
  for (const uint32_t label : order)
    if (costs[label] != CostExamples::kForbidden && fits(costs[label]) &&
        (best == kNoBestLabel || scores[label] > scores[best]))
      best = label;
  return best;
}

// The mean cost of the labels that are not the cheapest; 0 where there are none.
double mean_wrong_cost(std::span<const uint8_t> costs);
// On the mean over all examples.
double mean_of_wrong_costs(const CostExamples& examples);

// By how much the best of the cheapest labels beats the best of the others, on the mean;
// score(example, scores) gives the scores of its labels.
template <class Score>
double mean_margin(const CostExamples& examples, std::span<const uint32_t> order, Score&& score) {
  std::vector<float> scores(label_stride(order.size()));
  double sum = 0;
  uint64_t counted = 0;
  for (size_t at = 0; at < examples.size(); ++at) {
    const auto costs = examples.costs_of(at);
    score(at, std::span(scores));
    const uint32_t right = best_label(scores, costs, order, [](uint8_t cost) { return cost == 0; });
    const uint32_t wrong = best_label(scores, costs, order, [](uint8_t cost) { return cost > 0; });
    if (right == kNoBestLabel || wrong == kNoBestLabel) continue;
    sum += static_cast<double>(scores[right]) - scores[wrong];
    ++counted;
  }
  return counted == 0 ? 0.0 : sum / static_cast<double>(counted);
}
// Of linear scores.
double mean_margin(const CostExamples& examples, std::span<const float> weights,
                   std::span<const uint32_t> order);

}  // namespace demotic::learn
