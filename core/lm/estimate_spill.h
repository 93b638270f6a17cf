// What does not fit into memory: temporary files, sorted runs in them, and their k-way merge.
//
//   ExternalSorter<Record> sorter(folder, packing, length, memory, threads);
//   sorter.add(record);  ...  sorter.seal();
//   auto merged = sorter.merged(memory);
//   for (Record r; merged.next(r);) ...              ascending keys
//
// Records are trivially copyable and have a `key`.  Where a record has `absorb(other)`, records
// with equal keys become one.  Temporary files have no name: the system frees them when the process
// ends, however it ends.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "lm/ngram_sort.h"

namespace demotic::lm {

class TempFile {
 public:
  explicit TempFile(const std::string& folder);
  TempFile(TempFile&& other) noexcept
      : file_(std::exchange(other.file_, -1)),
        size_(other.size_),
        folder_(std::move(other.folder_)) {}
  ~TempFile();

  void append(const void* data, size_t size);
  void read(uint64_t offset, void* data, size_t size) const;
  uint64_t size() const { return size_; }

 private:
  int file_;
  uint64_t size_ = 0;
  std::string folder_;
};

// Appends records to a file through a buffer; call flush() at the end.
template <class Record>
class RecordWriter {
 public:
  RecordWriter(TempFile& file, uint64_t memory)
      : file_(file), capacity_(std::max<uint64_t>(1, memory / sizeof(Record))) {
    buffer_.reserve(capacity_);
  }
  void add(const Record& record) {
    buffer_.push_back(record);
    if (buffer_.size() == capacity_) flush();
  }
  void flush() {
    file_.append(buffer_.data(), buffer_.size() * sizeof(Record));
    buffer_.clear();
  }

 private:
  TempFile& file_;
  uint64_t capacity_;
  std::vector<Record> buffer_;
};

// A stretch of records in a file.
struct Run {
  uint64_t offset, count;
};

template <class Record>
class RecordReader {
 public:
  RecordReader(const TempFile& file, Run run, uint64_t memory)
      : file_(&file),
        run_(run),
        capacity_(std::max<uint64_t>(1, std::min(run.count, memory / sizeof(Record)))) {}
  // The whole file.
  RecordReader(const TempFile& file, uint64_t memory)
      : RecordReader(file, Run{0, file.size() / sizeof(Record)}, memory) {}

  bool next(Record& out) {
    if (at_ == buffer_.size()) {
      if (run_.count == 0) return false;
      buffer_.resize(std::min(capacity_, run_.count));
      file_->read(run_.offset, buffer_.data(), buffer_.size() * sizeof(Record));
      run_.offset += buffer_.size() * sizeof(Record);
      run_.count -= buffer_.size();
      at_ = 0;
    }
    out = buffer_[at_++];
    return true;
  }

 private:
  const TempFile* file_;
  Run run_;
  uint64_t capacity_;
  std::vector<Record> buffer_;
  size_t at_ = 0;
};

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

  RunMerger<Record> merged(uint64_t memory) const {
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
    if (!file_) file_ = std::make_unique<TempFile>(folder_);
    runs_.push_back({file_->size(), buffer_.size()});
    file_->append(buffer_.data(), buffer_.size() * sizeof(Record));
    buffer_.clear();
  }

  void merge_pass() {
    auto wider = std::make_unique<TempFile>(folder_);
    std::vector<Run> fewer;
    for (size_t first = 0; first < runs_.size(); first += fan_in()) {
      const size_t many = std::min(fan_in(), runs_.size() - first);
      RunMerger<Record> merger(file_.get(), runs_.data() + first, many, memory_ / 2);
      const uint64_t begin = wider->size();
      RecordWriter<Record> writer(*wider, memory_ / 2);
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
  std::unique_ptr<TempFile> file_;  // none while nothing was spilled
  std::vector<Run> runs_;
  std::vector<Record> buffer_, scratch_;
};

}  // namespace demotic::lm
