// The Python face of forests is written in several files; this is what they show each other.
#pragma once

#include "bind/bind.h"
#include "forest/forest.h"

namespace demotic::bind {

void forest_arrays(nb::class_<forest::Forest>& c);  // its arrays, as views that keep it alive
void forest_sums(nb::class_<forest::Forest>& c);    // inside and outside, by the name of a semiring
void forest_build(nb::module_& m);                  // a forest out of flat arrays
void forest_many(nb::module_& m);                   // kernels over several forests and threads

}  // namespace demotic::bind
