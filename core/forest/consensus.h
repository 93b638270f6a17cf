// Consensus decoding: the derivation whose n-grams the whole forest agrees on most.
//
//   Consensus c = consensus(f, {.scale = 1.0, .weights = {-1, 0.3, 0.6, 1.0, 1.8}}, 10);
//   c.best[0].edges, c.best[0].gain           up to 10 of different words, the best first
//   c.own                                     the best one by the forest's scores
//
// The gain of a string is linear corpus BLEU under p(d) ~ exp(scale * score(d)) (Tromble et al.
// 2008):
//
//   a_0 * words + sum over its n-grams w, repeated ones included, of a_n * min(1, E[#w])
//                + model * log(p(d) / p(best))                    (Kumar et al. 2009)
//
// where for a best translation of L words a_n becomes a_n * L / (L - n + 1), and orders above L
// leave their part to the others: or short sentences, which have few n-grams, would rather be
// empty. Expected counts come from one pass over the forest (DeNero, Chiang and Knight 2009).
// Clipped, they are bounds of P(w occurs), equal to it where no derivation has w twice; exact
// probabilities (ngrams.h) take a pass for each n-gram.  Of equal gains the better score wins.
#pragma once

#include <cstddef>
#include <vector>

#include "forest/derivation.h"
#include "forest/forest.h"

namespace demotic::forest {

struct ConsensusOptions {
  double scale = 1.0;
  std::vector<double> weights;  // a_0, a_1, ..., a_N
  double model = 0.0;           // how much a derivation's own probability counts
  size_t density = 0;           // best edges kept for each source word; 0 keeps all
};

struct Choice {
  Derivation edges;
  double gain = 0.0;
};

struct Consensus {
  Choice own;
  std::vector<Choice> best;
};

// Where contexts need too much room, fewer edges are kept.
Consensus consensus(const Forest& f, const ConsensusOptions& options, size_t k);

}  // namespace demotic::forest
