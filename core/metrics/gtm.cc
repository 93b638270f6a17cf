#include "metrics/gtm.h"

#include <algorithm>
#include <cmath>

namespace demotic::metrics {

namespace {

void push(std::vector<GtmRun>& heap, GtmRun run) {
  heap.push_back(run);
  std::push_heap(heap.begin(), heap.end());
}

GtmRun pop(std::vector<GtmRun>& heap) {
  std::pop_heap(heap.begin(), heap.end());
  const GtmRun run = heap.back();
  heap.pop_back();
  return run;
}

// Collects the stretches of one diagonal, beginning at (row, column), on which `is_free` holds.
template <class IsFree>
void stretches(std::vector<GtmRun>& heap, uint32_t row, uint32_t column, uint32_t length,
               IsFree&& is_free) {
  uint32_t run = 0;
  for (uint32_t step = 0; step <= length; ++step) {
    if (step < length && is_free(row + step, column + step)) {
      ++run;
    } else if (run > 0) {
      push(heap, {run, row + step - run, column + step - run});
      run = 0;
    }
  }
}

void collect_runs(std::span<const uint32_t> hypothesis, std::span<const uint32_t> reference,
                  uint32_t offset, std::vector<GtmRun>& heap) {
  const auto rows = static_cast<uint32_t>(hypothesis.size());
  const auto columns = static_cast<uint32_t>(reference.size());
  const auto hit = [&](uint32_t row, uint32_t column) {
    return hypothesis[row] == reference[column - offset];
  };
  for (uint32_t row = 0; row < rows; ++row)
    stretches(heap, row, offset, std::min(rows - row, columns), hit);
  for (uint32_t column = 1; column < columns; ++column)
    stretches(heap, 0, offset + column, std::min(rows, columns - column), hit);
}

}  // namespace

GtmStats gtm_statistics(std::span<const uint32_t> hypothesis,
                        std::span<const std::span<const uint32_t>> references, double exponent,
                        GtmScratch& scratch) {
  scratch.heap.clear();
  size_t columns = 0;
  for (const auto& reference : references) {
    collect_runs(hypothesis, reference, static_cast<uint32_t>(columns), scratch.heap);
    columns += reference.size();
  }
  scratch.row_used.assign(hypothesis.size(), 0);
  scratch.column_used.assign(columns, 0);

  GtmStats stats;
  stats.hyp_len = static_cast<double>(hypothesis.size());
  if (!references.empty())
    stats.ref_len = static_cast<double>(columns) / static_cast<double>(references.size());
  double room = std::min(stats.hyp_len, stats.ref_len);
  double sum = 0.0;
  const auto is_free = [&](uint32_t row, uint32_t column) {
    return scratch.row_used[row] == 0 && scratch.column_used[column] == 0;
  };
  while (room > 0.0 && !scratch.heap.empty()) {
    const GtmRun run = pop(scratch.heap);
    bool whole = true;
    for (uint32_t step = 0; step < run.length && whole; ++step)
      whole = is_free(run.row + step, run.column + step);
    if (!whole) {  // what earlier runs left of it waits for its turn
      stretches(scratch.heap, run.row, run.column, run.length, is_free);
      continue;
    }
    for (uint32_t step = 0; step < run.length; ++step)
      scratch.row_used[run.row + step] = scratch.column_used[run.column + step] = 1;
    const double length = std::min(room, static_cast<double>(run.length));
    room -= length;
    sum += std::pow(length, exponent);
  }
  stats.match = std::pow(sum, 1.0 / exponent);
  return stats;
}

}  // namespace demotic::metrics
