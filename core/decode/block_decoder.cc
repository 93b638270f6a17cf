#include "decode/block_decoder.h"

#include <ctime>

#include "decode/workspaces.h"
#include "forest/kbest.h"
#include "parallel.h"

namespace demotic {

namespace {

double thread_seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

}  // namespace

// Everything that one thread needs, kept for the next sentence.
struct BlockDecoder::Workspace {
  explicit Workspace(const BlockModel& model) : search(model) {}
  bool large() const { return search.arcs() > 4'000'000; }

  BlockSearch search;
  BlockCounters counters;
};

struct BlockDecoder::Pool {
  Workspaces<Workspace> spaces;
};

BlockDecoder::BlockDecoder(const BlockTable& table, const Model* lm, const BlockPairs& pairs,
                           std::span<const double> weights, const BlockDecoderOptions& options)
    : model_(table, lm, pairs, weights, options), pool_(std::make_unique<Pool>()) {}

BlockDecoder::~BlockDecoder() = default;

BlockCounters BlockDecoder::counters() const { return pool_->spaces.counters(); }
void BlockDecoder::reset_counters() { pool_->spaces.reset_counters(); }

template <class Result, class Work>
std::vector<Result> BlockDecoder::each(std::span<const Sentence> sentences, unsigned threads,
                                       bool all, Work work) {
  std::vector<Result> results(sentences.size());
  parallel_for(sentences.size(), threads, [&](size_t i, unsigned) {
    auto lease = pool_->spaces.lease([&] { return std::make_unique<Workspace>(model_); });
    ++lease->counters.sentences;
    const double begin = thread_seconds();
    if (!sentences[i].empty()) {
      lease->search.run(sentences[i], all);
      lease->counters.search += lease->search.counters();
    }
    results[i] = work(sentences[i], lease->search);
    lease->counters.seconds += thread_seconds() - begin;
  });
  return results;
}

std::vector<HieroDerivation> BlockDecoder::decode(std::span<const Sentence> sentences,
                                                  unsigned threads) {
  return each<HieroDerivation>(
      sentences, threads, false, [](const Sentence& tokens, const BlockSearch& search) {
        return tokens.empty() ? empty_block_derivation()
                              : block_derivation(search, best_arcs(search), tokens);
      });
}

std::vector<std::vector<HieroDerivation>> BlockDecoder::kbest(std::span<const Sentence> sentences,
                                                              size_t k, bool unique,
                                                              unsigned threads) {
  using List = std::vector<HieroDerivation>;
  return each<List>(sentences, threads, true,
                    [&](const Sentence& tokens, const BlockSearch& search) {
                      if (tokens.empty()) return List{empty_block_derivation()};
                      List list;
                      const BlockGraph graph = block_graph(search, tokens, false);
                      KBest best(graph.forest, graph.forest.score, {.k = k, .unique = unique});
                      std::vector<uint32_t> arcs;
                      for (size_t rank = 0; rank < k && best.reach(rank); ++rank) {
                        arcs.clear();
                        for (const uint32_t e : best.derivation(rank))
                          if (graph.arcs[e] != kNoArc) arcs.push_back(graph.arcs[e]);
                        list.push_back(block_derivation(search, arcs, tokens));
                      }
                      return list;
                    });
}

std::vector<Forest> BlockDecoder::forests(std::span<const Sentence> sentences, bool pairs,
                                          unsigned threads) {
  return each<Forest>(
      sentences, threads, true, [&](const Sentence& tokens, const BlockSearch& search) {
        return tokens.empty() ? empty_block_graph() : block_graph(search, tokens, pairs).forest;
      });
}

}  // namespace demotic
