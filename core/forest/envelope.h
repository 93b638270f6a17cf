// The best derivation as a function of one number x, when the weights are w + x * d: Och's (2003)
// line search on a whole forest (Kumar et al. 2009).  A derivation is the line
// (w.f) + x (d.f); the best ones form an upper envelope, which inside computes in a semiring:
//
//   Lines lines(max_segments);
//   Envelope best = envelope_inside(f, slope, intercept, lines);
//   best.lines()[i]                     best from .from up to the next line's .from
//   lines.derivation(line.origin)       the derivation behind it
//
// envelope_inside is inside<Envelope> of inside_outside.h with buffers instead of allocations, and
// notes the origin of a line only when it has survived at its node.
//
// plus is the envelope of the union, times the sum of each value of x (a Minkowski sum: a merge by
// breakpoints).  The number of lines is not bounded by a polynomial of the forest, so `Lines` holds
// a cap: beyond it the lines that are best in the narrowest intervals are dropped and `truncated`
// is set.  The value at any x is then a lower bound.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "forest/derivation.h"
#include "forest/semiring.h"

namespace demotic::forest {

class Lines;

struct Line {
  double slope, intercept;
  double from;      // this line is the best from here to the next line's `from`
  uint32_t origin;  // in Lines
};

// Add a line of a slope >= all slopes so far to an upper envelope; of equal lines the first stays.
// L has the members slope, intercept and from.
template <class L>
void push_line(std::vector<L>& hull, L line) {
  if (!hull.empty() && hull.back().slope == line.slope) {
    if (hull.back().intercept >= line.intercept) return;
    hull.pop_back();
  }
  line.from = kLogZero;
  while (!hull.empty()) {
    const L& last = hull.back();
    line.from = (last.intercept - line.intercept) / (line.slope - last.slope);
    if (line.from > last.from) break;
    hull.pop_back();
    line.from = kLogZero;
  }
  hull.push_back(line);
}

// The envelope of the union; of equal lines that of `a` stays.
template <class L>
void merge_lines(const std::vector<L>& a, const std::vector<L>& b, std::vector<L>& hull) {
  hull.clear();
  auto i = a.begin();
  auto j = b.begin();
  while (i != a.end() && j != b.end()) push_line(hull, i->slope <= j->slope ? *i++ : *j++);
  for (; i != a.end(); ++i) push_line(hull, *i);
  for (; j != b.end(); ++j) push_line(hull, *j);
}

class Envelope {
 public:
  Envelope() = default;
  static Envelope zero() { return {}; }
  static Envelope one();
  friend Envelope plus(const Envelope& a, const Envelope& b);
  friend Envelope times(const Envelope& a, const Envelope& b);

  // By ascending slope; the first begins at -infinity.
  const std::vector<Line>& lines() const { return lines_; }

 private:
  friend class Lines;
  friend Envelope envelope_inside(const Forest& f, std::span<const double> slope,
                                  std::span<const double> intercept, Lines& lines);
  void cap();

  std::vector<Line> lines_;
  Lines* owner_ = nullptr;
};

// Where lines come from: an edge over the lines of its tails, or two lines that were added.
class Lines {
 public:
  explicit Lines(size_t max_segments) : max_segments_(max_segments < 2 ? 2 : max_segments) {}

  Envelope edge(uint32_t e, double slope, double intercept);
  Derivation derivation(uint32_t origin) const;
  bool truncated() const { return truncated_; }
  size_t most() const { return most_; }  // the longest envelope before the cap

 private:
  friend class Envelope;
  friend Envelope times(const Envelope& a, const Envelope& b);
  friend Envelope envelope_inside(const Forest& f, std::span<const double> slope,
                                  std::span<const double> intercept, Lines& lines);
  struct Origin {
    uint32_t edge;         // comes first; kNone: nothing does
    uint32_t left, right;  // then these lines' edges; kNone: nothing
  };
  uint32_t add(Origin origin);
  // Drop the narrowest lines beyond the cap.
  template <class L>
  void cap(std::vector<L>& hull);

  size_t max_segments_;
  size_t most_ = 0;
  bool truncated_ = false;
  std::vector<Origin> origins_;
};

static_assert(Semiring<Envelope>);

// The root's envelope, when edge e is the line intercept[e] + x * slope[e].
Envelope envelope_inside(const Forest& f, std::span<const double> slope,
                         std::span<const double> intercept, Lines& lines);

}  // namespace demotic::forest
