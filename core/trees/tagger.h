// Parts of speech by an averaged perceptron, from left to right (Collins 2002).
//
//   TaggerLearner learner(tags);
//   learner.add(words, tags_of_words);                sentence by sentence
//   Tagger tagger = learner.learn(passes, seed);
//   tagger.tag(words)                                 a tag for each
//   Tagger again(tagger.content());                   what a file keeps of it
//
// Features are the word, its ends and shape, its neighbours and the two tags before it, each a
// 64-bit hash of its name and value.  Ties go to the lower tag.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "hash_index.h"

namespace demotic::trees {

struct TaggerContent {
  uint32_t tags = 0;
  std::vector<uint64_t> keys;  // of features
  std::vector<float> weights;  // `tags` for each key
};

class Tagger {
 public:
  Tagger() = default;
  explicit Tagger(TaggerContent content);  // throws Error(corrupt) where sizes do not fit

  const TaggerContent& content() const { return content_; }
  std::vector<uint32_t> tag(std::span<const std::string> words) const;

 private:
  TaggerContent content_;
  HashIndex rows_;
};

class TaggerLearner {
 public:
  explicit TaggerLearner(uint32_t tags) : tags_(tags) {}

  void add(const std::vector<std::string>& words, const std::vector<uint32_t>& tags);
  Tagger learn(uint32_t passes, uint64_t seed) const;

 private:
  uint32_t tags_;
  std::vector<std::vector<uint64_t>> places_;  // by sentence: kPlaceFeatures hashes of each word
  std::vector<std::vector<uint64_t>> words_;   // by sentence: the hash of each word
  std::vector<std::vector<uint32_t>> gold_;
};

}  // namespace demotic::trees
