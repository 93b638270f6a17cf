#include "decode/transducer/language_yield.h"

#include "io/error.h"

namespace demotic::decode::transducer {

namespace {

lm::FragmentNumber number_of(uint64_t yield) {
  return {static_cast<uint32_t>(yield >> 32), static_cast<uint32_t>(yield)};
}

// What a scorer found, as a number; costs are -log10.
uint64_t done(const lm::MemoScorer& scorer, double& cost) {
  float change = 0;
  const lm::FragmentNumber made = scorer.finish(change);
  cost = -static_cast<double>(change);
  return made.key();
}

}  // namespace

LanguageYield::LanguageYield(const lm::Model& model, std::span<const uint32_t> begins,
                             std::span<const uint32_t> words)
    : memo_(model), begins_(begins), words_(words), end_(model.find("</s>")) {
  bool wrong = begins.empty() || begins[0] != 0 || begins.back() != words.size();
  for (size_t i = 0; i + 1 < begins.size(); ++i) wrong = wrong || begins[i] > begins[i + 1];
  for (const uint32_t word : words) wrong = wrong || word >= model.words();
  if (wrong) throw io::Error(io::Fault::argument, "words that do not fit the candidates of leaves");
  memo_.clear();
}

uint64_t LanguageYield::leaf(uint32_t candidate, double& cost) {
  lm::MemoScorer scorer(memo_);
  for (uint32_t i = begins_[candidate]; i < begins_[candidate + 1]; ++i) scorer.terminal(words_[i]);
  return done(scorer, cost);
}

uint64_t LanguageYield::join(uint64_t first, uint64_t second, double& cost) {
  lm::MemoScorer scorer(memo_);
  scorer.nonterminal(number_of(first));
  scorer.nonterminal(number_of(second));
  return done(scorer, cost);
}

double LanguageYield::sentence(uint64_t yield) {
  lm::MemoScorer scorer(memo_);
  scorer.begin_sentence();
  scorer.nonterminal(number_of(yield));
  scorer.terminal(end_);
  double cost = 0.0;
  done(scorer, cost);
  return cost;
}

}  // namespace demotic::decode::transducer
