// Batch MIRA over lists of hypotheses (Cherry and Foster 2012; the update is that of Moses'
// kbmira).
//
//   1. Mira mira(lists, weights, free, options);    lists of all sentences (dev_set.h)
//   2. for each pass: mira.pass(order);             every sentence once, in the given order
//   3. mira.mean();                                 the mean of the weights after each sentence
//   4. mira.best_stats(mira.mean(), threads);       the BLEU statistics of what it chooses
//
// A sentence's hope is its hypothesis of the largest w.f + B, its fear that of the largest
// w.f - B.  B is the BLEU that the hypothesis gives to a pseudo-document, the hopes before it with
// a weight that decays, times the document's reference length: so B is in words, and corpus BLEU
// is what counts.  Where the fear's score is not below the hope's by as much as their B differ, the
// weights move along the difference of features until it is, or by `c` times that difference.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "learn/dev_set.h"
#include "metrics/bleu.h"

namespace demotic::learn {

struct MiraOptions {
  double c = 0.01;       // the longest step
  double decay = 0.999;  // of the pseudo-document, a sentence
  double l2 = 0.0;  // the share of its way back to where it began that a weight goes, a sentence
};

// The pseudo-document: BLEU statistics as fractions.
struct Background {
  std::array<double, metrics::kBleuOrder> matches{1, 1, 1, 1};
  std::array<double, metrics::kBleuOrder> totals{1, 1, 1, 1};
  double ref_len = 1.0;

  // BLEU of the document with one more sentence, times its reference length.
  double bleu_with(const metrics::BleuStats& sentence) const;
  void add(const metrics::BleuStats& sentence, double decay);
};

class Mira {
 public:
  // Each sentence has a hypothesis; `start` is where weights are pulled to, and weights whose
  // `free` is 0 stay as they are.
  Mira(HypothesisLists lists, std::vector<double> weights, std::vector<double> start,
       std::vector<char> free, const MiraOptions& options);

  size_t sentences() const { return lists_.off.size() - 1; }
  size_t features() const { return weights_.size(); }

  void pass(std::span<const uint32_t> order);
  std::vector<double> mean() const;  // the weights themselves before the first pass
  // Of each sentence's best hypothesis under `weights` (the first of equals), summed up.
  metrics::BleuStats best_stats(std::span<const double> weights, unsigned threads) const;

 private:
  void visit(uint32_t sentence);
  double score(std::span<const double> weights, uint64_t row) const;
  const double* features_of(uint64_t row) const {
    return lists_.features.data() + row * features();
  }

  HypothesisLists lists_;           // stats: one for each that differs within a sentence
  std::vector<uint64_t> stat_off_;  // sentences + 1: in lists_.stats
  std::vector<uint32_t> row_stat_;  // by row: in the sentence's statistics
  std::vector<double> weights_, start_, sum_;
  std::vector<char> free_;
  MiraOptions options_;
  Background background_;
  uint64_t visits_ = 0;
  std::vector<double> bleu_, difference_;  // scratch
};

}  // namespace demotic::learn
