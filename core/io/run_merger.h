// Sorted runs of records in one temporary file, read as one ascending sequence.
//
//   RunMerger<Record> merged(&file, runs.data(), runs.size(), memory);
//   for (Record r; merged.next(r);) ...
//
// Records have a `key`.  Where a record has `absorb(other)`, records with equal keys become one.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "io/temp_file.h"

namespace demotic::io {

// Many sorted runs of one file read as one.
template <class Record>
class RunMerger {
 public:
  RunMerger(const TempFile* file, const Run* runs, size_t count, uint64_t memory) {
    heads_.reserve(count);
    readers_.reserve(count);
    for (size_t i = 0; i < count; ++i) {
      readers_.emplace_back(*file, runs[i], memory / count);
      Record first;
      if (readers_.back().next(first)) heads_.push_back({first, readers_.size() - 1});
    }
    std::make_heap(heads_.begin(), heads_.end(), later);
  }

  bool next(Record& out) {
    if (heads_.empty()) return false;
    out = pop();
    if constexpr (requires { out.absorb(out); })
      while (!heads_.empty() && heads_.front().record.key == out.key) out.absorb(pop());
    return true;
  }

 private:
  struct Head {
    Record record;
    size_t reader;
  };
  // Ties go by the run's number, so that the sequence is the same on every run of the program.
  static bool later(const Head& a, const Head& b) {
    if (a.record.key == b.record.key) return a.reader > b.reader;
    return b.record.key < a.record.key;
  }
  Record pop() {
    if (heads_.size() > 1) std::pop_heap(heads_.begin(), heads_.end(), later);
    Head& head = heads_.back();
    const Record out = head.record;
    if (!readers_[head.reader].next(head.record))
      heads_.pop_back();
    else if (heads_.size() > 1)
      std::push_heap(heads_.begin(), heads_.end(), later);
    return out;
  }

  std::vector<RecordReader<Record>> readers_;
  std::vector<Head> heads_;
};

}  // namespace demotic::io
