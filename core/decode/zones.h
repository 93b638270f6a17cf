// Where reordering may not go: zones that are translated in one piece, walls that nothing crosses.
//
//   Tokens sentence{"see", "(", "all", ")", "pages"};
//   sentence.limits.zones.push_back({1, 4});    nothing comes between what these words become
//   sentence.limits.walls.push_back(1);         all before word 1 comes before all from it on
//
// Zones nest or keep apart; a word by itself crosses nothing, so that there is always a
// translation.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "io/error.h"

namespace demotic::decode {

struct Zone {
  uint32_t begin, end;  // words of the source

  bool contains(uint32_t first, uint32_t last) const { return begin <= first && last <= end; }
  // Is a part of the span in the zone, another one outside, and a part of the zone outside it?
  bool crossed_by(uint32_t first, uint32_t last) const {
    return (first < begin && begin < last && last < end) ||
           (begin < first && first < end && end < last);
  }
};

struct ReorderingLimits {
  std::vector<Zone> zones;
  std::vector<uint32_t> walls;  // before these words

  bool empty() const { return zones.empty() && walls.empty(); }

  // May [begin, end) not be translated by itself?
  bool forbid(uint32_t begin, uint32_t end) const {
    return std::any_of(zones.begin(), zones.end(),
                       [=](const Zone& zone) { return zone.crossed_by(begin, end); }) ||
           std::any_of(walls.begin(), walls.end(),
                       [=](uint32_t wall) { return begin < wall && wall < end; });
  }

  void check(size_t words) const {
    for (const Zone& zone : zones) {
      if (zone.begin >= zone.end || zone.end > words)
        throw io::Error(io::Fault::argument, "a zone is not among the words of its sentence");
      for (const Zone& other : zones)
        if (zone.crossed_by(other.begin, other.end))
          throw io::Error(io::Fault::argument, "zones overlap", 0, "let one contain the other");
    }
    for (const uint32_t wall : walls)
      if (wall > words)
        throw io::Error(io::Fault::argument, "a wall is not among the words of its sentence");
  }
};

// The words of a sentence, and where their reordering ends.
struct Tokens : std::vector<std::string> {
  using std::vector<std::string>::vector;

  ReorderingLimits limits;
};

}  // namespace demotic::decode
