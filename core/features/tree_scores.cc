#include "features/tree_scores.h"

#include <limits>

#include "parallel.h"

namespace demotic::features {

namespace {

constexpr size_t kChunk = 64;  // rows

void check(const TreesView& trees, const TreeQuestions& questions) {
  const auto require = [](bool holds, const char* message) {
    if (!holds) throw io::Error(io::Fault::argument, message);
  };
  const size_t rows = questions.rows.size();
  require(questions.firsts.size() == rows && questions.counts.size() == rows,
          "each row needs its classifiers");
  for (size_t i = 0; i < rows; ++i)
    require(uint64_t{questions.firsts[i]} + questions.counts[i] <= trees.classifiers(),
            "there is no such classifier");
}

// Calls each(row, holds) for every row, with a set of atoms for each thread.
template <class Each>
void each_row(const TreeQuestions& questions, uint32_t features, unsigned threads, Each&& each) {
  const size_t rows = questions.rows.size();
  std::vector<AtomSet> sets(std::max(threads, 1u), AtomSet(features));
  parallel_for((rows + kChunk - 1) / kChunk, threads, [&](size_t chunk, unsigned worker) {
    AtomSet& set = sets[worker];
    for (size_t row = chunk * kChunk; row < std::min(rows, (chunk + 1) * kChunk); ++row) {
      set.fill(questions.rows[row]);
      each(row, [&set](uint32_t atom) { return set.has(atom); });
    }
  });
}

}  // namespace

std::vector<double> tree_scores(const TreesView& trees, uint32_t features,
                                const TreeQuestions& questions, double lambda, unsigned threads) {
  check(trees, questions);
  std::vector<uint64_t> begins{0};
  for (const uint32_t count : questions.counts) begins.push_back(begins.back() + count);
  std::vector<double> scores(begins.back());
  each_row(questions, features, threads, [&](size_t row, const auto& holds) {
    for (uint32_t k = 0; k < questions.counts[row]; ++k)
      scores[begins[row] + k] = trees.score(questions.firsts[row] + k, lambda, holds);
  });
  return scores;
}

std::vector<uint32_t> choices_along_path(const TreesView& trees, uint32_t features,
                                         const TreeQuestions& questions,
                                         std::span<const double> lambdas, unsigned threads) {
  check(trees, questions);
  if (!std::is_sorted(lambdas.begin(), lambdas.end(), std::greater<>()))
    throw io::Error(io::Fault::argument, "the lambdas of a path must fall");
  const size_t width = lambdas.size();
  std::vector<uint32_t> choices(questions.rows.size() * width, 0);
  each_row(questions, features, threads, [&](size_t row, const auto& holds) {
    std::vector<double> best(width, -std::numeric_limits<double>::infinity());
    for (uint32_t k = 0; k < questions.counts[row]; ++k) {
      const TreesView::Range range = trees.trees(questions.firsts[row] + k);
      double score = 0.0;
      size_t tree = range.begin;
      for (size_t at = 0; at < width; ++at) {
        for (; tree < range.end && trees.lambdas[tree] >= lambdas[at]; ++tree)
          score += trees.walk(tree, holds);
        if (score > best[at]) {
          best[at] = score;
          choices[row * width + at] = k;
        }
      }
    }
  });
  return choices;
}

}  // namespace demotic::features
