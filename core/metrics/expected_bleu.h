// Minimum Bayes risk over a list of translations (Kumar and Byrne 2004).
//
//   expected_bleu(lines, scores, 1.0, options)    for each line the BLEU to expect if the reference
//                                                 is one of the lines, drawn by exp(scale * score)
#pragma once

#include <span>
#include <string>
#include <vector>

#include "metrics/bleu.h"

namespace demotic::metrics {

// Lines are tokens separated by spaces; their scores may be -infinity.
std::vector<double> expected_bleu(std::span<const std::string> lines,
                                  std::span<const double> scores, double scale,
                                  const BleuOptions& options);

}  // namespace demotic::metrics
