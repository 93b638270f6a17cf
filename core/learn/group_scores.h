// One group's scores and losses: what the sums of local_model.cc and the learners of
// local_learner.cc share.
//
//   score_group(events, g, dense, [&](uint32_t id) { return weights.sparse[id]; }, s);
//   measure(events, g, labels, event, loss, s, sum);        s[j] becomes p_j
//   if (loss == EventLoss::expected_cost) to_cost_direction(events.costs(g), n, events, s);
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>
#include <string>

#include "events/event_groups.h"
#include "io/error.h"
#include "learn/local_model.h"
#include "learn/softmax.h"

namespace demotic::learn {

// w.x of each candidate; `s` has softmax_room(n) places.
template <class Weight>
void score_group(const events::EventGroups& events, size_t g, const double* dense, Weight&& weight,
                 double* s) {
  const uint32_t n = events.rows(g);
  dense_scores(dense, events.width, events.column(g, 0), n, s);
  if (const uint32_t* const b = events.binary_of(g))
    for (uint32_t j = 0; j < n; ++j)
      if (b[j] != events::kNoBinary) s[j] += static_cast<double>(weight(b[j]));
  if (events.sparse_ends.empty()) return;
  events.for_each_in_rows(g, [&](uint32_t j, uint32_t id, float value) {
    s[j] += static_cast<double>(weight(id)) * static_cast<double>(value);
  });
}

inline void require_costs(const events::EventGroups& events, EventLoss loss) {
  if (loss != EventLoss::likelihood && events.cost.empty())
    throw io::Error(io::Fault::argument, "this loss needs costs, and the events have none");
}

// Nothing can be learned from an event with one candidate, or one cost.
inline bool is_trivial(const events::EventGroups& events, size_t g) {
  const std::span<const float> costs = events.costs(g);
  return events.rows(g) == 1 ||
         (!costs.empty() && std::all_of(costs.begin(), costs.end(),
                                        [&](float cost) { return cost == costs.front(); }));
}

[[noreturn]] inline void overflow(size_t event) {
  throw io::Error(io::Fault::argument,
                  "the score of event " + std::to_string(event + 1) + " is not finite", 0,
                  "lower the step size");
}

// What the candidate of the highest score costs above the cheapest, and whether it costs nothing
// more: of candidates with one score the cheapest counts.
inline void judge(std::span<const float> costs, const double* s, size_t labels, Objective& sum) {
  const float least = *std::min_element(costs.begin(), costs.end());
  uint32_t best = 0;
  for (uint32_t j = 1; j < costs.size(); ++j)
    if (s[j] > s[best] || (s[j] == s[best] && costs[j] < costs[best])) best = j;
  const double above = static_cast<double>(costs[best]) - static_cast<double>(least);
  sum.cost += static_cast<double>(labels) * above;
  if (above == 0.0) sum.right += labels;
}

// Scores become probabilities, under the softmax margin those of costs added; the losses of the
// labels are added up.
inline void measure(const events::EventGroups& events, size_t g, std::span<const uint32_t> labels,
                    size_t event, EventLoss loss, double* s, Objective& sum) {
  const uint32_t n = events.rows(g);
  const std::span<const float> costs = events.costs(g);
  const auto times = static_cast<double>(labels.size());
  const float least = costs.empty() ? 0.0f : *std::min_element(costs.begin(), costs.end());
  if (!costs.empty()) judge(costs, s, labels.size(), sum);
  if (loss == EventLoss::softmax_margin)
    for (uint32_t j = 0; j < n; ++j)
      s[j] += static_cast<double>(costs[j]) - static_cast<double>(least);
  double own = 0.0;
  for (const uint32_t y : labels) own += s[y];
  const auto [log_z, best] = to_probabilities(s, n);
  if (!std::isfinite(log_z)) overflow(event);
  sum.events += labels.size();
  if (costs.empty())
    for (const uint32_t y : labels) sum.right += s[y] >= best;
  if (loss != EventLoss::expected_cost) {
    sum.loss += times * log_z - own;
    return;
  }
  double mean = 0.0;
  for (uint32_t j = 0; j < n; ++j)
    mean += s[j] * (static_cast<double>(costs[j]) - static_cast<double>(least));
  sum.loss += times * mean;
}

// p_j becomes `times` p_j (E[c] - c_j): minus the derivative of the expected cost by the score of
// j.
inline void to_cost_direction(std::span<const float> costs, double times, double* p) {
  double mean = 0.0;
  for (size_t j = 0; j < costs.size(); ++j) mean += p[j] * static_cast<double>(costs[j]);
  for (size_t j = 0; j < costs.size(); ++j) p[j] *= times * (mean - static_cast<double>(costs[j]));
}

}  // namespace demotic::learn
