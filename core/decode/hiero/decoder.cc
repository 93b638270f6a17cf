#include "decode/hiero/decoder.h"

#include <limits>

#include "decode/forest_packer.h"
#include "decode/hiero/packed_forest.h"
#include "decode/thread_clock.h"
#include "forest/kbest.h"
#include "io/error.h"
#include "parallel.h"

namespace demotic::decode::hiero {

namespace {

[[noreturn]] void no_derivation() {
  throw io::Error(io::Fault::argument, "the grammar has no derivation of a sentence", 0,
                  "allow glue rules, or raise the span limit");
}

}  // namespace

HieroCounters& HieroCounters::operator+=(const HieroCounters& other) {
  sentences += other.sentences;
  shortened += other.shortened;
  search += other.search;
  parse_seconds += other.parse_seconds;
  rescore_seconds += other.rescore_seconds;
  return *this;
}

// Everything that one thread needs, kept for the next sentence.
struct HieroDecoder::Workspace {
  explicit Workspace(const HieroDecoder& decoder)
      : build(decoder.plan_), prune(decoder.grammar_, decoder.pruning_) {}

  void parse(const HieroDecoder& decoder, const Tokens& tokens) {
    const double begin = thread_seconds();
    sentence = decoder.grammar_.encode(tokens);
    build(sentence.source, forest);
    counters.parse_seconds += thread_seconds() - begin;
    ++counters.sentences;
    counters.shortened += forest.span_limit < decoder.plan_.options().span_limit;
    counters.search.edges += forest.edges.size();
  }

  void rescore(bool keep_alternatives) {
    const double begin = thread_seconds();
    prune.keep_alternatives(keep_alternatives);
    prune(forest, sentence);
    counters.rescore_seconds += thread_seconds() - begin;
    CubePruningCounters done = prune.counters();
    done.edges = 0;
    counters.search += done;
  }

  bool large() const {
    constexpr size_t kLarge = 1'000'000;
    return forest.edges.capacity() + prune.entries() >= kLarge;
  }

  ContextFreeForestBuilder build;
  CubePruner prune;
  SourceSentence sentence;
  ContextFreeForest forest;
  HieroCounters counters;
};

HieroDecoder::HieroDecoder(const grammar::RuleTable& table, const lm::Model* lm,
                           const GrammarWeights& weights, const ParseOptions& parsing,
                           const CubePruningOptions& pruning)
    : grammar_(table, lm, weights),
      plan_(table, parsing),
      pruning_(pruning),
      pool_(std::make_unique<WorkspacePool<Workspace>>()) {
  if (pruning.pops == 0)
    throw io::Error(io::Fault::argument, "the number of pops must be at least 1");
}

HieroDecoder::~HieroDecoder() = default;

HieroCounters HieroDecoder::counters() const { return pool_->counters(); }

void HieroDecoder::reset_counters() { pool_->reset_counters(); }

template <class Result, class Work>
std::vector<Result> HieroDecoder::each(std::span<const Tokens> sentences, unsigned threads,
                                       Work work) {
  std::vector<Result> results(sentences.size());
  parallel_for(sentences.size(), threads, [&](size_t i, unsigned) {
    const auto lease = pool_->lease([&] { return std::make_unique<Workspace>(*this); });
    Workspace& space = *lease;
    space.parse(*this, sentences[i]);
    results[i] = work(sentences[i], space);
  });
  return results;
}

// Of a sentence without words, or which the grammar does not derive.
Derivation HieroDecoder::underived(const Tokens& tokens, const Workspace& space) const {
  Derivation derivation;
  complete(derivation, tokens, space.sentence, grammar_);
  derivation.span_limit = space.forest.span_limit;
  if (!tokens.empty()) derivation.score = -std::numeric_limits<double>::infinity();
  return derivation;
}

std::vector<Derivation> HieroDecoder::decode(std::span<const Tokens> sentences, unsigned threads) {
  return each<Derivation>(sentences, threads, [&](const Tokens& tokens, Workspace& space) {
    if (space.forest.empty()) return underived(tokens, space);
    space.rescore(false);
    Derivation derivation = chart_derivation(space.forest, space.prune);
    complete(derivation, tokens, space.sentence, grammar_);
    return derivation;
  });
}

// Of a sentence without words.
forest::Forest HieroDecoder::nothing() const {
  return empty_forest(plan_.labels(), ScoredGrammar::feature_names(grammar_.table()), plan_.goal());
}

forest::Forest HieroDecoder::forest(const Tokens& tokens, Workspace& space) const {
  if (tokens.empty()) return nothing();
  if (space.forest.empty()) no_derivation();
  space.rescore(true);
  return packed_forest(space.forest, space.prune, plan_, grammar_, tokens, space.sentence);
}

std::vector<forest::Forest> HieroDecoder::forests(std::span<const Tokens> sentences,
                                                  unsigned threads) {
  return each<forest::Forest>(sentences, threads, [&](const Tokens& tokens, Workspace& space) {
    return forest(tokens, space);
  });
}

std::vector<forest::Forest> HieroDecoder::parses(std::span<const Tokens> sentences,
                                                 unsigned threads) {
  return each<forest::Forest>(sentences, threads, [&](const Tokens& tokens, Workspace& space) {
    if (tokens.empty()) return nothing();
    if (space.forest.empty()) no_derivation();
    return packed_forest(space.forest, plan_, grammar_, tokens, space.sentence);
  });
}

std::vector<std::vector<Derivation>> HieroDecoder::kbest(std::span<const Tokens> sentences,
                                                         size_t k, bool unique, unsigned threads) {
  using List = std::vector<Derivation>;
  return each<List>(sentences, threads, [&](const Tokens& tokens, Workspace& space) {
    List list;
    if (space.forest.empty()) return List{underived(tokens, space)};
    const forest::Forest packed = forest(tokens, space);
    const std::vector<uint32_t> heads = packed.heads();
    forest::KBest best(packed, packed.score, {.k = k, .unique = unique});
    for (size_t rank = 0; rank < k && best.reach(rank); ++rank) {
      list.push_back(forest_derivation(packed, heads, best.derivation(rank), plan_, grammar_));
      list.back().span_limit = space.forest.span_limit;
      complete(list.back(), tokens, space.sentence, grammar_);
    }
    return list;
  });
}

}  // namespace demotic::decode::hiero
