// One derivation of a forest: its edges in depth-first order, an edge before the derivations of its
// tails, these from first to last.  That order alone determines the tree.
//
//   Derivation d = viterbi(f, f.score);
//   std::vector<int32_t> words = yield(f, d, Side::target);
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "forest/forest.h"
#include "forest/semiring.h"

namespace demotic::forest {

using Derivation = std::vector<uint32_t>;

// Nothing longer is written out, in edges or in words.  A node that is two tails of an edge doubles
// its derivations, so that a small file may hold one that no memory does.
inline constexpr size_t kLongest = size_t{1} << 24;
// Throws Error(argument) beyond it.
void check_length(size_t length);

// The best derivation; of equals the one with the smaller edge ids from the top down.
Derivation viterbi(const Forest& f, std::span<const double> score, double* value = nullptr);

// For each edge of d the position in d where each of its tails' derivations begins, flat, in the
// order of d.  Throws Error(argument) if d is not a derivation of node `top`.
std::vector<uint32_t> children(const Forest& f, std::span<const uint32_t> d, uint32_t top);

enum class Side : uint8_t { source, target };
std::vector<int32_t> yield(const Forest& f, std::span<const uint32_t> d, Side side);

// The edge that each node's best derivation begins with, from inside<MaxPlus>.  Where all of a
// node's derivations sum to -infinity, or to no number, the first stands for them.
std::vector<uint32_t> best_edges(const Forest& f, std::span<const MaxPlus> beta);

// Write out best[v], the chosen edge of each node, from the root down.
Derivation expand(const Forest& f, std::span<const uint32_t> best);

}  // namespace demotic::forest
