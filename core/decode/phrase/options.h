// Translations of the pieces of one sentence: what phrase-based search chooses from.
//
//   PhraseOptions options(model, 20);          one for each thread
//   options.find(sentence);
//   options.depth(begin)                       spans from there have at most so many words
//   const OptionList& list = options.at(begin, words);
//   options.ordered(list, o, j)                the j-th best option in that orientation
//
//   FutureCosts future;  future.compute(model, options, words, limit);
//   future(begin, end)                         the best that the words in between can still add
//   future.leap(words)                         what it takes from that to jump so many words
//
// For each source phrase the best `most` of its rules count, by their weighted score with the
// language model's estimate of their words alone.  A word without a rule of its own passes through.
// Lists stay in memory from sentence to sentence, as long as there are not too many; they depend on
// the source phrase only, but where classifiers of words look at the sentence around it.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "decode/phrase/model.h"
#include "hash_index.h"
#include "lm/chart.h"

namespace demotic::decode::phrase {

struct PhraseOption {
  double score;     // weighted, wherever it stands; no language model
  double estimate;  // the same with the language model's score of its words alone
  uint32_t rule;    // of the table, or kPassThrough
  uint32_t next;    // equal for options whose orientations towards what follows score alike
  float lm;         // log10 of its words alone
  float further;    // weighted, of what further language models say of them
};

struct OptionList {
  uint32_t first = 0;
  uint32_t count = 0;  // 0: there is no such phrase
  double best = 0;     // estimate
};

class PhraseOptions {
 public:
  PhraseOptions(const PhraseModel& model, uint32_t most) : model_(model), most_(most) { forget(); }

  void find(const SourceSentence& sentence);

  uint32_t depth(uint32_t begin) const { return rows_[begin + 1] - rows_[begin]; }
  const OptionList& at(uint32_t begin, uint32_t words) const {
    return lists_[rows_[begin] + words - 1];
  }
  uint32_t deepest() const { return deepest_; }

  const PhraseOption& option(uint32_t number) const { return options_[number]; }
  const lm::Fragment& fragment(uint32_t number) const { return fragments_[number]; }
  // What each further language model makes of it, and its log10.
  std::span<const lm::Fragment> further_fragments(uint32_t number) const {
    const uint32_t models = model_.grammar().further();
    return std::span(further_fragments_).subspan(size_t{number} * models, models);
  }
  std::span<const float> further_logs(uint32_t number) const {
    const uint32_t models = model_.grammar().further();
    return std::span(further_logs_).subspan(size_t{number} * models, models);
  }
  // Weighted; only where the model is lexicalised.
  const Reordering& reordering(uint32_t number) const { return reorderings_[number]; }
  uint32_t ordered(const OptionList& list, grammar::Orientation o, uint32_t j) const {
    return model_.lexicalised() ? orders_[grammar::kOrientations * size_t{list.first} +
                                          static_cast<size_t>(o) * list.count + j]
                                : list.first + j;
  }
  uint64_t scored() const { return scored_; }  // rules that the language model has seen so far

 private:
  struct NodeList {
    uint32_t node;   // of the trie
    uint32_t begin;  // of the phrase, where that matters
    OptionList list;
  };
  static constexpr size_t kMostKept = 100'000;  // options, about 250 bytes each

  void forget();
  OptionList of_node(uint32_t node, uint32_t begin, const SentenceChoices& choices);
  OptionList make(uint32_t node, uint32_t begin, const SentenceChoices& choices);
  OptionList pass_through(const SourceSentence& sentence, uint32_t place);
  // `further_words`: what each further language model takes the words for, model after model.
  void add(uint32_t rule, double score, std::span<const uint32_t> lm_words,
           std::span<const uint32_t> further_words);
  void drop_from(size_t option);
  OptionList close(uint32_t first);
  uint32_t next_class(uint32_t rule);

  const PhraseModel& model_;
  uint32_t most_;

  std::vector<uint32_t> rows_;  // lists of begin: rows_[begin] ... rows_[begin + 1]
  std::vector<OptionList> lists_;
  uint32_t deepest_ = 0;

  std::vector<PhraseOption> options_;
  std::vector<lm::Fragment> fragments_;
  std::vector<lm::Fragment> further_fragments_;  // for each option one of each further model
  std::vector<float> further_logs_;              // likewise
  std::vector<Reordering> reorderings_;
  std::vector<uint32_t> orders_;  // of each list, once for each orientation
  std::vector<std::array<float, grammar::kOrientations>> next_classes_;
  HashIndex next_index_;
  std::vector<NodeList> lists_by_node_;  // kept from one sentence to the next
  HashIndex nodes_;                      // of these
  size_t kept_options_ = 0;              // those beyond pass through in the sentence at hand
  uint64_t scored_ = 0;

  struct Candidate {
    double estimate;
    uint32_t number;
  };
  std::vector<Candidate> candidates_;
  std::vector<uint32_t> words_, further_words_;
  std::vector<text::Symbol> source_;
};

// Spans of at most `limit` words, and spans up to the sentence's end.  A leap costs its distance
// and, where orientations count, half of what the sentence's best options lose on average if their
// neighbours are not those of the source: those that do the leap lose less than the others.
class FutureCosts {
 public:
  void compute(const PhraseModel& model, const PhraseOptions& options, uint32_t words,
               uint32_t limit);
  double leap(uint32_t words) const { return leave_ - distance_ * words; }
  double leave() const { return leave_; }  // the part that does not depend on the distance
  double operator()(uint32_t begin, uint32_t end) const {
    return end == words_ ? tail_[begin] : inner_[size_t{begin} * (limit_ + 1) + (end - begin)];
  }

 private:
  void compute_leaps(const PhraseModel& model, const PhraseOptions& options);

  uint32_t words_ = 0;
  uint32_t limit_ = 0;
  double leave_ = 0;
  double distance_ = 0;  // of one word
  std::vector<double> tail_;
  std::vector<double> inner_;
};

}  // namespace demotic::decode::phrase
