#include "decode/umt/gap_features.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "decode/weight.h"
#include "io/error.h"

namespace demotic::decode::umt {

namespace {

enum Kind : uint64_t { kDownLeft, kDownRight, kUpLeft, kUpRight, kBelow, kAbove };

}  // namespace

GapFeatures::GapFeatures(uint32_t bits, std::span<const double> weights)
    : bits_(bits), weights_(weights) {
  if (bits > kMostBits)
    throw io::Error(io::Fault::argument,
                    "sparse_bits must be at most " + std::to_string(kMostBits));
  if (!weights.empty() && weights.size() != size())
    throw io::Error(io::Fault::argument, "there are " + std::to_string(size()) +
                                             " sparse features, not " +
                                             std::to_string(weights.size()));
  double highest = 0;
  for (const double weight : weights) {
    if (!is_weight(weight))
      throw io::Error(io::Fault::argument, std::string("a sparse weight") + kNoWeight);
    highest = std::max(highest, weight);
  }
  most_ = highest * static_cast<double>(Ids{}.id.size());
}

GapFeatures::Ids GapFeatures::of(const PartialTree& tree, const EdgeChoice& edge, uint32_t slot,
                                 const Carry& carry) const {
  Ids ids;
  if (!on() || slot == kNoSlot) return ids;
  const PartialTree::Slot& at = tree.slot(slot);
  const bool up = at.which == kHeadSlot;
  const uint32_t rule = tree.rule(edge);
  const uint64_t other = tree.rule(tree.steps()[at.step].edge);
  add(ids, up ? kAbove : kBelow, other << 2 | (up ? edge.child : at.which), rule);

  const PartialTree::Target target = tree.target(edge);
  const uint32_t before = carry.before();
  const uint32_t after = carry.after();
  if (!up) {
    if (target.first != kNoWord && before != kNoWord) add(ids, kDownLeft, before, target.first);
    if (target.last != kNoWord && after != kNoWord) add(ids, kDownRight, target.last, after);
  } else {
    const uint32_t left = target.left_of[edge.child];
    const uint32_t right = target.right_of[edge.child];
    if (left != kNoWord && after != kNoWord) add(ids, kUpLeft, left, after);
    if (right != kNoWord && before != kNoWord) add(ids, kUpRight, before, right);
  }
  return ids;
}

}  // namespace demotic::decode::umt
