#include "grammar/pair_counter.h"

#include <algorithm>

namespace demotic::grammar {

namespace {

// Calls each(key, times) for the different keys, ascending.
template <class Each>
void for_each_different(std::vector<uint64_t>& keys, Each each) {
  std::sort(keys.begin(), keys.end());
  for (size_t begin = 0; begin < keys.size();) {
    const uint64_t key = keys[begin];
    size_t end = begin + 1;
    while (end < keys.size() && keys[end] == key) ++end;
    each(key, end - begin);
    begin = end;
  }
}

}  // namespace

void PairCounter::put(std::vector<uint64_t>& keys) {
  {
    const std::scoped_lock lock(guard_);
    if (file_ == nullptr && kept_.size() + keys.size() <= share(1)) {
      kept_.insert(kept_.end(), keys.begin(), keys.end());
      keys.clear();
      return;
    }
  }
  spill(keys);
}

void PairCounter::spill(std::vector<uint64_t>& keys) {
  std::vector<Count> counts;
  for_each_different(keys, [&](uint64_t key, uint64_t times) { counts.push_back({key, times}); });
  keys.clear();
  const std::scoped_lock lock(guard_);
  if (file_ == nullptr) file_ = std::make_unique<io::TempFile>(folder_);
  runs_.push_back({file_->size(), counts.size()});
  file_->append(counts.data(), counts.size() * sizeof(Count));
}

std::vector<uint64_t> PairCounter::take(uint32_t threshold) {
  std::vector<uint64_t> often;
  if (file_ == nullptr) {
    size_t kept = 0;  // never beyond the keys that were looked at
    for_each_different(kept_, [&](uint64_t key, uint64_t times) {
      if (times > threshold) kept_[kept++] = key;
    });
    kept_.resize(kept);
    often.swap(kept_);
    return often;
  }
  spill(kept_);
  io::RunMerger<Count> merged(file_.get(), runs_.data(), runs_.size(), memory_ / 2);
  for (Count count; merged.next(count);)
    if (count.times > threshold) often.push_back(count.key);
  runs_.clear();
  file_.reset();
  return often;
}

}  // namespace demotic::grammar
