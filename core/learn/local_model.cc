#include "learn/local_model.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "io/error.h"
#include "learn/softmax.h"
#include "parallel.h"

namespace demotic::learn {

namespace {

constexpr uint64_t kChunk = 4096;  // groups that one thread sums at a time

// w.x of each candidate of a group.
void score(const events::EventGroups& events, const LocalWeights& w, size_t g,
           std::vector<double>& s) {
  const uint32_t n = events.rows(g);
  s.resize(softmax_room(n));
  dense_scores(w.dense.data(), events.width, events.column(g, 0), n, s.data());
  if (const uint32_t* const b = events.binary_of(g))
    for (uint32_t j = 0; j < n; ++j)
      if (b[j] != events::kNoBinary) s[j] += static_cast<double>(w.binary[b[j]]);
}

// The scores of n candidates become probabilities; the losses of the labels are added up.
void measure(std::vector<double>& s, uint32_t n, std::span<const uint32_t> labels, size_t event,
             Objective& sum) {
  double own = 0.0;
  for (const uint32_t y : labels) own += s[y];
  const auto [log_z, best] = to_probabilities(s.data(), n);
  if (!std::isfinite(log_z))
    throw io::Error(io::Fault::argument,
                    "the score of event " + std::to_string(event + 1) + " is not finite", 0,
                    "lower the step size");
  sum.loss += static_cast<double>(labels.size()) * log_z - own;
  sum.events += labels.size();
  if (n == 1) sum.trivial += labels.size();
  for (const uint32_t y : labels) sum.right += s[y] >= best;
}

}  // namespace

Objective objective(const events::EventGroups& events, const LocalWeights& weights,
                    unsigned threads) {
  const size_t chunks = (events.groups() + kChunk - 1) / kChunk;
  std::vector<Objective> parts(chunks);
  parallel_for(chunks, threads, [&](size_t chunk, unsigned) {
    std::vector<double> p;
    const size_t end = std::min<size_t>(events.groups(), (chunk + 1) * kChunk);
    for (size_t g = chunk * kChunk; g < end; ++g) {
      if (events.labels(g).empty()) continue;
      score(events, weights, g, p);
      measure(p, events.rows(g), events.labels(g), events.event_ptr[g], parts[chunk]);
    }
  });
  Objective sum;
  for (const Objective& part : parts) sum += part;
  return sum;
}

Gradient gradient(const events::EventGroups& events, const LocalWeights& weights,
                  unsigned threads) {
  struct Part {
    std::vector<double> dense;
    std::vector<std::pair<uint32_t, double>> binary;
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
      measure(p, events.rows(g), labels, events.event_ptr[g], unused);
      for (double& each : p) each *= static_cast<double>(labels.size());
      for (const uint32_t y : labels) p[y] -= 1.0;
      expectations(p.data(), events.width, events.column(g, 0), events.rows(g), mean.data());
      for (uint32_t f = 0; f < events.width; ++f) part.dense[f] += mean[f];
      if (const uint32_t* const b = events.binary_of(g))
        for (uint32_t j = 0; j < events.rows(g); ++j)
          if (b[j] != events::kNoBinary) part.binary.emplace_back(b[j], p[j]);
    }
  });
  Gradient sum{std::vector<double>(events.width, 0.0), std::vector<double>(events.binaries, 0.0)};
  for (const Part& part : parts) {
    for (uint32_t f = 0; f < events.width; ++f) sum.dense[f] += part.dense[f];
    for (const auto& [b, value] : part.binary) sum.binary[b] += value;
  }
  return sum;
}

std::vector<double> probabilities(const events::EventGroups& events, const LocalWeights& weights,
                                  size_t g) {
  std::vector<double> p;
  if (events.rows(g) == 0) return p;
  score(events, weights, g, p);
  Objective unused;
  measure(p, events.rows(g), {}, events.event_ptr[g], unused);
  p.resize(events.rows(g));
  return p;
}

}  // namespace demotic::learn
