#include "learn/boost_margins.h"

#include <algorithm>
#include <numeric>

namespace demotic::learn {

Margins::Margins(const BoostRows& rows)
    : rows_(rows),
      key_(rows.rows()),
      main_positive_(rows.atoms()),
      main_negative_(rows.atoms()),
      v_(rows.rows()),
      root_{std::vector<double>(rows.atoms()), std::vector<uint32_t>(rows.atoms())} {
  for (uint32_t atom = 0; atom < rows.atoms(); ++atom)
    root_.rows[atom] = static_cast<uint32_t>(rows.column(atom).size());
}

void Margins::begin(std::span<const uint8_t> positive, std::span<const double> weights) {
  unit_ = weights.empty();
  weights_.assign(weights.begin(), weights.end());
  states_.assign(1, {});
  part_.assign(1, {});
  fresh_.assign(1, 0);
  main_ = 0;
  others_.clear();
  Part& all = states_[0].all;
  all.rows = rows_.rows();
  if (unit_)  // whole numbers: what is not positive need not be counted
    std::copy(root_.rows.begin(), root_.rows.end(), main_negative_.begin());
  else
    std::fill(main_negative_.begin(), main_negative_.end(), 0.0);
  std::fill(main_positive_.begin(), main_positive_.end(), 0.0);
  for (uint32_t row = 0; row < rows_.rows(); ++row) {
    const bool is = positive[row] != 0;
    key_[row] = is ? 1 : 0;
    const double weight = unit_ ? 1.0 : weights_[row];
    all.weight[key_[row]] += weight;
    if (unit_ && !is) continue;
    for (const uint32_t atom : rows_.row(row)) {
      (is ? main_positive_ : main_negative_)[atom] += weight;
      if (unit_) main_negative_[atom] -= 1.0;
    }
  }
  update();
}

void Margins::update() {
  std::vector<double>& pull = pull_;
  pull.resize(2 * states_.size());
  v_known_ = false;
  mass_ = {};
  for (size_t s = 0; s < states_.size(); ++s) {
    const State& state = states_[s];
    // w is 1 / (1 + exp(h)) of a positive row, 1 / (1 + exp(-h)) of a negative one.
    const double e = std::exp(-std::abs(state.h));
    const double large = 1.0 / (1.0 + e), small = e / (1.0 + e);
    pull[2 * s] = -(state.h >= 0 ? large : small);
    pull[2 * s + 1] = state.h >= 0 ? small : large;
    mass_.positive += state.all.weight[1] * pull[2 * s + 1];
    mass_.negative -= state.all.weight[0] * pull[2 * s];
  }
  const double up = pull[2 * main_ + 1], down = pull[2 * main_];
  for (uint32_t atom = 0; atom < rows_.atoms(); ++atom)
    root_.v[atom] = main_positive_[atom] * up + main_negative_[atom] * down;
  for (const uint32_t row : others_) {
    const double v = v_of(row);
    for (const uint32_t atom : rows_.row(row)) root_.v[atom] += v;
  }
}

std::span<const double> Margins::v() {
  if (!v_known_)
    for (uint32_t row = 0; row < rows_.rows(); ++row) v_[row] = v_of(row);
  v_known_ = true;
  return v_;
}

void Margins::all_places(std::vector<LeafPlace>& places) const {
  places.clear();
  for (const State& state : states_)
    if (state.all.rows > 0) places.push_back(state.place());
}

// parts_ and part_: which states a leaf's rows are in.  Of a large leaf what is not in it is
// counted, if rows can be counted.
void Margins::take_apart(const LeafRows& rows) {
  parts_.clear();
  if (unit_ && rows.here().size() > rows.all.size() / 2) {
    for (uint32_t s = 0; s < states_.size(); ++s) part_[s] = states_[s].all;
    for (const std::span<const uint32_t> others : {rows.before(), rows.behind()})
      for (const uint32_t row : others) {
        const uint32_t key = key_[row];
        --part_[key >> 1].rows;
        part_[key >> 1].weight[key & 1] -= 1.0;
      }
    for (uint32_t s = 0; s < states_.size(); ++s)
      if (part_[s].rows > 0) parts_.push_back(s);
    return;
  }
  for (const uint32_t row : rows.here()) {
    const uint32_t key = key_[row];
    Part& part = part_[key >> 1];
    if (part.rows++ == 0) parts_.push_back(key >> 1);
    part.weight[key & 1] += unit_ ? 1.0 : weights_[row];
  }
}

void Margins::places(const LeafRows& rows, std::vector<LeafPlace>& places) {
  take_apart(rows);
  places.clear();
  for (const uint32_t s : parts_) {
    places.push_back({states_[s].h, part_[s].weight[1], part_[s].weight[0]});
    part_[s] = {};
  }
}

void Margins::move_all(double delta) {
  for (State& state : states_) state.h += delta;
}

void Margins::move(const LeafRows& rows, double delta) {
  constexpr uint32_t kSame = UINT32_MAX;
  take_apart(rows);
  bool any = false;
  for (const uint32_t s : parts_) {
    const Part part = part_[s];
    part_[s] = {};
    Part& all = states_[s].all;
    if (part.rows == all.rows) {
      states_[s].h += delta;
      fresh_[s] = kSame;
      continue;
    }
    any = true;
    fresh_[s] = static_cast<uint32_t>(states_.size());
    for (const int side : {0, 1}) all.weight[side] -= part.weight[side];
    all.rows -= part.rows;
    states_.push_back({states_[s].h + delta, part});
    part_.push_back({});
    fresh_.push_back(0);
  }
  if (!any) return;
  const uint32_t old = main_;
  const bool main_moves = fresh_[old] != kSame && fresh_[old] != 0 &&
                          states_[fresh_[old]].all.rows > states_[old].all.rows;
  for (const uint32_t row : rows.here()) {
    const uint32_t s = state_of(row);
    if (fresh_[s] == kSame) continue;
    if (s == old && !main_moves) leave_main(row);
    key_[row] = 2 * fresh_[s] + (key_[row] & 1);
  }
  if (main_moves) {
    main_ = fresh_[old];
    for (uint32_t row = 0; row < rows_.rows(); ++row)
      if (state_of(row) == old) leave_main(row);
  }
  for (const uint32_t s : parts_) fresh_[s] = 0;
}

void Margins::leave_main(uint32_t row) {
  others_.push_back(row);
  std::vector<double>& counted = (key_[row] & 1) != 0 ? main_positive_ : main_negative_;
  const double weight = unit_ ? 1.0 : weights_[row];
  for (const uint32_t atom : rows_.row(row)) counted[atom] -= weight;
}

double Margins::total_loss() const {
  double sum = 0.0;
  for (const State& state : states_) sum += loss(state.place(), 0.0);
  return sum;
}

}  // namespace demotic::learn
