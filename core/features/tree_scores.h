// Scores of many rows by the classifiers of ensembles, over threads.
//
// `features` is the number that the rows' atoms are below.
//
//   tree_scores(trees, features, {rows, firsts, counts}, lambda, threads)
//       of classifiers firsts[i] ... firsts[i] + counts[i] - 1 for row i, one row after another
//   choices_along_path(trees, features, questions, lambdas, threads)
//       for each row and each lambda (they fall) the best of these classifiers, counted from the
//       first; of equals the first
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "features/binary_rows.h"
#include "features/tree_ensembles.h"

namespace demotic::features {

struct TreeQuestions {
  BinaryRowsView rows;
  std::span<const uint32_t> firsts;
  std::span<const uint32_t> counts;
};

std::vector<double> tree_scores(const TreesView& trees, uint32_t features,
                                const TreeQuestions& questions, double lambda, unsigned threads);

std::vector<uint32_t> choices_along_path(const TreesView& trees, uint32_t features,
                                         const TreeQuestions& questions,
                                         std::span<const double> lambdas, unsigned threads);

}  // namespace demotic::features
