#include "decode/phrase/decoder.h"

#include "decode/phrase/derivation.h"
#include "decode/thread_clock.h"
#include "decode/workspace_pool.h"
#include "forest/kbest.h"
#include "io/error.h"
#include "parallel.h"

namespace demotic::decode::phrase {

PhraseCounters& PhraseCounters::operator+=(const PhraseCounters& other) {
  sentences += other.sentences;
  shortened += other.shortened;
  search += other.search;
  option_seconds += other.option_seconds;
  search_seconds += other.search_seconds;
  return *this;
}

// Everything that one thread needs, kept for the next sentence.
struct PhraseDecoder::Workspace {
  explicit Workspace(const PhraseDecoder& decoder) : search(decoder.model_, decoder.options_) {}

  void run(const PhraseDecoder& decoder, const Sentence& tokens, bool keep_alternatives) {
    ++counters.sentences;
    if (tokens.empty()) return;
    const double begin = thread_seconds();
    sentence = decoder.model_.grammar().encode(tokens);
    search.keep_alternatives(keep_alternatives);
    search.prepare(sentence);
    const double prepared = thread_seconds();
    search.run();
    counters.option_seconds += prepared - begin;
    counters.search_seconds += thread_seconds() - prepared;
    counters.shortened += search.shortened();
    counters.search += search.counters();
  }

  bool large() const { return search.hypotheses() > 1'000'000; }

  PhraseSearch search;
  SourceSentence sentence;
  PhraseCounters counters;
};

struct PhraseDecoder::Pool {
  WorkspacePool<Workspace> spaces;
};

PhraseDecoder::PhraseDecoder(const grammar::RuleTable& table, const lm::Model* lm,
                             const GrammarWeights& weights, const PhraseSearchOptions& options,
                             bool reordering)
    : model_(table, lm, weights, reordering), options_(options), pool_(std::make_unique<Pool>()) {
  const auto require = [](bool holds, const char* message) {
    if (!holds) throw io::Error(io::Fault::argument, message);
  };
  require(options.pops > 0, "the number of pops must be at least 1");
  require(options.stack > 0, "a stack must have room for one hypothesis");
  require(options.table_limit > 0, "each source phrase needs at least one option");
  require(options.threshold >= 0, "the threshold must not be negative");
}

PhraseDecoder::~PhraseDecoder() = default;

PhraseCounters PhraseDecoder::counters() const { return pool_->spaces.counters(); }
void PhraseDecoder::reset_counters() { pool_->spaces.reset_counters(); }

// `all`: keep the arcs that lost, too.
template <class Result, class Work>
std::vector<Result> PhraseDecoder::each(std::span<const Sentence> sentences, unsigned threads,
                                        bool all, Work work) {
  std::vector<Result> results(sentences.size());
  parallel_for(sentences.size(), threads, [&](size_t i, unsigned) {
    auto lease = pool_->spaces.lease([&] { return std::make_unique<Workspace>(*this); });
    lease->run(*this, sentences[i], all);
    results[i] = work(sentences[i], *lease);
  });
  return results;
}

std::vector<Derivation> PhraseDecoder::decode(std::span<const Sentence> sentences,
                                              unsigned threads) {
  return each<Derivation>(sentences, threads, false, [&](const Sentence& tokens, Workspace& space) {
    Derivation found;
    if (!tokens.empty())
      found = best_derivation(space.search, static_cast<uint32_t>(tokens.size()));
    complete(found, tokens, space.sentence, model_);
    return found;
  });
}

std::vector<forest::Forest> PhraseDecoder::forests(std::span<const Sentence> sentences,
                                                   unsigned threads) {
  return each<forest::Forest>(
      sentences, threads, true, [&](const Sentence& tokens, Workspace& space) {
        return tokens.empty() ? empty_search_graph(model_)
                              : search_graph(space.search, model_, tokens, space.sentence);
      });
}

double PhraseDecoder::future_cost(const Sentence& sentence, uint32_t begin, uint32_t end) {
  const auto words = static_cast<uint32_t>(sentence.size());
  PhraseSearch search(model_, options_);
  if (words > 0) search.prepare(model_.grammar().encode(sentence));
  if (begin > end || end > words || (end < words && end - begin > search.distortion_limit()))
    throw io::Error(io::Fault::argument, "no such piece of the sentence, or too long to be a gap");
  return words == 0 ? 0.0 : search.future_cost(begin, end);
}

std::vector<std::vector<Derivation>> PhraseDecoder::kbest(std::span<const Sentence> sentences,
                                                          size_t k, bool unique, unsigned threads) {
  using List = std::vector<Derivation>;
  return each<List>(sentences, threads, true, [&](const Sentence& tokens, Workspace& space) {
    List list;
    if (tokens.empty()) {
      list.emplace_back();
      complete(list.back(), tokens, space.sentence, model_);
      return list;
    }
    const forest::Forest graph = search_graph(space.search, model_, tokens, space.sentence);
    const std::vector<uint32_t> heads = graph.heads();
    forest::KBest best(graph, graph.score, {.k = k, .unique = unique});
    for (size_t rank = 0; rank < k && best.reach(rank); ++rank) {
      list.push_back(forest_derivation(graph, heads, best.derivation(rank), model_));
      list.back().span_limit = space.search.distortion_limit();
      complete(list.back(), tokens, space.sentence, model_);
    }
    return list;
  });
}

}  // namespace demotic::decode::phrase
