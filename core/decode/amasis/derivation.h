// What the search found, as it leaves the decoder: one derivation, or all of them as a Forest.
//
//   Derivation d = make_derivation(best_items(search), model, tokens, sentence);
//   SearchGraph graph = search_graph(search, model, tokens, sentence);
//   make_derivation(graph.items(heads, edges), ...)         of a k-best result
//
// A derivation is the tree that the labels amount to: X -> [X X] of R+, X -> <X X> of R-, items at
// the leaves; J -> [J X] joins what was left of the stack at the end.
//
// In the graph a node X is an element of a stack, and an edge pushes an item and reduces what its
// label says, in one rule: X -> X1 X2 f / X2 e X1, say.  J and Goal close.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "decode/amasis/search.h"
#include "decode/derivation.h"
#include "forest/forest.h"

namespace demotic::decode::amasis {

inline constexpr uint32_t kElementLabel = 0;
inline constexpr uint32_t kJoinedLabel = 1;
inline constexpr uint32_t kGoalLabel = 2;
const std::vector<std::string>& amasis_labels();

// An item; or the end of a zone (kZoneEnd), behind the items and zones in it.
struct PlacedItem {
  uint32_t rule;
  uint32_t begin, end;
  uint32_t label;
  float logprob;
};

// By their ends.
std::vector<PlacedItem> best_items(const AmasisSearch& search);

Derivation make_derivation(std::span<const PlacedItem> items, const AmasisModel& model,
                           std::span<const std::string> tokens, const SourceSentence& sentence);

struct SearchGraph {
  struct Rule {
    uint32_t rule;
    uint32_t label;
    uint32_t begin;  // of a zone
    bool is_item;
  };
  forest::Forest forest;
  std::vector<Rule> rules;  // of the forest

  std::vector<PlacedItem> items(std::span<const uint32_t> heads, std::span<const uint32_t> edges,
                                const AmasisModel& model) const;
};
SearchGraph search_graph(AmasisSearch& search, const AmasisModel& model,
                         std::span<const std::string> tokens, const SourceSentence& sentence);
// Of a sentence without words, or without a derivation.
forest::Forest empty_graph(const AmasisModel& model);

}  // namespace demotic::decode::amasis
