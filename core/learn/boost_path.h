// Algorithm 7.1: trees for ever smaller lambda, until lambda_min.
//
//   Booster booster(rows, options);
//   booster.train(positive, weights, out);      appends one classifier's trees
//
// A tree is kept if risk falls by it; its leaves' weights are merged with those of equal compounds
// before.
#pragma once

#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "learn/boost_grower.h"
#include "learn/boost_margins.h"
#include "learn/boosting.h"

namespace demotic::learn {

class Booster {
 public:
  Booster(const BoostRows& rows, const BoostOptions& options)
      : rows_(rows), options_(options), grower_(rows, options), margins_(rows) {}

  void train(std::span<const uint8_t> positive, std::span<const double> weights,
             features::TreeTables& out);

 private:
  struct LiteralsHash {
    size_t operator()(const std::vector<uint32_t>& literals) const;
  };

  double steepest_root() const;
  double fit(double lambda);
  double fallen(double lambda);
  double theta_of(const TreeGrower::Leaf& leaf) const;
  void find_places(const TreeGrower::Leaf& leaf);
  void apply();
  void write(double lambda, features::TreeTables& out);

  const BoostRows& rows_;
  const BoostOptions& options_;
  TreeGrower grower_;
  Margins margins_;
  std::unordered_map<std::vector<uint32_t>, double, LiteralsHash> theta_;  // merged weights
  double norm_ = 0.0;                                                      // their l1 norm
  std::vector<double> deltas_;                                             // by leaf
  std::vector<LeafPlace> places_;
  std::vector<uint32_t> by_size_;
  std::vector<uint8_t> moves_;  // by node: does any leaf below it?
};

// The linear model of atoms and a bias that minimises risk at lambda_min, as trees of one split:
// coordinate descent with exact steps, until no slope is steeper than 1e-6.
void train_atoms(const BoostRows& rows, std::span<const uint8_t> positive,
                 std::span<const double> weights, const BoostOptions& options,
                 features::TreeTables& out);

}  // namespace demotic::learn
