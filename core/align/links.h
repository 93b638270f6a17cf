// Word links of many sentence pairs, as one flat array with line borders: what an aligner gives and
// what symmetrisation, lexical tables and rule extraction take.
//
//   Links links;  links.pairs.push_back({0, 0});  links.ends.push_back(links.pairs.size());
//   links[3] -> span of the links of the fourth pair, sorted by (source, target)
//
// Positions count from 0.  `source` and `target` mean the same whichever way the links were found.
#pragma once

#include <compare>
#include <cstdint>
#include <span>
#include <vector>

namespace demotic::align {

struct Link {
  uint32_t source;
  uint32_t target;

  friend auto operator<=>(const Link&, const Link&) = default;
};

struct Links {
  std::vector<Link> pairs;
  std::vector<uint64_t> ends;  // ends[i] = one past the last link of sentence pair i

  size_t size() const { return ends.size(); }
  std::span<const Link> operator[](size_t line) const {
    const uint64_t begin = line == 0 ? 0 : ends[line - 1];
    return {pairs.data() + begin, ends[line] - begin};
  }
};

}  // namespace demotic::align
