// What phrase-based search found, as it leaves the decoder: one derivation, or all of them as a
// Forest (forest/forest.h).
//
//   Derivation d = best_derivation(search, sentence);       or, of a k-best result,
//   Derivation d = forest_derivation(packed, heads, edges);
//   complete(d, tokens, sentence, model);                        words, links, features, scores
//   Forest f = search_graph(search, model, tokens, sentence);
//
// In the graph a node is a hypothesis and an edge adds one phrase to the one before it, as a rule
// S -> S1 phrase; Goal -> S1 closes with "</s>".  A rule's origin is its number in the table.
#pragma once

#include <span>
#include <string>

#include "decode/derivation.h"
#include "decode/phrase/search.h"
#include "forest/forest.h"

namespace demotic::decode::phrase {

// Labels of steps and of the graph's nodes: those of PhraseGraph, then that of phrases.
inline constexpr uint32_t kPhraseLabel = 2;
const std::vector<std::string>& phrase_labels();

Derivation best_derivation(const PhraseSearch& search, uint32_t words);
Derivation forest_derivation(const forest::Forest& packed, std::span<const uint32_t> heads,
                             std::span<const uint32_t> edges, const PhraseModel& model);
void complete(Derivation& derivation, std::span<const std::string> tokens,
              const SourceSentence& sentence, const PhraseModel& model);

forest::Forest search_graph(const PhraseSearch& search, const PhraseModel& model,
                            std::span<const std::string> tokens, const SourceSentence& sentence);
// Of a sentence without words.
forest::Forest empty_search_graph(const PhraseModel& model);

}  // namespace demotic::decode::phrase
