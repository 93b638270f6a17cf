// The part of a forest whose derivations yield one given string: D_y of cdlm's likelihood, forced
// decoding of a reference, or the reason why a reference is out of reach.
//
//   Forest part;
//   if (restrict_to(f, words, part)) ...       false: no derivation yields these words
//
// A node is split by the stretches [i, j) of the string that it can cover, bottom-up, as in
// parsing.
#pragma once

#include <cstdint>
#include <span>

#include "forest/forest.h"

namespace demotic::forest {

bool restrict_to(const Forest& f, std::span<const int32_t> words, Forest& result);

}  // namespace demotic::forest
