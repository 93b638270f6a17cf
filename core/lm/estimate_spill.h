// Sorting what does not fit into memory.
//
//   ExternalSorter<Record> sorter(folder, packing, length, memory, threads);
//   sorter.add(record);  ...  sorter.seal();
//   auto merged = sorter.merged(memory);
//   for (Record r; merged.next(r);) ...              ascending keys
//
// Records are those of io/run_merger.h.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "io/run_merger.h"
#include "lm/ngram_sort.h"

namespace demotic::lm {

template <class Record>
class ExternalSorter {
 public:
  // `length` positions of the key are compared.
  ExternalSorter(std::string folder, const NgramPacking& packing, unsigned length, uint64_t memory,
                 unsigned threads)
      : folder_(std::move(folder)),
        packing_(packing),
        length_(length),
        memory_(memory),
        threads_(threads),
        capacity_(std::max<uint64_t>(2, memory / (2 * sizeof(Record)))) {}

  void add(const Record& record) {
    buffer_.push_back(record);
    if (buffer_.size() >= capacity_) spill();
  }

  // Ends the filling: everything is on disk, in few enough runs to be merged in one go.
  void seal() {
    spill();
    std::vector<Record>().swap(buffer_);
    std::vector<Record>().swap(scratch_);
    while (runs_.size() > fan_in()) merge_pass();
  }

  io::RunMerger<Record> merged(uint64_t memory) const {
    return {file_.get(), runs_.data(), runs_.size(), memory};
  }

 private:
  static constexpr uint64_t kReadAhead = 1 << 16;
  size_t fan_in() const { return std::max<uint64_t>(2, memory_ / kReadAhead); }

  void spill() {
    if (buffer_.empty()) return;
    radix_sort(buffer_, scratch_, packing_, length_, threads_);
    if constexpr (requires(Record r) { r.absorb(r); }) {
      size_t last = 0;
      for (size_t i = 1; i < buffer_.size(); ++i) {
        if (buffer_[i].key == buffer_[last].key)
          buffer_[last].absorb(buffer_[i]);
        else
          buffer_[++last] = buffer_[i];
      }
      buffer_.resize(last + 1);
    }
    if (!file_) file_ = std::make_unique<io::TempFile>(folder_);
    runs_.push_back({file_->size(), buffer_.size()});
    file_->append(buffer_.data(), buffer_.size() * sizeof(Record));
    buffer_.clear();
  }

  void merge_pass() {
    auto wider = std::make_unique<io::TempFile>(folder_);
    std::vector<io::Run> fewer;
    for (size_t first = 0; first < runs_.size(); first += fan_in()) {
      const size_t many = std::min(fan_in(), runs_.size() - first);
      io::RunMerger<Record> merger(file_.get(), runs_.data() + first, many, memory_ / 2);
      const uint64_t begin = wider->size();
      io::RecordWriter<Record> writer(*wider, memory_ / 2);
      for (Record record; merger.next(record);) writer.add(record);
      writer.flush();
      fewer.push_back({begin, (wider->size() - begin) / sizeof(Record)});
    }
    file_ = std::move(wider);
    runs_ = std::move(fewer);
  }

  std::string folder_;
  NgramPacking packing_;
  unsigned length_;
  uint64_t memory_;
  unsigned threads_;
  uint64_t capacity_;
  std::unique_ptr<io::TempFile> file_;  // none while nothing was spilled
  std::vector<io::Run> runs_;
  std::vector<Record> buffer_, scratch_;
};

}  // namespace demotic::lm
