// Sums over many forests that are the same for any number of threads.
//
//   Part total = sliced_sum<Part>(forests, threads, [&](size_t i, Part& part) { ... });
//
// Each of a few fixed slices of the forests has a Part of its own; slices are added up in order,
// `total.add(part)`, as soon as their turn comes, so that few wait.  What a Part keeps beside its
// sums is scratch memory of its slice.
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <mutex>
#include <vector>

#include "parallel.h"

namespace demotic::forest {

inline constexpr size_t kSlices = 16;

template <class Part, class Work>
Part sliced_sum(size_t items, unsigned threads, Work&& work) {
  const size_t slices = std::min(kSlices, items);
  std::vector<std::unique_ptr<Part>> done(slices);
  Part total;
  size_t next = 0;  // the slice to be added next
  std::mutex guard;
  parallel_for(slices, threads, [&](size_t slice, unsigned) {
    auto part = std::make_unique<Part>();
    const size_t end = items * (slice + 1) / slices;
    for (size_t i = items * slice / slices; i < end; ++i) work(i, *part);
    const std::scoped_lock lock(guard);
    done[slice] = std::move(part);
    for (; next < slices && done[next] != nullptr; ++next) {
      total.add(*done[next]);
      done[next].reset();
    }
  });
  return total;
}

}  // namespace demotic::forest
