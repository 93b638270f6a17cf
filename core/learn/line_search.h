// The exact line search of MERT (Och 2003).  Along w + x * d every sentence has a path: hypothesis
// after hypothesis that is the best one from some x on.  Corpus BLEU is then constant between the
// breakpoints of all paths, and one sweep over them finds the best interval of x:
//
//   1. a Path per sentence: its segments, from left to right, and its hypotheses' BLEU statistics
//   2. Step step = best_step(paths, margin);
//   3. take the weights w + step.x * d; corpus BLEU is then step.bleu
//
// BLEU is sacreBLEU's corpus score.  Neighbouring intervals of the same BLEU count as one, and of
// several equally good ones the widest is taken, then the leftmost.
#pragma once

#include <cstdint>
#include <span>

#include "metrics/bleu.h"

namespace demotic::learn {

inline constexpr metrics::BleuOptions kCorpusBleu{
    .smoothing = metrics::BleuSmoothing::exp, .value = 0.0, .effective_order = false};

// Breakpoints closer than this (relative to their size, if that is above 1) are rounding errors of
// one and the same point.
inline constexpr double kResolution = 1e-9;

struct Segment {
  double from;          // the best hypothesis from here to the next segment's `from`
  uint32_t hypothesis;  // in Path::stats
};

struct Path {
  std::span<const Segment> segments;  // not empty; the first begins at -infinity
  const metrics::BleuStats* stats;
};

struct Step {
  double x;          // the middle of the interval
  double bleu;       // 0 ... 100
  double low, high;  // the interval; may be infinite
};

// An interval without end is entered by `margin`; one without both ends gives x = 0.
Step best_step(std::span<const Path> paths, double margin);

}  // namespace demotic::learn
