// The inner loops of the local model, over the candidates of one group: flat arrays in, four lanes
// at a time.
//
//   std::vector<double> s(softmax_room(n));    a little more than n
//   dense_scores(w, width, x, n, s);           s[j] = sum_f w[f] x[f * n + j]
//   Softmax z = to_probabilities(s, n);        s becomes exp(s - z.log_z), z.top the largest of
//                                              them; NaN if a score is not finite
//   expectations(s, width, x, n, mean);        mean[f] = sum_j s[j] x[f * n + j]
//
// Sums are taken in an order that depends on n alone, and the exponential is a polynomial: results
// are the same on every machine.
#pragma once

#include <cstddef>
#include <cstdint>

namespace demotic::learn {

constexpr size_t softmax_room(uint32_t n) { return (size_t{n} + 3) / 4 * 4; }

void dense_scores(const double* w, uint32_t width, const float* x, uint32_t n, double* s);
struct Softmax {
  double log_z, top;
};
Softmax to_probabilities(double* s, uint32_t n);
void expectations(const double* p, uint32_t width, const float* x, uint32_t n, double* mean);

}  // namespace demotic::learn
