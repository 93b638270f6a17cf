// Features of forests from different spaces in one space.
//
//   auto joined = joined_space(forests);      the forests' own if they share it, else one that has
//                                             all names: dense ones first
//   FeatureMap to(f.features(), *joined);     nothing is done where both are the same
//   to(id)
//   Forest g = in_space(f, space);            throws Error(argument) on a name that is not there
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "forest/forest.h"

namespace demotic::forest {

std::shared_ptr<const features::FeatureSpace> joined_space(std::span<const Forest* const> forests);

class FeatureMap {
 public:
  FeatureMap(const features::FeatureSpace& from, const features::FeatureSpace& to)
      : from_(from), to_(to), same_(from.same_as(to)) {}

  bool same() const { return same_; }
  uint32_t operator()(uint32_t id) const { return same_ ? id : find(id); }
  std::vector<uint32_t> operator()(std::span<const uint32_t> ids) const;

 private:
  uint32_t find(uint32_t id) const;

  const features::FeatureSpace& from_;
  const features::FeatureSpace& to_;
  bool same_;
};

Forest in_space(const Forest& f, std::shared_ptr<const features::FeatureSpace> space);

}  // namespace demotic::forest
