#include "decode/blocks/decoder.h"

#include <algorithm>
#include <ctime>

#include "decode/workspace_pool.h"
#include "forest/kbest.h"
#include "io/error.h"
#include "metrics/sentence_bleu.h"
#include "parallel.h"

namespace demotic::decode::blocks {

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
  WorkspacePool<Workspace> spaces;
};

BlockDecoder::BlockDecoder(const grammar::BlockTable& table, const lm::Model* lm,
                           const grammar::BlockPairs& pairs, std::span<const double> weights,
                           const BlockDecoderOptions& options)
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

std::vector<Derivation> BlockDecoder::decode(std::span<const Sentence> sentences,
                                             unsigned threads) {
  return each<Derivation>(
      sentences, threads, false, [](const Sentence& tokens, const BlockSearch& search) {
        return tokens.empty() ? empty_block_derivation()
                              : block_derivation(search, best_arcs(search), tokens);
      });
}

std::vector<std::vector<Derivation>> BlockDecoder::kbest(std::span<const Sentence> sentences,
                                                         size_t k, bool unique, unsigned threads) {
  using List = std::vector<Derivation>;
  return each<List>(
      sentences, threads, true, [&](const Sentence& tokens, const BlockSearch& search) {
        if (tokens.empty()) return List{empty_block_derivation()};
        List list;
        const BlockGraph graph = block_graph(search, tokens, false);
        forest::KBest best(graph.forest, graph.forest.score, {.k = k, .unique = unique});
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

std::vector<BlockOracle> BlockDecoder::oracles(std::span<const Sentence> sentences,
                                               std::span<const std::vector<std::string>> references,
                                               size_t k, unsigned threads) {
  if (sentences.size() != references.size())
    throw io::Error(io::Fault::argument, "each sentence needs its references");
  const auto work = [&](const Sentence& tokens, const BlockSearch& search) {
    BlockOracle oracle{empty_block_derivation(), empty_block_derivation(), {}};
    if (tokens.empty()) return oracle;
    const std::vector<std::string>& wanted = references[&tokens - sentences.data()];
    const metrics::SentenceBleu bleu(
        wanted,
        {.smoothing = metrics::BleuSmoothing::add_k, .value = 1.0, .effective_order = true});
    metrics::BleuScratch scratch;
    const grammar::BlockTable& table = model_.table();
    const BlockGraph graph = block_graph(search, tokens, false);
    forest::KBest list(graph.forest, graph.forest.score, {.k = k, .unique = false});
    std::vector<uint32_t> arcs, best;
    std::string text;
    double most = -1.0;
    for (size_t rank = 0; rank < k && list.reach(rank); ++rank) {
      arcs.clear();
      text.clear();
      for (const uint32_t e : list.derivation(rank))
        if (graph.arcs[e] != kNoArc) arcs.push_back(graph.arcs[e]);
      for (size_t i = arcs.size(); i-- > 0;) {
        const BlockOption& option = search.option(search.arc(arcs[i]).option);
        if (option.block == grammar::kNoBlock) {
          (text += tokens[option.begin]) += ' ';
          continue;
        }
        for (const uint32_t id : table.target(option.block))
          (text += table.target_vocab().word(id)) += ' ';
        oracle.listed.push_back({option.block, option.begin, option.end});
      }
      if (rank == 0) oracle.first = block_derivation(search, arcs, tokens);
      if (const double score = bleu.score(text, scratch); score > most) {
        most = score;
        best = arcs;
      }
    }
    oracle.best = block_derivation(search, best, tokens);
    std::sort(oracle.listed.begin(), oracle.listed.end());
    oracle.listed.erase(std::unique(oracle.listed.begin(), oracle.listed.end()),
                        oracle.listed.end());
    return oracle;
  };
  return each<BlockOracle>(sentences, threads, true, work);
}

std::vector<forest::Forest> BlockDecoder::forests(std::span<const Sentence> sentences, bool pairs,
                                                  unsigned threads) {
  return each<forest::Forest>(
      sentences, threads, true, [&](const Sentence& tokens, const BlockSearch& search) {
        return tokens.empty() ? empty_block_graph() : block_graph(search, tokens, pairs).forest;
      });
}

}  // namespace demotic::decode::blocks
