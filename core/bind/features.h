// Feature spaces and sparse vectors between Python and the core.
//
//   .def_prop_ro("space", [](const Forest& f) { return shown(f.names->features); })
//   return numpy(std::move(vector));           (ids, values)
#pragma once

#include <memory>
#include <utility>

#include "bind/arrays.h"
#include "features/feature_space.h"
#include "features/sparse_sum.h"

namespace demotic::bind {

// Python has no const: nothing that is bound changes a space.
inline std::shared_ptr<features::FeatureSpace> shown(
    std::shared_ptr<const features::FeatureSpace> space) {
  return std::const_pointer_cast<features::FeatureSpace>(std::move(space));
}

inline nb::tuple numpy(features::SparseVector v) {
  return nb::make_tuple(numpy(std::move(v.ids)), numpy(std::move(v.values)));
}

}  // namespace demotic::bind
