// Which pairs of blocks are met often, counted in bounded memory.
//
//   PairCounter counter(folder, memory);
//   std::vector<uint64_t> keys;                     one for each thread
//   keys.push_back(pair_key(previous, block));      as often as it is met
//   if (keys.size() > counter.share(threads)) counter.put(keys);
//   ...
//   counter.put(keys);                              the rest of each
//   std::vector<uint64_t> often = counter.take(threshold);
//
// Keys are kept as they are while they take less than half of `memory`.  Beyond that they go to a
// temporary file in `folder` as sorted runs, equal keys counted.  The result is the same.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "io/run_merger.h"

namespace demotic::grammar {

class PairCounter {
 public:
  PairCounter(std::string folder, uint64_t memory) : folder_(std::move(folder)), memory_(memory) {}

  // The keys that each of so many threads may have before it puts them here.
  size_t share(unsigned threads) const { return memory_ / 4 / sizeof(uint64_t) / threads; }
  // Empties `keys`.  Several threads may do so at once.
  void put(std::vector<uint64_t>& keys);
  // The keys that were put here more than `threshold` times, ascending.  Empties the counter.
  std::vector<uint64_t> take(uint32_t threshold);

 private:
  struct Count {
    uint64_t key, times;
    void absorb(const Count& other) { times += other.times; }
  };
  void spill(std::vector<uint64_t>& keys);

  std::string folder_;
  uint64_t memory_;
  std::mutex guard_;  // of what follows
  std::vector<uint64_t> kept_;
  std::unique_ptr<io::TempFile> file_;
  std::vector<io::Run> runs_;
};

}  // namespace demotic::grammar
