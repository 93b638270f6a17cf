// What does not fit into memory: a temporary file, and records that are written to it and read
// again one after the other.
//
//   TempFile file(folder);
//   RecordWriter<Record> out(file, memory);  out.add(record);  ...  out.flush();
//   RecordReader<Record> in(file, memory);
//   for (Record r; in.next(r);) ...
//
// Records are trivially copyable.  The file has no name: the system frees it when the process ends,
// however it ends.  Several threads may read at once.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace demotic::io {

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

}  // namespace demotic::io
