// An array that grows at its end, in memory up to a limit and in a temporary file beyond; when it
// is complete it is read from memory or from the mapped file, as an Array (forest/array.h).
//
//   GrowingArray<float> values("/tmp", limit);
//   values.append(span);                       as often as needed
//   Array<float> all = values.finish();        the file lives as long as the Array, without a name
#pragma once

#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <memory>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "forest/array.h"
#include "io/error.h"
#include "io/mapped_file.h"

namespace demotic {

template <class T>
class GrowingArray {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  GrowingArray(std::string folder, size_t memory) : folder_(std::move(folder)), memory_(memory) {}
  ~GrowingArray() { discard(); }
  GrowingArray(const GrowingArray&) = delete;
  GrowingArray& operator=(const GrowingArray&) = delete;

  size_t size() const { return written_ + kept_.size(); }
  bool in_file() const { return file_ != nullptr; }

  void append(std::span<const T> values) {
    kept_.insert(kept_.end(), values.begin(), values.end());
    if (kept_.size() * sizeof(T) > memory_) spill();
  }

  Array<T> finish() {
    if (file_ == nullptr) return Array<T>(std::exchange(kept_, {}));
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
    if (std::fwrite(kept_.data(), sizeof(T), kept_.size(), file_) != kept_.size()) fail();
    written_ += kept_.size();
    kept_.clear();
  }

  [[noreturn]] void fail() const {
    throw Error(Fault::io, "cannot write a temporary file in " + folder_, 0,
                "is the disk full? name another folder");
  }

  void discard() {
    if (file_ != nullptr) std::fclose(file_);
    if (!path_.empty()) ::unlink(path_.c_str());
  }

  std::string folder_;
  size_t memory_;
  std::vector<T> kept_;
  size_t written_ = 0;
  std::FILE* file_ = nullptr;
  std::string path_;
};

}  // namespace demotic
