// N-grams of a forest's strings (the forest needs contexts, see context.h).
//
//   NgramTable t = ngram_table(g, 4);          every n-gram and the edges that make it
//   expected_counts(t, posteriors(...).edge)   E[#w]                     Tromble et al. (2008)
//   ngram_posteriors(g, g.score, t, threads)   P(w occurs), exact: 1 - Z(without edges that make
//   w)/Z ngram_gain(g, references, a)               per edge a0 * words + sum_n a_n * n-grams that
//   occur in
//                                              a reference: linear corpus BLEU, no clipping
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "forest/forest.h"

namespace demotic::forest {

// N-grams in the order in which the edges make them.
struct NgramTable {
  std::vector<uint32_t> word_off{0};  // n-grams + 1
  std::vector<int32_t> words;
  std::vector<uint32_t> edge_off;  // n-grams + 1
  std::vector<uint32_t> edge;      // ascending; an edge that makes the n-gram twice is there twice

  uint32_t size() const { return static_cast<uint32_t>(word_off.size() - 1); }
};

NgramTable ngram_table(const Forest& f, uint32_t min_order, uint32_t max_order);

std::vector<double> expected_counts(const NgramTable& table,
                                    std::span<const double> edge_posterior);

std::vector<double> ngram_posteriors(const Forest& f, std::span<const double> score,
                                     const NgramTable& table, unsigned threads);

// weights[0] for each word, weights[n] for each n-gram that is in one of the references.
std::vector<double> ngram_gain(const Forest& f, std::span<const std::vector<int32_t>> references,
                               std::span<const double> weights);

// What ngram_gain weighs, edges x (max_order + 1): words, then n-grams of 1, 2, ... words that are
// in one of the references.
std::vector<float> ngram_counts(const Forest& f, std::span<const std::vector<int32_t>> references,
                                uint32_t max_order);

}  // namespace demotic::forest
