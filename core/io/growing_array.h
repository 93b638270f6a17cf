// An array that grows at its end, in memory up to a limit and in a temporary file beyond; when it
// is complete it is read from memory or from the mapped file, as an Array (io/array.h).
//
//   GrowingArray<float> values("/tmp", limit);
//   values.append(span);                       as often as needed
//   Array<float> all = values.finish();        the file lives as long as the Array, without a name
//
// Memory grows by realloc, which moves large pieces without copying them: there are never two.
#pragma once

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>
#include <span>
#include <string>
#include <type_traits>
#include <utility>

#include "io/array.h"
#include "io/error.h"
#include "io/mapped_file.h"

namespace demotic::io {

template <class T>
class GrowingArray {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  GrowingArray(std::string folder, size_t memory) : folder_(std::move(folder)), memory_(memory) {}
  ~GrowingArray() { discard(); }
  GrowingArray(const GrowingArray&) = delete;
  GrowingArray& operator=(const GrowingArray&) = delete;

  size_t size() const { return written_ + kept_; }
  bool in_file() const { return file_ != nullptr; }

  void append(std::span<const T> values) {
    if (values.empty()) return;
    if (kept_ + values.size() > room_) {
      const size_t room = std::max(kept_ + values.size(), room_ + room_ / 2);
      void* const grown = std::realloc(data_.get(), room * sizeof(T));
      if (grown == nullptr) throw std::bad_alloc();
      (void)data_.release();
      data_.reset(static_cast<T*>(grown));
      room_ = room;
    }
    std::memcpy(data_.get() + kept_, values.data(), values.size_bytes());
    kept_ += values.size();
    if (kept_ * sizeof(T) > memory_) spill();
  }

  Array<T> finish() {
    if (file_ == nullptr) {
      const std::shared_ptr<T> all(std::move(data_));
      room_ = 0;
      return Array<T>({all.get(), std::exchange(kept_, 0)}, all);
    }
    spill();
    if (std::fclose(std::exchange(file_, nullptr)) != 0) fail();
    auto mapped = std::make_shared<MappedFile>(path_);
    ::unlink(path_.c_str());
    path_.clear();
    const std::span<const std::byte> raw = mapped->bytes();
    return Array<T>({reinterpret_cast<const T*>(raw.data()), raw.size() / sizeof(T)}, mapped);
  }

 private:
  void spill() {
    if (file_ == nullptr) {
      path_ = folder_ + "/demotic-XXXXXX";
      const int descriptor = ::mkstemp(path_.data());
      if (descriptor < 0) fail();
      file_ = ::fdopen(descriptor, "wb");
      if (file_ == nullptr) fail();
    }
    if (kept_ > 0 && std::fwrite(data_.get(), sizeof(T), kept_, file_) != kept_) fail();
    written_ += std::exchange(kept_, 0);
  }

  [[noreturn]] void fail() const {
    throw Error(Fault::io, "cannot write a temporary file in " + folder_, 0,
                "is the disk full? name another folder");
  }

  void discard() {
    if (file_ != nullptr) std::fclose(file_);
    if (!path_.empty()) ::unlink(path_.c_str());
  }

  struct Free {
    void operator()(T* data) const { std::free(data); }
  };

  std::string folder_;
  size_t memory_;
  std::unique_ptr<T, Free> data_;
  size_t kept_ = 0, room_ = 0;  // values in memory, and how many it has room for
  size_t written_ = 0;
  std::FILE* file_ = nullptr;
  std::string path_;
};

}  // namespace demotic::io
