#include "forest/envelope.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace demotic {

namespace {

// Where line b, the steeper one, overtakes a.
double crossing(const Line& a, const Line& b) {
  return (a.intercept - b.intercept) / (b.slope - a.slope);
}

// Add a line of a slope >= all slopes so far.
void push(std::vector<Line>& hull, Line line) {
  if (!hull.empty() && hull.back().slope == line.slope) {
    if (hull.back().intercept >= line.intercept) return;
    hull.pop_back();
  }
  line.from = kLogZero;
  while (!hull.empty()) {
    line.from = crossing(hull.back(), line);
    if (line.from > hull.back().from) break;
    hull.pop_back();
    line.from = kLogZero;
  }
  hull.push_back(line);
}

}  // namespace

Envelope Envelope::one() {
  Envelope result;
  result.lines_.push_back({0.0, 0.0, kLogZero, kNone});
  return result;
}

Envelope plus(const Envelope& a, const Envelope& b) {
  if (a.lines_.empty()) return b;
  if (b.lines_.empty()) return a;
  Envelope result;
  result.owner_ = a.owner_ != nullptr ? a.owner_ : b.owner_;
  result.lines_.reserve(a.lines_.size() + b.lines_.size());
  auto i = a.lines_.begin();
  auto j = b.lines_.begin();
  while (i != a.lines_.end() || j != b.lines_.end()) {
    const bool left = j == b.lines_.end() || (i != a.lines_.end() && i->slope <= j->slope);
    push(result.lines_, left ? *i++ : *j++);
  }
  result.cap();
  return result;
}

Envelope times(const Envelope& a, const Envelope& b) {
  Envelope result;
  result.owner_ = a.owner_ != nullptr ? a.owner_ : b.owner_;
  if (a.lines_.empty() || b.lines_.empty()) return result;
  double from = kLogZero;
  size_t i = 0;
  size_t j = 0;
  for (;;) {
    const Line& x = a.lines_[i];
    const Line& y = b.lines_[j];
    const uint32_t origin = x.origin == kNone   ? y.origin
                            : y.origin == kNone ? x.origin
                                                : result.owner_->sum(x.origin, y.origin);
    result.lines_.push_back({x.slope + y.slope, x.intercept + y.intercept, from, origin});
    const double next_i = i + 1 < a.lines_.size() ? a.lines_[i + 1].from : INFINITY;
    const double next_j = j + 1 < b.lines_.size() ? b.lines_[j + 1].from : INFINITY;
    from = std::min(next_i, next_j);
    if (from == INFINITY) break;
    if (next_i == from) ++i;
    if (next_j == from) ++j;
  }
  result.cap();
  return result;
}

void Envelope::cap() {
  if (owner_ == nullptr) return;
  owner_->most_ = std::max(owner_->most_, lines_.size());
  const size_t most = owner_->max_segments_;
  if (lines_.size() <= most) return;
  owner_->truncated_ = true;
  // The first and the last line are the best without end; of the others the widest stay.
  std::vector<size_t> inner(lines_.size() - 2);
  std::iota(inner.begin(), inner.end(), size_t{1});
  const auto width = [this](size_t i) { return lines_[i + 1].from - lines_[i].from; };
  std::stable_sort(inner.begin(), inner.end(),
                   [&](size_t i, size_t j) { return width(i) > width(j); });
  inner.resize(most - 2);
  inner.push_back(0);
  inner.push_back(lines_.size() - 1);
  std::sort(inner.begin(), inner.end());
  std::vector<Line> kept;
  for (const size_t i : inner) push(kept, lines_[i]);
  lines_ = std::move(kept);
}

Envelope Lines::edge(uint32_t e, double slope, double intercept) {
  Envelope result;
  result.owner_ = this;
  origins_.push_back({e, kNone, kNone});
  result.lines_.push_back({slope, intercept, kLogZero, static_cast<uint32_t>(origins_.size() - 1)});
  return result;
}

uint32_t Lines::sum(uint32_t left, uint32_t right) {
  if (origins_.size() >= kNone) throw Error(Fault::argument, "too many lines");
  origins_.push_back({kNone, left, right});
  return static_cast<uint32_t>(origins_.size() - 1);
}

// inside multiplies an edge by its tails from first to last, so left before right is depth-first.
Derivation Lines::derivation(uint32_t origin) const {
  Derivation d;
  std::vector<uint32_t> open{origin};
  while (!open.empty()) {
    const Origin& o = origins_[open.back()];
    open.pop_back();
    if (o.edge != kNone) {
      d.push_back(o.edge);
      continue;
    }
    open.push_back(o.right);
    open.push_back(o.left);
  }
  return d;
}

}  // namespace demotic
