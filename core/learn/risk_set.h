// Forests to learn from, and sums over what their derivations count: risk, expected BLEU and
// likelihood, with their gradients.
//
//   RiskSet set(space, 5);
//   set.add(forest, counts);                 for each sentence; counts: edges x 5, for instance
//                                            words and matching n-grams (forest/ngrams.h)
//   set.add(forest, counts, 0.5);            one that counts half in all that follows
//   const Expected now = set.expect(weights, scale, {}, threads);
//   now.counts                               the sums over the forests of E[counts(d)] under
//                                            p(d) ~ exp(scale * w.f(d))
//   set.slope(gain, temperature, threads)    F = E[gain . counts] - temperature * H and dF/dw,
//                                            at the weights of `expect`
//
// Two steps because a function of corpus counts, such as BLEU, has its derivative by the counts as
// `gain`, which is known when all are.  The first step leaves p(e | head) and the scores of each
// forest behind, so that the second needs no exponentials.  Results do not depend on threads.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "features/sparse_sum.h"
#include "forest/excess.h"
#include "forest/forest.h"
#include "forest/posterior.h"

namespace demotic::learn {

// All of it times the weights of forests.
struct Expected {
  double log_z = 0.0;          // summed over the forests
  std::vector<double> counts;  // by column, summed over the forests
  std::vector<double> each;    // forests x columns
};

struct Slope {
  double value = 0.0;
  double scale_gradient = 0.0;
  features::SparseVector gradient;
};

class RiskSet {
 public:
  RiskSet(std::shared_ptr<const features::FeatureSpace> space, uint32_t columns);

  // Throws Error(argument) unless the forest has this set's features, the counts fit and are
  // finite, and the weight is a number from 0 up.
  void add(const forest::Forest& forest, std::vector<float> counts, double weight = 1.0);

  size_t size() const { return items_.size(); }
  // The sum of the forests' weights.
  double weight() const { return weight_; }
  size_t edges() const { return edges_; }
  uint32_t columns() const { return columns_; }
  const std::shared_ptr<const features::FeatureSpace>& space() const { return space_; }
  // Ids of the features that a forest has, ascending.
  std::vector<uint32_t> features() const;
  // In how many groups of forests each of these is; `group` has a number for each forest.
  std::vector<uint32_t> support(std::span<const uint32_t> ids,
                                std::span<const uint32_t> group) const;

  // Of the forests in `only`, each there once, or of all if it is empty.
  Expected expect(std::span<const double> weights, double scale, std::span<const uint32_t> only,
                  unsigned threads);
  // Throws Error(argument) where nothing was expected before.
  Slope slope(std::span<const double> gain, double temperature, unsigned threads) const;
  // The sum over the forests of E[f(d)].
  features::SparseVector expected_features(unsigned threads) const;

 private:
  struct Item {
    forest::Forest forest;
    std::vector<float> counts;  // times the weight
    double weight;
    forest::LogInside in;       // of the last expect
    std::vector<double> score;  // scaled
    std::vector<double> mean;   // of counts and score, by node
  };
  void check_expected() const;
  void expect_one(Item& item, std::span<const double> weights, std::span<double> counts) const;

  std::shared_ptr<const features::FeatureSpace> space_;
  uint32_t columns_;
  std::vector<Item> items_;
  size_t edges_ = 0;
  double weight_ = 0.0;
  double scale_ = 0.0;            // of the last expect; 0: there was none
  std::vector<uint32_t> chosen_;  // by the last expect
};

}  // namespace demotic::learn
