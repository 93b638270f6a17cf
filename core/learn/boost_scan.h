// All atoms of a histogram at once: what is looked for in every tree, and takes the most time.
//
//   most_promised(v, total, lambda, form)    the best sum of two children's gains, (7.12), and
//                                            which atoms the first one with it is among
//   steepest_atom(v, total)                  the largest |v| of an atom or of what has it not
//
// Only maxima are taken, so that neither their order nor the machine's width ever shows.
#pragma once

#include <cstddef>
#include <span>

#include "learn/boosting.h"

namespace demotic::learn {

struct Promise {
  double gain = 0.0;
  size_t begin = 0, end = 0;  // of some few atoms
};

Promise most_promised(std::span<const double> v, double total, double lambda, Gain form);
double steepest_atom(std::span<const double> v, double total);

}  // namespace demotic::learn
