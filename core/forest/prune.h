// Smaller forests.
//
//   Forest small = prune(f, f.score, 5.0);           edges within 5 of the best
//   Forest fixed = prune_to(f, f.score, 10000);      about the 10000 best edges
//   Forest one   = only_best(f);                     the best derivation
//   Forest part  = keep_edges(f, keep);              the given edges, trimmed
//
// The merit of an edge is the score of the best derivation that uses it (its max-marginal).  The
// best derivation always stays, and pruning by merit makes no dead ends.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "forest/builder.h"
#include "forest/forest.h"

namespace demotic::forest {

// For each edge how far its merit lies below the best score: >= 0, exactly 0 on the best
// derivation.
std::vector<double> deficits(const Forest& f, std::span<const double> score);

Forest prune(const Forest& f, std::span<const double> score, double threshold);

// The largest threshold that leaves at most max_edges edges, or the best derivation if that has
// more; equal edges are kept or dropped together.
Forest prune_to(const Forest& f, std::span<const double> score, size_t max_edges,
                Provenance* provenance = nullptr);

// The edges of the best derivation.
Forest only_best(const Forest& f, Provenance* provenance = nullptr);

// Throws Error(argument) if the kept edges contain no derivation of the root.
Forest keep_edges(const Forest& f, std::span<const char> keep, Provenance* provenance = nullptr);

}  // namespace demotic::forest
