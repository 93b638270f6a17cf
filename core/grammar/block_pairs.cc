#include "grammar/block_pairs.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "io/container.h"

namespace demotic::grammar {

namespace {

void require(bool holds, const char* message) {
  if (!holds) throw io::Error(io::Fault::argument, message);
}

}  // namespace

BlockPairs::BlockPairs(std::vector<uint64_t> keys, std::vector<float> weights, uint64_t fingerprint)
    : keys_(std::move(keys)), weights_(std::move(weights)), fingerprint_(fingerprint) {
  require(std::adjacent_find(keys_.begin(), keys_.end(), std::greater_equal<>()) == keys_.end(),
          "pairs of blocks must ascend");
  require(weights_.size() == keys_.size(), "a weight is needed per pair of blocks");
  for (const float w : weights_) require(std::isfinite(w), "a weight is not finite");
  index();
}

void BlockPairs::index() {
  if (keys_.empty()) return;
  std::vector<uint32_t> slots(std::bit_ceil(keys_.size() * 2), 0);
  for (uint32_t i = 0; i < keys_.size(); ++i) {
    put_number(slots, io::mix64(keys_[i]), i);
  }
  slots_ = io::Array<uint32_t>(std::move(slots));
}

BlockPairs BlockPairs::open(const std::string& path) {
  const auto file = std::make_shared<const io::Container>(path, "block-pairs", kVersion);
  file->verify();
  const auto number = file->section<uint64_t>("fingerprint");
  BlockPairs pairs;
  pairs.keys_ = io::Array<uint64_t>(file->section<uint64_t>("keys"), file);
  pairs.slots_ = io::Array<uint32_t>(file->section<uint32_t>("slots"), file);
  pairs.weights_ = io::Array<float>(file->section<float>("weights"), file);
  const bool sound = number.size() == 1 && pairs.weights_.size() == pairs.keys_.size() &&
                     (pairs.slots_.empty() || std::has_single_bit(pairs.slots_.size()));
  if (!sound)
    throw io::Error(io::Fault::corrupt, "damaged weights of pairs", 0,
                    "copy the file again or rebuild it");
  for (const float w : pairs.weights_)
    if (!std::isfinite(w))
      throw io::Error(io::Fault::corrupt, "a weight of a pair of blocks is not finite");
  pairs.fingerprint_ = number[0];
  return pairs;
}

void BlockPairs::save(const std::string& path) const {
  io::ContainerWriter out(path, "block-pairs", kVersion);
  out.section<uint64_t>("fingerprint", std::span(&fingerprint_, 1));
  out.section<uint64_t>("keys", keys_);
  out.section<uint32_t>("slots", slots_);
  out.section<float>("weights", weights_);
  out.finish();
}

BlockPairs BlockPairs::with_weights(std::vector<float> weights) const {
  return BlockPairs({keys_.begin(), keys_.end()}, std::move(weights), fingerprint_);
}

BlockPairs BlockPairs::filtered(std::span<const uint32_t> kept, uint64_t fingerprint) const {
  const auto renumbered = [&](uint32_t old) {
    if (old == kBeginBlock) return old;
    const auto at = std::lower_bound(kept.begin(), kept.end(), old);
    return at != kept.end() && *at == old ? static_cast<uint32_t>(at - kept.begin()) : kNoBlock;
  };
  std::vector<uint64_t> keys;
  std::vector<float> weights;
  for (uint32_t i = 0; i < size(); ++i) {
    const uint32_t previous = renumbered(static_cast<uint32_t>(keys_[i] >> 32));
    const uint32_t block = renumbered(static_cast<uint32_t>(keys_[i]));
    if (previous == kNoBlock || block == kNoBlock) continue;
    keys.push_back(pair_key(previous, block));
    weights.push_back(weights_[i]);
  }
  return BlockPairs(std::move(keys), std::move(weights), fingerprint);
}

void BlockPairs::check_table(const BlockTable& table) const {
  if (size() > 0 && fingerprint_ != table.totals().fingerprint)
    throw io::Error(io::Fault::argument, "the weights of pairs belong to another set of blocks", 0,
                    "use the blocks that they were trained with");
}

bool BlockPairs::starts(uint32_t previous) const {
  const auto at = std::lower_bound(keys_.begin(), keys_.end(), pair_key(previous, 0));
  return at != keys_.end() && *at >> 32 == previous;
}

}  // namespace demotic::grammar
