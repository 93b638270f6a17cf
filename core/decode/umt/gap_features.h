// Sparse features of an action: what stands beside the gap already, and whose nonterminal it is.
//
//   GapFeatures features(bits, weights);             0 bits: none; a weight for each of 2^bits ids
//   GapFeatures::Ids ids = features.of(tree, edge, slot, carry);
//   features.score(ids), features.most()              the latter bounds the former
//
// Three for each action at most: the word before the junction with the word after it, on the left
// and on the right of what the action puts into (down) or around (up) the gap, and the rule with
// the rule that it hangs on or that hangs on it.  Undirected decoding needs no factorisation, so
// both words may be far apart in the tree (Gesmundo and Henderson 2014, section 6).  Ids are
// hashes.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "decode/umt/partial_tree.h"

namespace demotic::decode::umt {

class GapFeatures {
 public:
  static constexpr uint32_t kMostBits = 24;
  struct Ids {
    std::array<uint32_t, 3> id{};
    uint32_t count = 0;
  };

  // No weights are weights of 0; those given must outlive this.
  explicit GapFeatures(uint32_t bits = 0, std::span<const double> weights = {});

  bool on() const { return bits_ > 0; }
  size_t size() const { return bits_ == 0 ? 0 : size_t{1} << bits_; }
  Ids of(const PartialTree& tree, const EdgeChoice& edge, uint32_t slot, const Carry& carry) const;
  double score(const Ids& ids) const {
    double sum = 0;
    if (!weights_.empty())
      for (uint32_t i = 0; i < ids.count; ++i) sum += weights_[ids.id[i]];
    return sum;
  }
  double most() const { return most_; }

 private:
  void add(Ids& ids, uint64_t kind, uint64_t a, uint64_t b) const {
    ids.id[ids.count++] =
        static_cast<uint32_t>(io::mix64(io::mix64(a << 4 | kind) ^ b) >> (64 - bits_));
  }

  uint32_t bits_;
  std::span<const double> weights_;
  double most_ = 0;
};

}  // namespace demotic::decode::umt
