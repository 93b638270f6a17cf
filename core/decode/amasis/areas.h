// Where stacks begin anew: what zones and walls mean for labels.
//
//   Areas areas;
//   areas.find(limits, words);
//   areas.allow(begin, end)       may an item have these words?
//   areas.of(begin, end)          the number of the area that it belongs to
//   areas[a].begin, .end, .outer
//   areas.ending_at(position)     zones, those within others first
//
// Walls cut a sentence into areas, and a zone is an area within another.  The labels of an area's
// items see what the stack holds of the area, no more, as if a sentence began with it.  At the end
// of a zone what is left of its elements is joined in order, and the whole gets a label in the
// outer area, like an item; what stands between walls is joined in order at the end of the
// sentence.  So all that a zone becomes is in one piece, and every order that keeps to the limits
// can be reached: where a block of words is in one piece on both sides, ITG orders it within and
// orders what is around it.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "decode/zones.h"

namespace demotic::decode::amasis {

inline constexpr uint32_t kNoArea = UINT32_MAX;

struct Area {
  uint32_t begin, end;
  uint32_t outer;  // kNoArea: it is between walls
};

class Areas {
 public:
  void find(const ReorderingLimits& limits, uint32_t words);

  uint32_t size() const { return static_cast<uint32_t>(areas_.size()); }
  uint32_t between_walls() const { return between_walls_; }
  const Area& operator[](uint32_t area) const { return areas_[area]; }

  bool allow(uint32_t begin, uint32_t end) const {
    return size() == 1 || !limits_.forbid(begin, end);
  }
  // The smallest that has more than these words, or has them between walls.
  uint32_t of(uint32_t begin, uint32_t end) const;
  std::span<const uint32_t> ending_at(uint32_t position) const;
  bool is_zone(uint32_t area) const { return area >= between_walls_; }

 private:
  ReorderingLimits limits_;    // those that say something
  std::vector<Area> areas_;    // those between walls, in order, then zones by their ends
  std::vector<uint32_t> ids_;  // 0, 1, ...
  uint32_t between_walls_ = 0;
};

}  // namespace demotic::decode::amasis
