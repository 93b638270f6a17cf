#include "learn/line_search.h"

#include <algorithm>
#include <cmath>
#include <tuple>
#include <vector>

namespace demotic::learn {

namespace {

struct Breakpoint {
  double at;
  uint32_t path, segment;
};

std::vector<Breakpoint> breakpoints(std::span<const Path> paths) {
  std::vector<Breakpoint> points;
  for (uint32_t p = 0; p < paths.size(); ++p)
    for (uint32_t i = 1; i < paths[p].segments.size(); ++i)
      if (std::isfinite(paths[p].segments[i].from))  // else two lines all but parallel
        points.push_back({paths[p].segments[i].from, p, i});
  std::sort(points.begin(), points.end(), [](const Breakpoint& a, const Breakpoint& b) {
    return std::tie(a.at, a.path, a.segment) < std::tie(b.at, b.path, b.segment);
  });
  return points;
}

Step step_into(double low, double high, double bleu, double margin) {
  const bool left = std::isfinite(low);
  const bool right = std::isfinite(high);
  const double x = left && right ? low + (high - low) / 2
                   : left        ? low + margin
                   : right       ? high - margin
                                 : 0.0;
  return {x, bleu, low, high};
}

bool better(const Step& a, const Step& b, double margin) {
  const auto width = [&](const Step& s) {
    return std::isfinite(s.low) && std::isfinite(s.high) ? s.high - s.low : 2 * margin;
  };
  if (a.bleu != b.bleu) return a.bleu > b.bleu;
  return width(a) > width(b);
}

}  // namespace

Step best_step(std::span<const Path> paths, double margin) {
  metrics::BleuStats sum;
  for (const Path& path : paths) sum += path.stats[path.segments[0].hypothesis];
  double low = -INFINITY;
  double value = bleu(sum, kCorpusBleu);
  Step best{0.0, -1.0, 0.0, 0.0};
  const auto close = [&](double high) {
    const Step step = step_into(low, high, value, margin);
    if (better(step, best, margin)) best = step;
  };

  const std::vector<Breakpoint> points = breakpoints(paths);
  for (size_t i = 0; i < points.size();) {
    const double at = points[i].at;
    const double end = at + kResolution * std::max(1.0, std::abs(at));
    const metrics::BleuStats before = sum;
    for (; i < points.size() && points[i].at <= end; ++i) {
      const Path& path = paths[points[i].path];
      const uint32_t segment = points[i].segment;
      sum += path.stats[path.segments[segment].hypothesis];
      sum -= path.stats[path.segments[segment - 1].hypothesis];
    }
    if (sum == before) continue;
    const double next = bleu(sum, kCorpusBleu);
    if (next == value) continue;
    close(at);
    low = points[i - 1].at;
    value = next;
  }
  close(INFINITY);
  return best;
}

}  // namespace demotic::learn
