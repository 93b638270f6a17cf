// The binary features: pairs of a block and its predecessor, seen more than so many times, and a
// weight for each.
//
//   BlockPairs pairs(keys, weights, fingerprint);      keys ascending, from pair_key
//   pairs.find(previous, block)                        its number, or kNoPair
//   pairs.starts(previous)                             is there any pair that begins so?
//
// Block numbers mean something in one table alone, which the fingerprint names.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "grammar/block_table.h"
#include "hash_index.h"
#include "io/array.h"
#include "io/checksum.h"

namespace demotic::grammar {

inline constexpr uint32_t kNoPair = UINT32_MAX;

constexpr uint64_t pair_key(uint32_t previous, uint32_t block) {
  return uint64_t{previous} << 32 | block;
}

class BlockPairs {
 public:
  static constexpr uint32_t kVersion = 1;

  BlockPairs() = default;
  // Throws Error(argument) unless keys ascend strictly and weights are finite, one each.
  BlockPairs(std::vector<uint64_t> keys, std::vector<float> weights, uint64_t fingerprint);
  static BlockPairs open(const std::string& path);
  void save(const std::string& path) const;
  BlockPairs with_weights(std::vector<float> weights) const;
  // The pairs whose blocks both are among `kept`, old numbers of the blocks of a filtered table.
  BlockPairs filtered(std::span<const uint32_t> kept, uint64_t fingerprint) const;
  // Throws Error(argument) unless they belong to the table.
  void check_table(const BlockTable& table) const;

  uint32_t size() const { return static_cast<uint32_t>(keys_.size()); }
  std::span<const uint64_t> keys() const { return keys_; }
  std::span<const float> weights() const { return weights_; }
  uint64_t fingerprint() const { return fingerprint_; }

  uint32_t find(uint32_t previous, uint32_t block) const {
    static_assert(kNoPair == HashIndex::kNone);
    const uint64_t key = pair_key(previous, block);
    return find_number(slots_, io::mix64(key), keys_.size(),
                       [&](uint32_t pair) { return keys_[pair] == key; });
  }
  bool starts(uint32_t previous) const;

 private:
  void index();

  io::Array<uint64_t> keys_;
  io::Array<uint32_t> slots_;  // open addressing: pair + 1
  io::Array<float> weights_;
  uint64_t fingerprint_ = 0;
};

}  // namespace demotic::grammar
