#include "learn/local_model.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "io/error.h"
#include "learn/group_scores.h"
#include "learn/softmax.h"
#include "parallel.h"

namespace demotic::learn {

namespace {

constexpr uint64_t kChunk = 4096;  // groups that one thread sums at a time

void score(const events::EventGroups& events, const LocalWeights& w, size_t g,
           std::vector<double>& s) {
  s.resize(softmax_room(events.rows(g)));
  score_group(events, g, w.dense.data(), [&](uint32_t id) { return w.sparse[id]; }, s.data());
}

}  // namespace

Objective objective(const events::EventGroups& events, const LocalWeights& weights, EventLoss loss,
                    unsigned threads) {
  require_costs(events, loss);
  const size_t chunks = (events.groups() + kChunk - 1) / kChunk;
  std::vector<Objective> parts(chunks);
  parallel_for(chunks, threads, [&](size_t chunk, unsigned) {
    std::vector<double> p;
    const size_t end = std::min<size_t>(events.groups(), (chunk + 1) * kChunk);
    for (size_t g = chunk * kChunk; g < end; ++g) {
      const std::span<const uint32_t> labels = events.labels(g);
      if (labels.empty()) continue;
      score(events, weights, g, p);
      measure(events, g, labels, events.event_ptr[g], loss, p.data(), parts[chunk]);
      if (is_trivial(events, g)) parts[chunk].trivial += labels.size();
    }
  });
  Objective sum;
  for (const Objective& part : parts) sum += part;
  return sum;
}

Gradient gradient(const events::EventGroups& events, const LocalWeights& weights, EventLoss loss,
                  unsigned threads) {
  require_costs(events, loss);
  struct Part {
    std::vector<double> dense;
    std::vector<std::pair<uint32_t, double>> sparse;
  };
  const size_t chunks = (events.groups() + kChunk - 1) / kChunk;
  std::vector<Part> parts(chunks);
  parallel_for(chunks, threads, [&](size_t chunk, unsigned) {
    Part& part = parts[chunk];
    part.dense.assign(events.width, 0.0);
    std::vector<double> p, mean(events.width);
    Objective unused;
    const size_t end = std::min<size_t>(events.groups(), (chunk + 1) * kChunk);
    for (size_t g = chunk * kChunk; g < end; ++g) {
      const std::span<const uint32_t> labels = events.labels(g);
      if (labels.empty()) continue;
      score(events, weights, g, p);
      measure(events, g, labels, events.event_ptr[g], loss, p.data(), unused);
      const auto times = static_cast<double>(labels.size());
      if (loss == EventLoss::expected_cost) {
        to_cost_direction(events.costs(g), -times, p.data());
      } else {
        for (double& each : p) each *= times;
        for (const uint32_t y : labels) p[y] -= 1.0;
      }
      expectations(p.data(), events.width, events.column(g, 0), events.rows(g), mean.data());
      for (uint32_t f = 0; f < events.width; ++f) part.dense[f] += mean[f];
      events.for_each_sparse(g, [&](uint32_t j, uint32_t id, float value) {
        part.sparse.emplace_back(id, p[j] * static_cast<double>(value));
      });
    }
  });
  Gradient sum{std::vector<double>(events.width, 0.0),
               std::vector<double>(events.sparse_size, 0.0)};
  for (const Part& part : parts) {
    for (uint32_t f = 0; f < events.width; ++f) sum.dense[f] += part.dense[f];
    for (const auto& [id, value] : part.sparse) sum.sparse[id] += value;
  }
  return sum;
}

std::vector<double> probabilities(const events::EventGroups& events, const LocalWeights& weights,
                                  size_t g) {
  std::vector<double> p;
  if (events.rows(g) == 0) return p;
  score(events, weights, g, p);
  Objective unused;
  measure(events, g, {}, events.event_ptr[g], EventLoss::likelihood, p.data(), unused);
  p.resize(events.rows(g));
  return p;
}

}  // namespace demotic::learn
