// Margins of rows while a classifier is trained.  Rows that went through the same leaves are one
// state.
//
//   Margins margins(rows);
//   margins.begin(positive, weights);             all rows in one state, h = 0
//   margins.root()                                sums of v by atom; margins.mass()
//   margins.places(rows of a leaf, places)        what a leaf's line search needs
//   margins.move(rows of a leaf, delta)           smaller leaves first
//   margins.move_all(delta)
//
// The atoms of the largest state's rows are counted once, as positive and negative ones; only other
// rows are looked at for root().
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "learn/boost_grower.h"
#include "learn/boost_leaf.h"
#include "learn/boosting.h"

namespace demotic::learn {

class Margins {
 public:
  explicit Margins(const BoostRows& rows);

  void begin(std::span<const uint8_t> positive, std::span<const double> weights);

  // After any number of moves.
  void update();
  std::span<const double> v();  // by row; reckoned when it is asked for
  const AtomSums& root() const { return root_; }
  const Mass& mass() const { return mass_; }

  void all_places(std::vector<LeafPlace>& places) const;
  void places(const LeafRows& rows, std::vector<LeafPlace>& places);
  void move_all(double delta);
  void move(const LeafRows& rows, double delta);

  double h(size_t row) const { return states_[state_of(static_cast<uint32_t>(row))].h; }
  double total_loss() const;

 private:
  // Weights of negative rows and of positive ones.
  struct Part {
    double weight[2] = {0.0, 0.0};
    uint32_t rows = 0;
  };
  struct State {
    double h = 0.0;
    Part all;

    LeafPlace place() const { return {h, all.weight[1], all.weight[0]}; }
  };

  uint32_t state_of(uint32_t row) const { return key_[row] >> 1; }
  double v_of(uint32_t row) const {
    return unit_ ? pull_[key_[row]] : weights_[row] * pull_[key_[row]];
  }
  void take_apart(const LeafRows& rows);
  void leave_main(uint32_t row);

  const BoostRows& rows_;
  bool unit_ = true;             // all rows weigh 1
  std::vector<double> weights_;  // if not
  std::vector<State> states_;
  std::vector<uint32_t> key_;  // by row: twice its state, and 1 if it is positive
  uint32_t main_ = 0;
  std::vector<double> main_positive_, main_negative_;  // by atom: weight of the main state's rows
  std::vector<uint32_t> others_;                       // rows of other states
  std::vector<double> v_;
  bool v_known_ = false;
  AtomSums root_;
  Mass mass_;
  std::vector<double> pull_;     // by state: v of a negative row of weight 1, of a positive one
  std::vector<Part> part_;       // by state: what a leaf has of it
  std::vector<uint32_t> parts_;  // states of a leaf
  std::vector<uint32_t> fresh_;  // by state: the new one of the rows that move
};

}  // namespace demotic::learn
