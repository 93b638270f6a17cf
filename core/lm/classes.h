// Word classes by exchange: the partition of the words into a given number of classes that makes a
// class bigram model of the text likely (Kneser and Ney 1993; Martin, Liermann and Ney 1998).
//
//   BigramCounts counts;  counts.add("the house\nis small\n");
//   ClassExchange exchange(counts, classes, min_count, threads);
//   while (exchange.improve(0, exchange.items()) > 0) {}       until no word wants to move
//   exchange.classes();  exchange.log_likelihood();
//
// p(w | v) = p(w | class of w) p(class of w | class of v), so that, up to a constant,
//
//   log likelihood = sum_(c,d) f(N(c,d)) - 2 sum_c f(N(c)),   f(n) = n ln n          (eq. 1)
//
// where N counts class bigrams.  Sentence borders are a word of their own in a class of their own,
// which makes each class as frequent on the left of a bigram as on the right.
//
// Words are looked at in blocks.  For a block, threads find each word's best class while nothing
// moves; then the moves are made one by one, each only if it still raises the likelihood.  So the
// result does not depend on the number of threads, and a pass without a move proves that no move of
// a single word helps.
#pragma once

#include <cmath>
#include <cstdint>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "lm/ngram_sort.h"
#include "text/vocab.h"

namespace demotic::lm {

// Counts of neighbouring words.  Id 0 of the vocabulary, which no text word has, is the border.
class BigramCounts {
 public:
  // With `skip_special`, the word <unk> in the text is passed over; otherwise it is an error.
  explicit BigramCounts(bool skip_special = false) : skip_special_(skip_special) {}

  void add(std::string_view lines);  // whole lines, words separated by white space
  // Line numbers in errors start again at 1.
  void next_file() { line_ = 0; }
  const text::Vocab& vocab() const { return vocab_; }
  uint64_t lines() const { return lines_; }

  struct Bigram {
    PackedNgram<1> key;
    uint64_t count;
    uint32_t left() const { return static_cast<uint32_t>(key.limb[0] >> 32); }
    uint32_t right() const { return static_cast<uint32_t>(key.limb[0]); }
  };
  // Distinct, sorted by left then right word.
  const std::vector<Bigram>& bigrams();

 private:
  void compact();

  bool skip_special_;
  text::Vocab vocab_;
  uint64_t lines_ = 0, line_ = 0;
  std::vector<PackedNgram<1>> pending_, scratch_;
  std::vector<Bigram> bigrams_;
};

class ClassExchange {
 public:
  // Items are what moves: words by falling frequency, and last, as one item, all words that occur
  // less than `min_count` times.  The item of rank r starts in class r modulo `classes`.
  ClassExchange(BigramCounts& counts, uint32_t classes, uint64_t min_count, unsigned threads);

  uint32_t items() const { return static_cast<uint32_t>(class_.size()); }
  // Looks at the items from `begin` to `end` once; the number of moves made.
  uint64_t improve(uint32_t begin, uint32_t end);

  // Natural logarithm of the text's probability, maximum-likelihood estimates throughout.
  double log_likelihood() const;
  // Words by falling frequency (ids of the vocabulary), and each one's class; classes are numbered
  // by their most frequent word.
  std::span<const uint32_t> words() const { return words_; }
  std::vector<uint32_t> classes() const;

 private:
  struct Neighbour {
    uint32_t item;
    uint64_t count;
  };
  // Where an item stands among the classes: counts of its bigrams, itself apart.
  struct Surroundings {
    std::vector<uint64_t> before, after;            // dense, by class; zero where not listed
    std::vector<uint32_t> before_list, after_list;  // the classes that occur
    std::vector<double> gain;
  };

  double f(uint64_t n) const {
    return n < f_.size() ? f_[n] : static_cast<double>(n) * std::log(static_cast<double>(n));
  }
  uint64_t& pairs(uint32_t left, uint32_t right) { return pairs_[left * all_ + right]; }
  uint64_t pairs(uint32_t left, uint32_t right) const { return pairs_[left * all_ + right]; }

  void gather(uint32_t item, Surroundings& near) const;
  void clear(Surroundings& near) const;
  // What the item adds to eq. 1 in the class where it is, and what it would add in another.
  double value_at_home(uint32_t item, const Surroundings& near) const;
  double value_elsewhere(uint32_t item, const Surroundings& near, uint32_t target) const;
  void values_everywhere(uint32_t item, Surroundings& near) const;
  void move(uint32_t item, const Surroundings& near, uint32_t target);

  uint32_t border_;  // its class: the last one, which nothing enters or leaves
  size_t all_;       // classes and the border
  unsigned threads_;
  std::vector<double> f_;
  std::vector<uint32_t> words_;                          // by rank
  std::vector<uint32_t> item_of_;                        // by rank
  std::vector<uint32_t> class_;                          // by item
  std::vector<uint64_t> frequency_;                      // by item
  std::vector<uint64_t> self_;                           // by item: how often it follows itself
  std::vector<std::vector<Neighbour>> next_, previous_;  // by item; item == items() is the border
  std::vector<uint64_t> pairs_, transposed_;             // N(c,d) by rows of c, and by rows of d
  std::vector<uint64_t> totals_;                         // N(c)
  std::vector<Surroundings> scratch_;
};

}  // namespace demotic::lm
