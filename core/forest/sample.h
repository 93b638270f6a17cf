// Draw derivations from p(d) = exp(score(d)) / Z.
//
//   std::vector<Derivation> some = sample(f, f.score, 100, seed, stream);
//
// From the root down, each occurrence of a node chooses its edge by p(e | node), independently of
// other occurrences.  The same seed and stream give the same derivations; a set of forests gives
// each its own stream.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "forest/derivation.h"
#include "forest/forest.h"

namespace demotic::forest {

std::vector<Derivation> sample(const Forest& f, std::span<const double> score, size_t count,
                               uint64_t seed, uint64_t stream);

}  // namespace demotic::forest
