#include "decode/amasis/areas.h"

#include <algorithm>
#include <numeric>

namespace demotic::decode::amasis {

void Areas::find(const ReorderingLimits& limits, uint32_t words) {
  limits_ = limits;
  std::vector<uint32_t>& walls = limits_.walls;
  std::vector<Zone>& zones = limits_.zones;
  walls.push_back(0);
  walls.push_back(words);
  // Words before a zone come before those that a wall in it keeps back, and so before all of the
  // zone; likewise those behind it: there are walls at its ends, and no more to say about it.
  const auto has_wall = [&](const Zone& zone) {
    const bool found = std::any_of(walls.begin(), walls.end(), [&](uint32_t wall) {
      return zone.begin < wall && wall < zone.end;
    });
    if (found) walls.insert(walls.end(), {zone.begin, zone.end});
    return found;
  };
  while (std::erase_if(zones, has_wall) > 0) {
  }
  std::sort(walls.begin(), walls.end());
  walls.erase(std::unique(walls.begin(), walls.end()), walls.end());
  const auto is_wall = [&](uint32_t place) {
    return std::binary_search(walls.begin(), walls.end(), place);
  };
  std::erase_if(zones, [&](const Zone& zone) {
    return zone.begin + 1 == zone.end || (is_wall(zone.begin) && is_wall(zone.end));
  });
  std::sort(zones.begin(), zones.end(), [](const Zone& a, const Zone& b) {
    return a.end != b.end ? a.end < b.end : a.begin > b.begin;
  });
  const auto same = [](const Zone& a, const Zone& b) {
    return a.begin == b.begin && a.end == b.end;
  };
  zones.erase(std::unique(zones.begin(), zones.end(), same), zones.end());

  areas_.clear();
  for (size_t i = 0; i + 1 < walls.size(); ++i) areas_.push_back({walls[i], walls[i + 1], kNoArea});
  between_walls_ = size();
  for (const Zone& zone : zones) areas_.push_back({zone.begin, zone.end, kNoArea});
  for (uint32_t a = between_walls_; a < size(); ++a)
    areas_[a].outer = of(areas_[a].begin, areas_[a].end);
  ids_.resize(size());
  std::iota(ids_.begin(), ids_.end(), 0u);
}

uint32_t Areas::of(uint32_t begin, uint32_t end) const {
  uint32_t found = 0;
  uint32_t least = UINT32_MAX;
  for (uint32_t a = 0; a < size(); ++a) {
    const Area& area = areas_[a];
    const uint32_t words = area.end - area.begin;
    if (area.begin > begin || end > area.end || words >= least) continue;
    if (is_zone(a) && words == end - begin) continue;
    found = a;
    least = words;
  }
  return found;
}

std::span<const uint32_t> Areas::ending_at(uint32_t position) const {
  const auto ends = [&](uint32_t a) { return areas_[a].end; };
  const auto zones = std::span(ids_).subspan(between_walls_);
  const auto first = std::ranges::lower_bound(zones, position, {}, ends);
  const auto last = std::ranges::upper_bound(zones, position, {}, ends);
  return {first, last};
}

}  // namespace demotic::decode::amasis
