#include "learn/boost_margins.h"

#include <algorithm>
#include <numeric>

namespace demotic::learn {

Margins::Margins(const BoostRows& rows)
    : rows_(rows),
      state_(rows.rows()),
      main_positive_(rows.atoms()),
      main_negative_(rows.atoms()),
      v_(rows.rows()),
      root_{std::vector<double>(rows.atoms()), std::vector<uint32_t>(rows.atoms())} {
  for (uint32_t atom = 0; atom < rows.atoms(); ++atom)
    root_.rows[atom] = static_cast<uint32_t>(rows.column(atom).size());
}

void Margins::begin(std::span<const uint8_t> positive, std::span<const double> weights) {
  positive_.assign(positive.begin(), positive.end());
  weights_.assign(weights.begin(), weights.end());
  weights_.resize(positive.size(), 1.0);
  std::fill(state_.begin(), state_.end(), 0u);
  states_.assign(1, {});
  part_.assign(1, {});
  fresh_.assign(1, 0);
  main_ = 0;
  others_.clear();
  State& all = states_[0];
  for (uint32_t row = 0; row < rows_.rows(); ++row)
    (positive_[row] != 0 ? all.positive : all.negative) += weights_[row];
  all.rows = rows_.rows();
  for (uint32_t atom = 0; atom < rows_.atoms(); ++atom) {
    double with = 0.0, without = 0.0;
    for (const uint32_t row : rows_.column(atom))
      (positive_[row] != 0 ? with : without) += weights_[row];
    main_positive_[atom] = with;
    main_negative_[atom] = without;
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
    mass_.positive += state.positive * pull[2 * s + 1];
    mass_.negative -= state.negative * pull[2 * s];
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
    if (state.rows > 0) places.push_back({state.h, state.positive, state.negative});
}

void Margins::places(std::span<const uint32_t> rows, std::vector<LeafPlace>& places) {
  parts_.clear();
  for (const uint32_t row : rows) {
    State& part = part_[state_[row]];
    if (part.rows++ == 0) parts_.push_back(state_[row]);
    (positive_[row] != 0 ? part.positive : part.negative) += weights_[row];
  }
  places.clear();
  for (const uint32_t s : parts_) {
    places.push_back({states_[s].h, part_[s].positive, part_[s].negative});
    part_[s] = {};
  }
}

void Margins::move_all(double delta) {
  for (State& state : states_) state.h += delta;
}

void Margins::move(std::span<const uint32_t> rows, double delta) {
  constexpr uint32_t kSame = UINT32_MAX;
  parts_.clear();
  for (const uint32_t row : rows) {
    State& part = part_[state_[row]];
    if (part.rows++ == 0) parts_.push_back(state_[row]);
    (positive_[row] != 0 ? part.positive : part.negative) += weights_[row];
  }
  bool any = false;
  for (const uint32_t s : parts_) {
    const State part = part_[s];
    part_[s] = {};
    if (part.rows == states_[s].rows) {
      states_[s].h += delta;
      fresh_[s] = kSame;
      continue;
    }
    any = true;
    fresh_[s] = static_cast<uint32_t>(states_.size());
    State made = part;
    made.h = states_[s].h + delta;
    states_[s].positive -= part.positive;
    states_[s].negative -= part.negative;
    states_[s].rows -= part.rows;
    states_.push_back(made);
    part_.push_back({});
    fresh_.push_back(0);
  }
  if (!any) return;
  const uint32_t old = main_;
  const bool main_moves =
      fresh_[old] != kSame && fresh_[old] != 0 && states_[fresh_[old]].rows > states_[old].rows;
  for (const uint32_t row : rows) {
    const uint32_t s = state_[row];
    if (fresh_[s] == kSame) continue;
    if (s == old && !main_moves) leave_main(row);
    state_[row] = fresh_[s];
  }
  if (main_moves) {
    main_ = fresh_[old];
    for (uint32_t row = 0; row < rows_.rows(); ++row)
      if (state_[row] == old) leave_main(row);
  }
  for (const uint32_t s : parts_) fresh_[s] = 0;
}

void Margins::leave_main(uint32_t row) {
  others_.push_back(row);
  std::vector<double>& counted = positive_[row] != 0 ? main_positive_ : main_negative_;
  for (const uint32_t atom : rows_.row(row)) counted[atom] -= weights_[row];
}

double Margins::total_loss() const {
  double sum = 0.0;
  for (const State& state : states_) sum += loss({state.h, state.positive, state.negative}, 0.0);
  return sum;
}

}  // namespace demotic::learn
