// The linear models of boost_path.h.

#include <algorithm>
#include <cmath>
#include <vector>

#include "learn/boost_leaf.h"
#include "learn/boost_path.h"

namespace demotic::learn {

namespace {

// Weights of atoms, and of the bias behind the last of them.
class CoordinateDescent {
 public:
  CoordinateDescent(const BoostRows& rows, std::span<const uint8_t> positive,
                    std::span<const double> weights, double lambda)
      : rows_(rows), lambda_(lambda), theta_(rows.atoms() + 1) {
    for (uint32_t row = 0; row < rows.rows(); ++row) {
      const double weight = weights.empty() ? 1.0 : weights[row];
      places_.push_back(
          {0.0, positive[row] != 0 ? weight : 0.0, positive[row] != 0 ? 0.0 : weight});
    }
  }

  void run() {
    constexpr double kFlat = 1e-6;
    constexpr int kMost = 10000;  // sweeps
    std::vector<uint32_t> active(theta_.size());
    for (uint32_t i = 0; i < active.size(); ++i) active[i] = i;
    const std::vector<uint32_t> all = active;
    for (int sweep = 0; sweep < kMost; ++sweep) {
      // What was steep is swept until it is flat; then all others are looked at again.
      std::vector<uint32_t> steep;
      double most = 0.0;
      for (const uint32_t atom : active) {
        const double slope = step(atom, kFlat);
        most = std::max(most, slope);
        if (slope > 0.0 || theta_[atom] != 0.0) steep.push_back(atom);
      }
      if (most >= kFlat) {
        active = std::move(steep);
      } else if (active.size() < all.size()) {
        active = all;
      } else {
        break;
      }
    }
  }

  const std::vector<double>& theta() const { return theta_; }

 private:
  double step(uint32_t atom, double flat) {
    leaf_.clear();
    double v = 0.0;
    each_row(atom, [&](uint32_t row) {
      const LeafPlace& place = places_[row];
      leaf_.push_back(place);
      v += place.positive > 0 ? place.positive * falling_sigmoid(place.h)
                              : -place.negative * falling_sigmoid(-place.h);
    });
    const double slope = steepest(v, theta_[atom], lambda_, false);  // (7.7)
    if (slope < flat) return slope;
    const double delta = fit_leaf(leaf_, theta_[atom], lambda_);
    theta_[atom] += delta;
    each_row(atom, [&](uint32_t row) { places_[row].h += delta; });
    return slope;
  }

  template <class Row>
  void each_row(uint32_t atom, Row&& row) const {
    if (atom < rows_.atoms())
      for (const uint32_t each : rows_.column(atom)) row(each);
    else
      for (uint32_t each = 0; each < rows_.rows(); ++each) row(each);
  }

  const BoostRows& rows_;
  double lambda_;
  std::vector<double> theta_;
  std::vector<LeafPlace> places_;  // by row
  std::vector<LeafPlace> leaf_;
};

}  // namespace

void train_atoms(const BoostRows& rows, std::span<const uint8_t> positive,
                 std::span<const double> weights, const BoostOptions& options,
                 features::TreeTables& out) {
  CoordinateDescent descent(rows, positive, weights, options.lambda_min);
  descent.run();
  const std::vector<double>& theta = descent.theta();
  const auto end_tree = [&] { out.end_tree(options.lambda_min); };
  if (theta[rows.atoms()] != 0.0) {
    out.add_leaf(theta[rows.atoms()]);
    end_tree();
  }
  for (uint32_t atom = 0; atom < rows.atoms(); ++atom) {
    if (theta[atom] == 0.0) continue;
    out.add(rows.names[atom], 2, 0.0);
    out.add_leaf(theta[atom]);
    out.add_leaf(0.0);
    end_tree();
  }
  out.end_classifier();
}

}  // namespace demotic::learn
