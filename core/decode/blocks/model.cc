#include "decode/blocks/model.h"

#include <cmath>

#include "decode/weight.h"
#include "io/error.h"

namespace demotic::decode::blocks {

namespace {

size_t index(BlockFeature f) { return static_cast<size_t>(f); }

std::string pair_name(uint64_t key) {
  const auto previous = static_cast<uint32_t>(key >> 32);
  const std::string first = previous == grammar::kBeginBlock ? "<s>" : std::to_string(previous);
  return "pair " + first + " " + std::to_string(static_cast<uint32_t>(key));
}

}  // namespace

std::vector<std::string> BlockModel::feature_names() {
  return {"Unigram",        "Orientation",      "FirstWord",        "RestWords",      "Lexical",
          "NeutralUnigram", "NeutralFirstWord", "NeutralRestWords", "NeutralLexical", "Partition",
          "Pairs",          "PassThrough"};
}

const std::shared_ptr<const features::FeatureSpace>& BlockModel::pair_space() const {
  std::call_once(pairs_named_, [&] {
    features::FeatureSpaceBuilder names(feature_names());
    for (const uint64_t key : pairs_.keys()) names.add(pair_name(key));
    pair_space_ = names.finish();
  });
  return pair_space_;
}

BlockModel::BlockModel(const grammar::BlockTable& table, const lm::Model* lm,
                       const grammar::BlockPairs& pairs, std::span<const double> weights,
                       const BlockDecoderOptions& options)
    : costs_(table, lm, {.smoothing = options.smoothing, .unigram = options.unigram}),
      pairs_(pairs),
      options_(options),
      weights_(weights.begin(), weights.end()),
      space_(features::dense_space(feature_names())) {
  pairs.check_table(table);
  const auto require = [](bool holds, const char* message) {
    if (!holds) throw io::Error(io::Fault::argument, message);
  };
  require(weights_.size() == kBlockModelFeatures, "a weight is needed per feature");
  for (const double w : weights_) require(is_weight(w), "a weight is not finite, or beyond 1e30");
  require(options.alternatives > 0, "each source phrase needs at least one block");
  require(options.beam > 0, "the beam must have room for one hypothesis");
  require(options.delta >= 0, "delta must not be negative");
}

BlockOption BlockModel::option(uint32_t block, uint32_t begin, uint32_t end) const {
  BlockOption o{.block = block,
                .begin = begin,
                .end = end,
                .last = last_of(block),
                .may_go_left = table().left(block) >= options_.min_left,
                .unigram = costs_.unigram(block, end - begin),
                .left = costs_.orientation(block, grammar::BlockOrientation::left),
                .right = costs_.orientation(block, grammar::BlockOrientation::right),
                .lexical = static_cast<double>(table().lexical(block)),
                .score = {}};
  weigh(o);
  return o;
}

BlockOption BlockModel::pass_through(uint32_t at) const {
  const double floor = -std::log(grammar::kFloor);
  BlockOption o{.block = grammar::kNoBlock,
                .begin = at,
                .end = at + 1,
                .last = grammar::kNoBlock,
                .may_go_left = false,
                .unigram = floor,
                .left = costs_.orientation(grammar::BlockOrientation::left),
                .right = costs_.orientation(grammar::BlockOrientation::right),
                .lexical = floor,
                .score = {}};
  weigh(o);
  return o;
}

void BlockModel::weigh(BlockOption& o) const {
  const double passed = o.block == grammar::kNoBlock ? weight(BlockFeature::pass_through) : 0.0;
  const double touching = weight(BlockFeature::unigram) * o.unigram +
                          weight(BlockFeature::lexical) * o.lexical + passed;
  const auto set = [&](grammar::BlockOrientation which, double value) {
    o.score[static_cast<size_t>(which)] = value;
  };
  set(grammar::BlockOrientation::left, touching + weight(BlockFeature::orientation) * o.left);
  set(grammar::BlockOrientation::right, touching + weight(BlockFeature::orientation) * o.right);
  set(grammar::BlockOrientation::neutral, weight(BlockFeature::neutral_unigram) * o.unigram +
                                              weight(BlockFeature::neutral_lexical) * o.lexical +
                                              passed);
}

void BlockModel::add_features(const BlockOption& option, grammar::BlockOrientation o,
                              const grammar::LmCosts& lm, double log_z, uint32_t pair,
                              std::span<double> features) const {
  const auto add = [&](BlockFeature f, double value) { features[index(f)] += value; };
  if (o == grammar::BlockOrientation::neutral) {
    add(BlockFeature::neutral_unigram, option.unigram);
    add(BlockFeature::neutral_first_word, lm.first);
    add(BlockFeature::neutral_rest_words, lm.rest);
    add(BlockFeature::neutral_lexical, option.lexical);
  } else {
    add(BlockFeature::unigram, option.unigram);
    add(BlockFeature::orientation,
        o == grammar::BlockOrientation::left ? option.left : option.right);
    add(BlockFeature::first_word, lm.first);
    add(BlockFeature::rest_words, lm.rest);
    add(BlockFeature::lexical, option.lexical);
  }
  add(BlockFeature::partition, -log_z);
  add(BlockFeature::pairs, pair_value(pair));
  if (option.block == grammar::kNoBlock) add(BlockFeature::pass_through, 1.0);
}

}  // namespace demotic::decode::blocks
