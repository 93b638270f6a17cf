#include "metrics/expected_bleu.h"

#include <algorithm>
#include <cmath>

#include "io/error.h"
#include "metrics/sentence_bleu.h"
#include "text/token_lines.h"
#include "text/vocab.h"

namespace demotic::metrics {

namespace {

constexpr double kLeast = 1e-300;  // what scores -infinity has no part even where all count alike

std::vector<double> probabilities(std::span<const double> scores, double scale) {
  const double best = *std::max_element(scores.begin(), scores.end());
  std::vector<double> p(scores.size(), 1.0);
  double sum = 0.0;
  for (size_t i = 0; i < p.size(); ++i) {
    if (scores[i] != best) p[i] = std::exp(std::max(scale, kLeast) * (scores[i] - best));
    sum += p[i];
  }
  for (double& each : p) each /= sum;
  return p;
}

// What a line counts for against another, seen from the other: matches are the same.
BleuStats reversed(const BleuStats& stats) {
  BleuStats other = stats;
  std::swap(other.hyp_len, other.ref_len);
  for (size_t n = 0; n < kBleuOrder; ++n)
    other.totals[n] = std::max<int64_t>(0, other.hyp_len - static_cast<int64_t>(n));
  return other;
}

}  // namespace

std::vector<double> expected_bleu(std::span<const std::string> lines,
                                  std::span<const double> scores, double scale,
                                  const BleuOptions& options) {
  if (lines.size() != scores.size())
    throw io::Error(io::Fault::argument, "each line needs its score");
  if (!std::isfinite(scale) || scale < 0)
    throw io::Error(io::Fault::argument, "the scale must not be negative");
  if (lines.empty()) return {};
  const std::vector<double> p = probabilities(scores, scale);
  text::Vocab vocab;
  text::TokenLines ids;
  for (const std::string& line : lines) {
    text::for_each_token(line,
                         [&](std::string_view token) { ids.ids.push_back(vocab.add(token)); });
    ids.ends.push_back(ids.ids.size());
  }
  std::vector<double> expected(lines.size(), 0.0);
  BleuScratch scratch;
  for (size_t j = 0; j < lines.size(); ++j) {
    const std::span<const uint32_t> line = ids[j];
    const BleuReference reference({&line, 1});
    expected[j] += p[j] * bleu(reference.stats(line, scratch), options);
    for (size_t i = 0; i < j; ++i) {
      const BleuStats stats = reference.stats(ids[i], scratch);
      expected[i] += p[j] * bleu(stats, options);
      expected[j] += p[i] * bleu(reversed(stats), options);
    }
  }
  return expected;
}

}  // namespace demotic::metrics
