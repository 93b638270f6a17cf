// A forest of few features, for learners of few weights: the dense ones of its space, and what the
// sparse ones are worth under weights that stay as they are.
//
//   Forest g = hold_sparse(f, space, weights);
//
// `space` has the names of f's dense features, perhaps with one more, the worth of the others under
// `weights`, which go by the ids of f's features.  Without that one the others are dropped.
#pragma once

#include <memory>
#include <span>

#include "forest/forest.h"

namespace demotic::forest {

// Throws Error(argument) where the numbers of features or weights do not fit.
Forest hold_sparse(const Forest& forest, std::shared_ptr<const features::FeatureSpace> space,
                   std::span<const double> weights);

}  // namespace demotic::forest
