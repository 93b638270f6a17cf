// Flat arrays with line borders, whole or in part, on their way to and from other processes.
#pragma once

#include <algorithm>
#include <span>
#include <utility>
#include <vector>

#include "bind/arrays.h"
#include "io/error.h"

namespace demotic::bind {

// Throws unless borders never fall and the last one is the end of `size` values.
inline void check_ends(std::span<const uint64_t> ends, size_t size) {
  if (!std::is_sorted(ends.begin(), ends.end()) || (ends.empty() ? 0 : ends.back()) != size)
    throw io::Error(io::Fault::argument, "lines whose ends do not fit");
}

// The values of the lines from `begin` up to `end`, and where each of these lines ends among them.
template <class T>
std::pair<std::vector<T>, std::vector<uint64_t>> part_of(const std::vector<T>& values,
                                                         const std::vector<uint64_t>& ends,
                                                         size_t begin, size_t end) {
  end = std::min(end, ends.size());
  begin = std::min(begin, end);
  const uint64_t first = begin == 0 ? 0 : ends[begin - 1];
  std::vector<uint64_t> borders(ends.begin() + static_cast<std::ptrdiff_t>(begin),
                                ends.begin() + static_cast<std::ptrdiff_t>(end));
  for (uint64_t& border : borders) border -= first;
  const uint64_t last = first + (borders.empty() ? 0 : borders.back());
  return {{values.begin() + static_cast<std::ptrdiff_t>(first),
           values.begin() + static_cast<std::ptrdiff_t>(last)},
          std::move(borders)};
}

}  // namespace demotic::bind
