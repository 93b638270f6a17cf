// What all decoders do alike: sentences over threads, scratch memory for each thread that is kept
// for the next sentence, counters of what was done.
//
//   class HieroDecoder : public SentenceDecoder<HieroWorkspace> { ... };
//   HieroDecoder::HieroDecoder(...)
//       : SentenceDecoder([this] { return std::make_unique<HieroWorkspace>(...); }) {}
//   each(sentences, threads, [&](const Tokens& tokens, HieroWorkspace& space) { return ...; })
//
// Results stand in the order of the sentences and do not depend on the number of threads.  A
// workspace has `counters` (counters.h) with `sentences` among them, and says whether it has grown
// large().
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "decode/workspace_pool.h"
#include "decode/zones.h"
#include "forest/consensus.h"
#include "forest/kbest.h"
#include "parallel.h"

namespace demotic::decode {

template <class Workspace>
class SentenceDecoder {
 public:
  SentenceDecoder(const SentenceDecoder&) = delete;  // workspaces refer to their decoder
  SentenceDecoder& operator=(const SentenceDecoder&) = delete;

  // A call adds to them when it is over.
  auto counters() const { return pool_.counters(); }
  void reset_counters() { pool_.reset_counters(); }

 protected:
  using Pool = WorkspacePool<Workspace>;

  explicit SentenceDecoder(typename Pool::Make make) : pool_(std::move(make)) {}
  ~SentenceDecoder() = default;

  typename Pool::Lease lease() { return pool_.lease(); }

  // work(tokens, workspace) of each sentence.
  template <class Work>
  auto each(std::span<const Tokens> sentences, unsigned threads, Work work) {
    std::vector<std::invoke_result_t<Work&, const Tokens&, Workspace&>> results(sentences.size());
    parallel_for(sentences.size(), threads, [&](size_t i, unsigned) {
      const auto leased = lease();
      ++leased->counters.sentences;
      sentences[i].limits.check(sentences[i].size());
      results[i] = work(sentences[i], *leased);
    });
    return results;
  }

 private:
  Pool pool_;
};

// visit(edges) of the k best derivations of a forest, best first; `unique`: of each string one.
template <class Visit>
void each_best(const forest::Forest& forest, size_t k, bool unique, Visit visit) {
  forest::KBest best(forest, forest.score, {.k = k, .unique = unique});
  for (size_t rank = 0; rank < k && best.reach(rank); ++rank) visit(best.derivation(rank));
}

// Which derivations of a forest make a list: it calls visit(edges, gain) for each.
using VisitDerivation = std::function<void(std::span<const uint32_t> edges, double gain)>;
using Listing = std::function<void(const forest::Forest&, const VisitDerivation& visit)>;

// The k best; nothing is gained.
inline Listing best_listed(size_t k, bool unique) {
  return [=](const forest::Forest& forest, const VisitDerivation& visit) {
    each_best(forest, k, unique, [&](std::span<const uint32_t> edges) { visit(edges, 0.0); });
  };
}

// The best by its score, then the k best by what they have in common with all others.
inline Listing consensus_listed(const forest::ConsensusOptions& options, size_t k) {
  return [=](const forest::Forest& forest, const VisitDerivation& visit) {
    const forest::Consensus found = forest::consensus(forest, options, k);
    visit(found.own.edges, found.own.gain);
    for (const forest::Choice& choice : found.best) visit(choice.edges, choice.gain);
  };
}

}  // namespace demotic::decode
