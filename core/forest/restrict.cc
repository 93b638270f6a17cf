#include "forest/restrict.h"

#include <map>
#include <utility>
#include <vector>

#include "forest/builder.h"

namespace demotic::forest {

namespace {

struct Covered {
  uint32_t begin, end, node;  // node: in the new forest
};

// Ways to cover [begin, at) of the string with the symbols of a target side read so far.
struct Partial {
  uint32_t begin, at;
  std::vector<uint32_t> tails;  // chosen new nodes, by slot
};

std::vector<Partial> match(std::span<const int32_t> side, std::span<const uint32_t> tails,
                           const std::vector<std::vector<Covered>>& covered,
                           std::span<const int32_t> words) {
  std::vector<Partial> ways, next;
  for (uint32_t i = 0; i <= words.size(); ++i) ways.push_back({i, i, {}});
  for (const int32_t symbol : side) {
    next.clear();
    for (Partial& way : ways) {
      if (!text::is_slot(symbol)) {
        if (way.at < words.size() && words[way.at] == symbol) {
          ++way.at;
          next.push_back(std::move(way));
        }
        continue;
      }
      for (const Covered& part : covered[tails[text::slot_of(symbol)]])
        if (part.begin == way.at) {
          Partial longer = way;
          longer.at = part.end;
          longer.tails.resize(tails.size(), kNone);
          longer.tails[text::slot_of(symbol)] = part.node;
          next.push_back(std::move(longer));
        }
    }
    ways.swap(next);
  }
  return ways;
}

}  // namespace

bool restrict_to(const Forest& f, std::span<const int32_t> words, Forest& result) {
  const auto length = static_cast<uint32_t>(words.size());
  ForestBuilder builder(f);
  std::vector<std::vector<Covered>> covered(f.nodes());
  uint32_t root = kNone;
  for (uint32_t v = 0; v < f.nodes(); ++v) {
    std::map<std::pair<uint32_t, uint32_t>, uint32_t> number;
    for (uint32_t e = f.in_off[v]; e < f.in_off[v + 1]; ++e)
      for (const Partial& way : match(f.target_side(e), f.tails_of(e), covered, words)) {
        if (v == f.root() && (way.begin != 0 || way.at != length)) continue;
        const auto [at, fresh] = number.try_emplace({way.begin, way.at}, builder.nodes());
        if (fresh)
          builder.add_node(f.label[v], f.span[2 * v], f.span[2 * v + 1],
                           f.context_width > 0 ? f.context_of(v) : std::span<const int32_t>());
        builder.copy_edge(f, e, at->second, way.tails);
      }
    for (const auto& [stretch, node] : number)
      covered[v].push_back({stretch.first, stretch.second, node});
    if (v == f.root() && !number.empty()) root = number.begin()->second;
  }
  return root != kNone && builder.try_finalize(root, result);
}

}  // namespace demotic::forest
