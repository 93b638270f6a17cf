#include "learn/cost_boosting.h"

#include <algorithm>
#include <memory>
#include <vector>

#include "features/tree_index.h"
#include "io/error.h"
#include "learn/boost_path.h"
#include "parallel.h"

namespace demotic::learn {

namespace {

BoostRows rows_of(const CostExamples& examples) {
  std::vector<uint64_t> ends{0};
  std::vector<uint32_t> atoms;
  atoms.reserve(examples.rows.size());
  for (size_t i = 0; i < examples.size(); ++i) {
    for (const uint32_t row : examples.rows_of(i))
      if (row != events::kNoRow) atoms.push_back(row);
    ends.push_back(atoms.size());
  }
  return BoostRows::of({ends, atoms}, 0, examples.size(), true);
}

// What each example teaches the classifier of one label.
struct Lesson {
  std::vector<uint8_t> positive;
  std::vector<double> weights;

  Lesson(const CostExamples& examples, uint32_t label, double mean)
      : positive(examples.size(), 0), weights(examples.size(), 0.0) {
    for (size_t i = 0; i < examples.size(); ++i) {
      const auto costs = examples.costs_of(i);
      const uint8_t cost = costs[label];
      if (cost == CostExamples::kForbidden) continue;
      positive[i] = cost == 0;
      weights[i] = (cost == 0 ? mean_wrong_cost(costs) : 1.0 * cost) / mean;
    }
  }
  bool any() const {
    return std::any_of(positive.begin(), positive.end(), [](uint8_t is) { return is != 0; });
  }
};

}  // namespace

features::TreeTables boost_costs(const CostExamples& examples, uint32_t rows,
                                 std::span<const uint32_t> order, const BoostOptions& options,
                                 unsigned threads) {
  options.check();
  if (options.atoms_only) throw io::Error(io::Fault::argument, "labels are boosted by trees");
  check_order(order);
  examples.check(rows, order.size());
  const double mean = std::max(1e-9, mean_of_wrong_costs(examples));
  const BoostRows laid_out = rows_of(examples);
  std::vector<features::TreeTables> made(order.size());
  std::vector<std::unique_ptr<Booster>> boosters(std::max(1u, threads));
  parallel_for(order.size(), threads, [&](size_t place, unsigned worker) {
    const uint32_t label = order[place];  // the most frequent first: they take longest
    features::TreeTables& out = made[label];
    const Lesson lesson(examples, label, mean);
    if (!lesson.any()) return out.end_classifier();
    if (!boosters[worker]) boosters[worker] = std::make_unique<Booster>(laid_out, options);
    boosters[worker]->train(lesson.positive, lesson.weights, out);
  });
  features::TreeTables all;
  for (const features::TreeTables& each : made) all.add_classifier(each.view(), 0);
  return all;
}

double mean_margin(const CostExamples& examples, const features::TreesView& trees, uint32_t rows,
                   std::span<const uint32_t> order) {
  const features::TreeIndex index(trees, rows);
  features::TreeAsker ask(index);
  return mean_margin(examples, order, [&](size_t at, std::span<float> scores) {
    ask.clear();
    for (const uint32_t row : examples.rows_of(at)) ask.add(row);
    ask.score_all(scores);
  });
}

}  // namespace demotic::learn
