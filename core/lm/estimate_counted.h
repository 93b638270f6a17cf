// Estimation from n-grams that were counted in pieces of a text, each somewhere else.
//
//   NgramCounts counts = count_ngrams(text, 5, renumbered, words);      of one piece
//   CountedText whole(vocab, frequencies, options);
//   whole.add(counts.keys, counts.counts);                              of all pieces, any order
//   std::unique_ptr<EstimatedModel> model = whole.estimate(tick);       that of estimate.h
//
// A key is the ids of an n-gram's words, the last word first, 4 bytes each, the highest first: keys
// that are compared as bytes are in suffix order.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "lm/estimate.h"
#include "lm/ngram_sort.h"

namespace demotic::lm {

struct NgramCounts {
  std::vector<uint8_t> keys;  // distinct, ascending
  std::vector<int64_t> counts;
};

// The n-grams of a text whose word i is renumbered[i] in a vocabulary of so many words.  Throws
// Error(argument) where it is not.
NgramCounts count_ngrams(const TrainingText& text, unsigned order,
                         std::span<const uint32_t> renumbered, uint32_t words);

class CountedText {
 public:
  // `vocab` and `frequencies` are those of the whole text (estimate_text.h).
  CountedText(text::Vocab vocab, std::vector<uint64_t> frequencies, EstimateOptions options);
  ~CountedText();

  // Throws Error(argument) where keys have other words than the vocabulary.
  void add(std::span<const uint8_t> keys, std::span<const int64_t> counts);
  // Once.
  std::unique_ptr<EstimatedModel> estimate(const Tick& tick);

 private:
  struct Sorter;
  template <size_t Limbs>
  struct PackedSorter;

  EstimateOptions options_;
  text::Vocab vocab_;
  std::vector<uint64_t> frequencies_;
  NgramPacking packing_;
  std::unique_ptr<Sorter> sorter_;
};

}  // namespace demotic::lm
