// Boosted trees that learn a choice among few labels from the costs of each (boosting.h).
//
//   features::TreeTables trees = boost_costs(examples, rows, order, options, threads);
//   mean_margin(examples, trees.view(), order)
//
// Each label has a classifier of its own, which tells whether it is among the cheapest; atoms are
// the rows that linear learners have weights for.  What it learns from an example weighs as much as
// a mistake costs there: the mean cost of the others where the label is among the cheapest, its own
// cost where it is not, nothing where it is forbidden; relative to the mean over all examples.
#pragma once

#include <cstdint>
#include <span>

#include "features/tree_ensembles.h"
#include "learn/boosting.h"
#include "learn/cost_examples.h"

namespace demotic::learn {

// Labels that are never among the cheapest have no trees.
features::TreeTables boost_costs(const CostExamples& examples, uint32_t rows,
                                 std::span<const uint32_t> order, const BoostOptions& options,
                                 unsigned threads);

double mean_margin(const CostExamples& examples, const features::TreesView& trees, uint32_t rows,
                   std::span<const uint32_t> order);

}  // namespace demotic::learn
