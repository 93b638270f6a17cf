// What a weight of a feature may be: scores of tables and language models are below 1e39 in size,
// so that products with weights like these, and sums of them, stay finite.  Sorting by what is no
// number is undefined behaviour.
#pragma once

#include <cmath>

namespace demotic::decode {

inline bool is_weight(double weight) { return std::abs(weight) <= 1e30; }

inline constexpr const char* kNoWeight = " is no number, or beyond 1e30";

}  // namespace demotic::decode
