// What block search found, as it leaves the decoder: one derivation, or all of them as a Forest.
//
//   Derivation d = block_derivation(search, arcs, tokens);     arcs from the last block back
//   BlockGraph g = block_graph(search, tokens, false);
//   g.forest; g.arcs[e]                the arc behind an edge, kNoArc for the first and last ones
//
// In the graph a node is a state and an edge adds one block to the one before it, as a rule
// S -> S1 block; Goal -> S1 closes with "</s>".  A rule's origin is its block.  With `pairs`, each
// pair is a feature of its own, of value 1, named "pair PREVIOUS BLOCK", and Pairs is 0.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "decode/blocks/search.h"
#include "decode/derivation.h"
#include "forest/forest.h"

namespace demotic::decode::blocks {

inline constexpr uint32_t kNoArc = UINT32_MAX;

const std::vector<std::string>& block_labels();

struct BlockGraph {
  forest::Forest forest;
  std::vector<uint32_t> arcs;  // by edge
};

// The words of a sentence must be those of the search.
BlockGraph block_graph(const BlockSearch& search, std::span<const std::string> tokens, bool pairs);

// The arcs of the best derivation, from the last block back.
std::vector<uint32_t> best_arcs(const BlockSearch& search);
Derivation block_derivation(const BlockSearch& search, std::span<const uint32_t> arcs,
                            std::span<const std::string> tokens);
// Of a sentence without words.
Derivation empty_block_derivation();
forest::Forest empty_block_graph(const BlockModel& model, bool pairs);

}  // namespace demotic::decode::blocks
