#include "forest/consensus.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>

#include "forest/context.h"
#include "forest/kbest.h"
#include "forest/ngrams.h"
#include "forest/posterior.h"
#include "forest/prune.h"

namespace demotic::forest {

namespace {

// Enough to tell derivations of one string apart, too little to outweigh a gain.
constexpr double kTieBreak = 1e-9;
constexpr size_t kMostEdges = 4'000'000;  // of a forest with contexts

void check(const ConsensusOptions& options, size_t k) {
  const auto require = [](bool holds, const char* message) {
    if (!holds) throw io::Error(io::Fault::argument, message);
  };
  require(k > 0, "k must be at least 1");
  require(std::isfinite(options.scale) && options.scale >= 0, "the scale must not be negative");
  require(std::isfinite(options.model) && options.model >= 0,
          "the weight of the model must not be negative");
  require(options.weights.size() >= 2, "a gain needs a weight per word and one per n-gram order");
  require(std::ranges::all_of(options.weights, [](double w) { return std::isfinite(w); }),
          "a gain's weight is not finite");
}

// A forest whose n-grams can be counted, and the edges of the original that its edges stand for.
struct Refined {
  Forest forest;
  std::vector<uint32_t> origin;

  Derivation original(const Derivation& edges) const {
    Derivation found;
    for (const uint32_t e : edges) found.push_back(origin[e]);
    return found;
  }
};

Refined refined(const Forest& f, const ConsensusOptions& options) {
  const auto width = static_cast<uint32_t>(options.weights.size() - 2);
  const size_t words = std::max(1u, f.span[2 * size_t{f.root()} + 1]);
  size_t most = options.density == 0 ? f.edges() : options.density * words;
  for (Refined made;; most /= 2) {
    Provenance kept, split;
    const Forest pruned = most > 0 ? prune_to(f, f.score, most, &kept) : only_best(f, &kept);
    if (width == 0) return {pruned, kept.edge};
    const size_t room = most > 0 ? kMostEdges : SIZE_MAX;
    if (!try_refine(pruned, width, {.nodes = room, .edges = room}, made.forest, &split)) continue;
    for (const uint32_t e : split.edge) made.origin.push_back(kept.edge[e]);
    return made;
  }
}

// Weights of n-grams for translations of about so many words.
std::vector<double> weights_for(size_t words, std::vector<double> weights) {
  const size_t length = std::max<size_t>(1, words);
  const size_t orders = weights.size() - 1;
  const size_t most = std::min(orders, length);
  for (size_t n = 1; n <= orders; ++n)
    weights[n] *= n > most ? 0.0
                           : static_cast<double>(orders * length) /
                                 static_cast<double>(most * (length - n + 1));
  return weights;
}

std::vector<double> edge_gains(const Forest& f, const ConsensusOptions& options,
                               std::span<const double> weights) {
  std::vector<double> scaled(f.score.begin(), f.score.end());
  for (double& score : scaled) score *= options.scale;
  const auto order = static_cast<uint32_t>(options.weights.size() - 1);
  const NgramTable table = ngram_table(f, 1, order);
  const std::vector<double> count = expected_counts(table, posteriors(f, scaled).edge);
  std::vector<double> gain(f.edges(), 0.0);
  for (uint32_t i = 0; i < table.size(); ++i) {
    const uint32_t n = table.word_off[i + 1] - table.word_off[i];
    const double worth = weights[n] * std::min(1.0, count[i]) + (n == 1 ? weights[0] : 0.0);
    for (uint32_t k = table.edge_off[i]; k < table.edge_off[i + 1]; ++k)
      gain[table.edge[k]] += worth;
  }
  return gain;
}

}  // namespace

Consensus consensus(const Forest& f, const ConsensusOptions& options, size_t k) {
  check(options, k);
  const Refined made = refined(f, options);
  const Forest& g = made.forest;
  double best_score = 0.0;
  const Derivation own = viterbi(g, g.score, &best_score);
  const size_t words = yield(g, own, Side::target).size();
  const std::vector<double> gain = edge_gains(g, options, weights_for(words, options.weights));
  const double trust = options.model * options.scale;
  const auto choice = [&](const Derivation& edges) {
    double sum = 0.0, score = 0.0;
    for (const uint32_t e : edges) {
      sum += gain[e];
      score += g.score[e];
    }
    return Choice{made.original(edges), sum + trust * (score - best_score)};
  };
  std::vector<double> value(gain);
  for (uint32_t e = 0; e < g.edges(); ++e) value[e] += (trust + kTieBreak) * g.score[e];
  Consensus found{choice(own), {}};
  if (k == 1) {
    found.best.push_back(choice(viterbi(g, value)));
    return found;
  }
  KBest best(g, value, {.k = k, .unique = true});
  for (size_t rank = 0; rank < k && best.reach(rank); ++rank)
    found.best.push_back(choice(best.derivation(rank)));
  return found;
}

}  // namespace demotic::forest
