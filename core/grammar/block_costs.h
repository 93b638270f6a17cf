// The real-valued features of blocks, each -ln of a probability (Tillmann and Zhang 2005, section
// 3): (a) unigram, (b) orientation, (c) language model of the first word, (d) of the rest, (e)
// lexical.
//
//   BlockCosts costs(table, &lm, {.smoothing = 0.5});
//   costs.unigram(b)   costs.orientation(b, BlockOrientation::left)   table.lexical(b)
//   LmCosts c = costs.lm(state, b, next);      c.first, c.rest; `next` follows the block's words
#pragma once

#include <cmath>
#include <cstdint>
#include <string_view>
#include <vector>

#include "grammar/block_lexical.h"
#include "grammar/block_match.h"
#include "grammar/block_table.h"
#include "lm/model.h"

namespace demotic::grammar {

enum class UnigramCost : uint8_t {
  raw,           // -ln N(b) / sum of N
  per_word,      // the same, divided by the length of the source phrase
  equal_length,  // -ln N(b) / sum of N over the blocks whose source phrase is as long
};

// By its name in settings: raw, per-word, equal-length.  Throws Error(argument).
UnigramCost unigram_cost(std::string_view name);

struct BlockCostOptions {
  double smoothing = 0.5;  // alpha of p_o = (N_o + alpha pi_o) / (N_L + N_R + alpha)
  UnigramCost unigram = UnigramCost::raw;
};

struct LmCosts {
  double first = 0, rest = 0;  // -ln
};

class BlockCosts {
 public:
  static constexpr double kLn10 = 2.302585092994045684;
  static constexpr double kWorstLog10 = -99;  // what a model's -infinity counts as

  BlockCosts(const BlockTable& table, const lm::Model* lm, const BlockCostOptions& options);

  const BlockTable& table() const { return *table_; }
  const lm::Model* language_model() const { return lm_; }

  double unigram(uint32_t block, uint32_t source_size) const {
    const double log_count = std::log(static_cast<double>(std::max(1u, table_->count(block))));
    if (options_.unigram == UnigramCost::equal_length && source_size < log_by_length_.size())
      return log_by_length_[source_size] - log_count;
    const double cost = log_total_ - log_count;
    return options_.unigram == UnigramCost::per_word ? cost / source_size : cost;
  }
  double orientation(uint32_t block, BlockOrientation o) const {
    return orientation(table_->left(block), table_->right(block), o);
  }
  // Of a block that was never seen: the global share.
  double orientation(BlockOrientation o) const { return orientation(0, 0, o); }

  uint32_t lm_word(uint32_t target) const {
    return target < lm_words_.size() ? lm_words_[target] : text::kUnknown;
  }
  // The words of a block after `in`, which may be `out`.
  LmCosts lm(const lm::State& in, uint32_t block, lm::State& out) const {
    LmCosts costs;
    out = in;
    bool is_first = true;
    for (const uint32_t word : table_->target(block)) {
      const double cost = lm_cost(out, lm_word(word), out);
      (is_first ? costs.first : costs.rest) += cost;
      is_first = false;
    }
    return costs;
  }
  double lm_cost(const lm::State& in, uint32_t lm_word, lm::State& out) const {
    if (lm_ == nullptr) {
      out = in;
      return 0.0;
    }
    const float log10 = lm_->score(in, lm_word, out).prob;
    return -kLn10 * (log10 > kWorstLog10 ? static_cast<double>(log10) : kWorstLog10);
  }
  lm::State begin_sentence() const { return lm_ == nullptr ? lm::State{} : lm_->begin_sentence(); }
  double lm_end(const lm::State& in) const {
    lm::State out;
    return lm_ == nullptr ? 0.0 : lm_cost(in, lm_->end_word(), out);
  }

 private:
  double orientation(uint32_t left, uint32_t right, BlockOrientation o) const {
    const bool is_left = o == BlockOrientation::left;
    const double seen = is_left ? left : right;
    const double p = (seen + options_.smoothing * (is_left ? share_left_ : 1 - share_left_)) /
                     (static_cast<double>(left) + right + options_.smoothing);
    return -std::log(p > kFloor ? p : kFloor);
  }

  const BlockTable* table_;
  const lm::Model* lm_;
  BlockCostOptions options_;
  double log_total_;
  double share_left_;                  // pi_L
  std::vector<double> log_by_length_;  // by length of the source phrase
  std::vector<uint32_t> lm_words_;     // by target word
};

}  // namespace demotic::grammar
