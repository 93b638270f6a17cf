#include "forest/envelope.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace demotic::forest {

namespace {

// A line of a node that is still being computed: edge e over one line of each tail.
struct Candidate {
  double slope, intercept, from;
  uint32_t edge, left, right;
};

// Call emit(x, y, from) for the pairs of lines that are the best ones from `from` on.
template <class Emit>
void pair_up(const std::vector<Line>& a, const std::vector<Line>& b, Emit&& emit) {
  double from = kLogZero;
  size_t i = 0;
  size_t j = 0;
  for (;;) {
    emit(a[i], b[j], from);
    const double next_i = i + 1 < a.size() ? a[i + 1].from : INFINITY;
    const double next_j = j + 1 < b.size() ? b[j + 1].from : INFINITY;
    from = std::min(next_i, next_j);
    if (from == INFINITY) return;
    if (next_i == from) ++i;
    if (next_j == from) ++j;
  }
}

}  // namespace

Envelope Envelope::one() {
  Envelope result;
  result.lines_.push_back({0.0, 0.0, kLogZero, kNone});
  return result;
}

Envelope plus(const Envelope& a, const Envelope& b) {
  Envelope result;
  result.owner_ = a.owner_ != nullptr ? a.owner_ : b.owner_;
  merge_lines(a.lines_, b.lines_, result.lines_);
  result.cap();
  return result;
}

Envelope times(const Envelope& a, const Envelope& b) {
  Envelope result;
  result.owner_ = a.owner_ != nullptr ? a.owner_ : b.owner_;
  if (a.lines_.empty() || b.lines_.empty()) return result;
  pair_up(a.lines_, b.lines_, [&](const Line& x, const Line& y, double from) {
    const uint32_t origin = x.origin == kNone   ? y.origin
                            : y.origin == kNone ? x.origin
                                                : result.owner_->add({kNone, x.origin, y.origin});
    result.lines_.push_back({x.slope + y.slope, x.intercept + y.intercept, from, origin});
  });
  result.cap();
  return result;
}

void Envelope::cap() {
  if (owner_ != nullptr) owner_->cap(lines_);
}

template <class L>
void Lines::cap(std::vector<L>& hull) {
  most_ = std::max(most_, hull.size());
  if (hull.size() <= max_segments_) return;
  truncated_ = true;
  // The first and the last line are the best without end; of the others the widest stay.
  std::vector<size_t> inner(hull.size() - 2);
  std::iota(inner.begin(), inner.end(), size_t{1});
  const auto width = [&](size_t i) { return hull[i + 1].from - hull[i].from; };
  std::stable_sort(inner.begin(), inner.end(),
                   [&](size_t i, size_t j) { return width(i) > width(j); });
  inner.resize(max_segments_ - 2);
  inner.push_back(0);
  inner.push_back(hull.size() - 1);
  std::sort(inner.begin(), inner.end());
  std::vector<L> kept;
  for (const size_t i : inner) push_line(kept, hull[i]);
  hull = std::move(kept);
}

Envelope Lines::edge(uint32_t e, double slope, double intercept) {
  Envelope result;
  result.owner_ = this;
  result.lines_.push_back({slope, intercept, kLogZero, add({e, kNone, kNone})});
  return result;
}

uint32_t Lines::add(Origin origin) {
  if (origins_.size() >= kNone) throw io::Error(io::Fault::argument, "too many lines");
  origins_.push_back(origin);
  return static_cast<uint32_t>(origins_.size() - 1);
}

// An edge is multiplied by its tails from first to last, so left before right is depth-first.
Derivation Lines::derivation(uint32_t origin) const {
  Derivation d;
  std::vector<uint32_t> open{origin};
  while (!open.empty()) {
    const Origin& o = origins_[open.back()];
    open.pop_back();
    if (o.edge != kNone) d.push_back(o.edge);
    check_length(d.size() + open.size());
    if (o.right != kNone) open.push_back(o.right);
    if (o.left != kNone) open.push_back(o.left);
  }
  return d;
}

Envelope envelope_inside(const Forest& f, std::span<const double> slope,
                         std::span<const double> intercept, Lines& lines) {
  std::vector<Envelope> beta(f.nodes());
  std::vector<Candidate> product, hull, next;
  for (uint32_t v = 0; v < f.nodes(); ++v) {
    hull.clear();
    for (uint32_t e = f.in_off[v]; e < f.in_off[v + 1]; ++e) {
      const std::span<const uint32_t> tails = f.tails_of(e);
      const double a = slope[e];
      const double b = intercept[e];
      product.clear();
      if (tails.empty()) {
        product.push_back({a, b, kLogZero, e, kNone, kNone});
      } else if (tails.size() == 1) {
        for (const Line& x : beta[tails[0]].lines_)
          product.push_back({a + x.slope, b + x.intercept, x.from, e, x.origin, kNone});
      } else if (tails.size() == 2) {
        pair_up(beta[tails[0]].lines_, beta[tails[1]].lines_,
                [&](const Line& x, const Line& y, double from) {
                  product.push_back({a + x.slope + y.slope, b + x.intercept + y.intercept, from, e,
                                     x.origin, y.origin});
                });
      } else {
        Envelope all = lines.edge(e, a, b);
        for (const uint32_t tail : tails) all = times(all, beta[tail]);
        for (const Line& x : all.lines_)
          product.push_back({x.slope, x.intercept, x.from, kNone, x.origin, kNone});
      }
      merge_lines(hull, product, next);
      hull.swap(next);
    }
    lines.cap(hull);
    beta[v].owner_ = &lines;
    beta[v].lines_.reserve(hull.size());
    for (const Candidate& c : hull)
      beta[v].lines_.push_back(
          {c.slope, c.intercept, c.from, lines.add({c.edge, c.left, c.right})});
  }
  return std::move(beta[f.root()]);
}

}  // namespace demotic::forest
