// The local block model as a decoder uses it: costs, two vectors of weights, weights of pairs.
//
//   BlockModel model(table, &lm, pairs, weights, options);     weights in the order of
//                                                              feature_names()
//   BlockOption o = model.option(block, words);                what a block costs wherever it is
//   model.score(o, BlockOrientation::right)                    weighted, without language model and
//                                                              pairs
//   model.lm_score(BlockOrientation::right, lm)
//
// Features are -ln of probabilities, (a) to (e) of Tillmann and Zhang (2005), once for blocks that
// follow another to the right or left, once (Neutral...) for those that do not.  Partition is
// -ln Z, Pairs the sum of the pairs' weights, PassThrough counts words that pass through.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "features/feature_space.h"
#include "grammar/block_costs.h"
#include "grammar/block_pairs.h"

namespace demotic::decode::blocks {

enum class BlockFeature : uint8_t {
  unigram,
  orientation,
  first_word,
  rest_words,
  lexical,
  neutral_unigram,
  neutral_first_word,
  neutral_rest_words,
  neutral_lexical,
  partition,
  pairs,
  pass_through,
};
inline constexpr uint32_t kBlockModelFeatures = 12;

enum class Reorder : uint8_t { monotone, swap };
enum class Partition : uint8_t { half, alternatives };

struct BlockDecoderOptions {
  Reorder reorder = Reorder::swap;
  uint32_t alternatives = 9;  // blocks of each source phrase
  uint32_t min_left = 3;      // N_L of a block that may go to the left
  Partition partition = Partition::half;
  grammar::Boundary boundary = grammar::Boundary::start;
  double smoothing = 0.5;
  grammar::UnigramCost unigram = grammar::UnigramCost::per_word;
  uint64_t beam = 500;  // hypotheses of each number of covered words
  double delta = 10;    // those that are worse than the best one by more are dropped
  uint64_t max_nodes = 5'000'000;
};

// What a block costs wherever it stands; kNoBlock is a word that passes through.
struct BlockOption {
  uint32_t block;
  uint32_t begin, end;  // source words
  uint32_t last;        // the block as what follows sees it: kNoBlock if no pair begins with it
  bool may_go_left;
  double unigram, left, right, lexical;
  std::array<double, 3> score;  // by orientation: weighted, without language model and pairs
};

class BlockModel {
 public:
  BlockModel(const grammar::BlockTable& table, const lm::Model* lm,
             const grammar::BlockPairs& pairs, std::span<const double> weights,
             const BlockDecoderOptions& options);

  static std::vector<std::string> feature_names();
  // The features of the model's forests: the names above, and, where each pair is a feature of its
  // own, one for each pair, from kBlockModelFeatures on.
  const std::shared_ptr<const features::FeatureSpace>& space() const { return space_; }
  const std::shared_ptr<const features::FeatureSpace>& pair_space() const;

  const grammar::BlockTable& table() const { return costs_.table(); }
  const grammar::BlockCosts& costs() const { return costs_; }
  const grammar::BlockPairs& pairs() const { return pairs_; }
  const BlockDecoderOptions& options() const { return options_; }
  double weight(BlockFeature f) const { return weights_[static_cast<size_t>(f)]; }

  BlockOption option(uint32_t block, uint32_t begin, uint32_t end) const;
  BlockOption pass_through(uint32_t at) const;
  uint32_t last_of(uint32_t block) const {
    return pairs_.starts(block) ? block : grammar::kNoBlock;
  }

  double lm_score(grammar::BlockOrientation o, const grammar::LmCosts& lm) const {
    return o == grammar::BlockOrientation::neutral
               ? weight(BlockFeature::neutral_first_word) * lm.first +
                     weight(BlockFeature::neutral_rest_words) * lm.rest
               : weight(BlockFeature::first_word) * lm.first +
                     weight(BlockFeature::rest_words) * lm.rest;
  }
  double end_score(double cost) const { return weight(BlockFeature::first_word) * cost; }
  double partition_score(double log_z) const { return -weight(BlockFeature::partition) * log_z; }
  // The weight of a pair, 0 where there is none or the block does not follow.
  uint32_t pair(grammar::BlockOrientation o, uint32_t previous, uint32_t block) const {
    return o == grammar::BlockOrientation::neutral || previous == grammar::kNoBlock ||
                   block == grammar::kNoBlock
               ? grammar::kNoPair
               : pairs_.find(previous, block);
  }
  double pair_value(uint32_t pair) const {
    return pair == grammar::kNoPair ? 0.0 : static_cast<double>(pairs_.weights()[pair]);
  }
  double pair_score(uint32_t pair) const { return weight(BlockFeature::pairs) * pair_value(pair); }

  // Adds the features of one block at its place.
  void add_features(const BlockOption& option, grammar::BlockOrientation o,
                    const grammar::LmCosts& lm, double log_z, uint32_t pair,
                    std::span<double> features) const;

 private:
  void weigh(BlockOption& option) const;

  grammar::BlockCosts costs_;
  const grammar::BlockPairs& pairs_;
  BlockDecoderOptions options_;
  std::vector<double> weights_;
  std::shared_ptr<const features::FeatureSpace> space_;
  mutable std::once_flag pairs_named_;  // few need their names
  mutable std::shared_ptr<const features::FeatureSpace> pair_space_;
};

}  // namespace demotic::decode::blocks
