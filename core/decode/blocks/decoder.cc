#include "decode/blocks/decoder.h"

#include <algorithm>
#include <memory>

#include "decode/thread_clock.h"
#include "io/error.h"
#include "metrics/sentence_bleu.h"

namespace demotic::decode::blocks {

namespace {

// The arcs of a derivation, from the last block back.
void find_arcs(const BlockGraph& graph, std::span<const uint32_t> edges,
               std::vector<uint32_t>& arcs) {
  arcs.clear();
  for (const uint32_t e : edges)
    if (graph.arcs[e] != kNoArc) arcs.push_back(graph.arcs[e]);
}

}  // namespace

BlockDecoder::BlockDecoder(const grammar::BlockTable& table, const lm::Model* lm,
                           const grammar::BlockPairs& pairs, std::span<const double> weights,
                           const BlockDecoderOptions& options)
    : SentenceDecoder([this] { return std::make_unique<BlockWorkspace>(model_); }),
      model_(table, lm, pairs, weights, options) {}

// work(tokens, search) of each sentence; `all`: the arcs that lost were kept, too.
template <class Work>
auto BlockDecoder::each_searched(std::span<const Tokens> sentences, unsigned threads, bool all,
                                 Work work) {
  return each(sentences, threads, [&](const Tokens& tokens, BlockWorkspace& space) {
    const ThreadTimer timer(space.counters.seconds);
    if (!tokens.empty()) {
      space.search.run(tokens, all);
      add_counters<BlockSearchCounters>(space.counters, space.search.counters());
    }
    return work(tokens, std::as_const(space.search));
  });
}

std::vector<Derivation> BlockDecoder::decode(std::span<const Tokens> sentences, unsigned threads) {
  return each_searched(
      sentences, threads, false, [](const Tokens& tokens, const BlockSearch& search) {
        return tokens.empty() ? empty_block_derivation()
                              : block_derivation(search, best_arcs(search), tokens);
      });
}

std::vector<std::vector<Derivation>> BlockDecoder::lists(std::span<const Tokens> sentences,
                                                         const Listing& listing, unsigned threads) {
  return each_searched(sentences, threads, true,
                       [&](const Tokens& tokens, const BlockSearch& search) {
                         std::vector<Derivation> list;
                         if (tokens.empty()) {
                           list.push_back(empty_block_derivation());
                           return list;
                         }
                         const BlockGraph graph = block_graph(search, tokens, false);
                         std::vector<uint32_t> arcs;
                         listing(graph.forest, [&](std::span<const uint32_t> edges, double gain) {
                           find_arcs(graph, edges, arcs);
                           list.push_back(block_derivation(search, arcs, tokens));
                           list.back().gain = gain;
                         });
                         return list;
                       });
}

BlockOracle BlockDecoder::oracle(const Tokens& tokens, const BlockSearch& search,
                                 const std::vector<std::string>& references, size_t k) const {
  BlockOracle oracle{empty_block_derivation(), empty_block_derivation(), {}};
  if (tokens.empty()) return oracle;
  const metrics::SentenceBleu bleu(
      references,
      {.smoothing = metrics::BleuSmoothing::add_k, .value = 1.0, .effective_order = true});
  metrics::BleuScratch scratch;
  const grammar::BlockTable& table = model_.table();
  const BlockGraph graph = block_graph(search, tokens, false);
  std::vector<uint32_t> arcs, first, best;
  std::string text;
  double most = -1.0;
  each_best(graph.forest, k, false, [&](std::span<const uint32_t> edges) {
    find_arcs(graph, edges, arcs);
    text.clear();
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
    if (first.empty()) first = arcs;
    if (const double score = bleu.score(text, scratch); score > most) {
      most = score;
      best = arcs;
    }
  });
  oracle.first = block_derivation(search, first, tokens);
  oracle.best = block_derivation(search, best, tokens);
  std::sort(oracle.listed.begin(), oracle.listed.end());
  oracle.listed.erase(std::unique(oracle.listed.begin(), oracle.listed.end()), oracle.listed.end());
  return oracle;
}

std::vector<BlockOracle> BlockDecoder::oracles(std::span<const Tokens> sentences,
                                               std::span<const std::vector<std::string>> references,
                                               size_t k, unsigned threads) {
  if (sentences.size() != references.size())
    throw io::Error(io::Fault::argument, "each sentence needs its references");
  return each_searched(sentences, threads, true,
                       [&](const Tokens& tokens, const BlockSearch& search) {
                         return oracle(tokens, search, references[&tokens - sentences.data()], k);
                       });
}

std::vector<forest::Forest> BlockDecoder::forests(std::span<const Tokens> sentences, bool pairs,
                                                  unsigned threads) {
  return each_searched(sentences, threads, true,
                       [&](const Tokens& tokens, const BlockSearch& search) {
                         return tokens.empty() ? empty_block_graph(model_, pairs)
                                               : block_graph(search, tokens, pairs).forest;
                       });
}

}  // namespace demotic::decode::blocks
