// Integers of one to four bytes each, as few as the largest needs, in mapped memory.
//
//   PackedIntsWriter out(bias);  out.add(span);  ...         bias: what is added before packing, so
//   out.save(writer, "ids");  out.width()                    that small negative numbers fit
//   PackedInts<int32_t> in(writer's bytes, width, bias);     or PackedInts<int32_t>(span) of plain
//   in[i]                                                    ones, of four bytes
//   for (int32_t value : in.row(begin, end)) ...             none where a damaged file has no such
//
// Four bytes are read at once, whatever the width: 4 - width bytes of zero stand behind the last.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <span>
#include <string_view>
#include <vector>

#include "io/container.h"
#include "io/error.h"
#include "io/spill.h"

namespace demotic::io {

// How four bytes at a number's place become the number.
struct IntPacking {
  uint32_t width = 4;  // bytes
  uint32_t mask = UINT32_MAX;
  uint32_t bias = 0;

  uint32_t read(const std::byte* at) const {
    uint32_t four;
    std::memcpy(&four, at, sizeof four);
    return (four & mask) - bias;
  }
};

// Neighbours among packed integers: what a span is to plain ones.
template <class T>
class PackedRow {
 public:
  class Iterator {
   public:
    using iterator_category = std::forward_iterator_tag;
    using value_type = T;
    using difference_type = std::ptrdiff_t;
    using pointer = const T*;
    using reference = T;

    Iterator() = default;
    Iterator(const std::byte* at, IntPacking packing) : at_(at), packing_(packing) {}

    T operator*() const { return static_cast<T>(packing_.read(at_)); }
    Iterator& operator++() {
      at_ += packing_.width;
      return *this;
    }
    Iterator operator++(int) {
      const Iterator before = *this;
      ++*this;
      return before;
    }
    friend bool operator==(const Iterator& a, const Iterator& b) { return a.at_ == b.at_; }

   private:
    const std::byte* at_ = nullptr;
    IntPacking packing_;
  };

  PackedRow() = default;
  PackedRow(const std::byte* first, size_t size, IntPacking packing)
      : first_(first), size_(size), packing_(packing) {}

  size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  T operator[](size_t i) const { return static_cast<T>(packing_.read(at(i))); }
  Iterator begin() const { return {first_, packing_}; }
  Iterator end() const { return {at(size_), packing_}; }
  PackedRow first(size_t size) const { return {first_, size, packing_}; }
  PackedRow subspan(size_t from) const { return {at(from), size_ - from, packing_}; }
  PackedRow subspan(size_t from, size_t size) const { return {at(from), size, packing_}; }

 private:
  const std::byte* at(size_t i) const { return first_ + i * packing_.width; }

  const std::byte* first_ = nullptr;
  size_t size_ = 0;
  IntPacking packing_;
};

template <class T>
class PackedInts {
  static_assert(sizeof(T) == 4);

 public:
  PackedInts() = default;
  explicit PackedInts(std::span<const T> plain)
      : bytes_(reinterpret_cast<const std::byte*>(plain.data())), size_(plain.size()) {}
  PackedInts(std::span<const std::byte> bytes, uint32_t width, uint32_t bias)
      : bytes_(bytes.data()) {
    const size_t slack = width == 0 || width > 4 ? SIZE_MAX : 4 - width;
    if (bytes.size() < slack || (bytes.size() - slack) % width != 0)
      throw Error(Fault::corrupt, "packed numbers of a wrong width", 0,
                  "copy the file again or rebuild it");
    size_ = (bytes.size() - slack) / width;
    packing_ = {width, static_cast<uint32_t>((uint64_t{1} << 8 * width) - 1), bias};
  }

  size_t size() const { return size_; }
  T operator[](size_t i) const {
    return static_cast<T>(packing_.read(bytes_ + i * packing_.width));
  }
  PackedRow<T> row(uint64_t begin, uint64_t end) const {
    if (begin > end || end > size_) return {};
    return {bytes_ + begin * packing_.width, end - begin, packing_};
  }

 private:
  const std::byte* bytes_ = nullptr;
  size_t size_ = 0;
  IntPacking packing_;
};

// Numbers go to a temporary file, since their width is known when all are there.
class PackedIntsWriter {
 public:
  explicit PackedIntsWriter(uint32_t bias = 0) : bias_(bias) {}

  // Throws Error(argument) on a number below -bias.
  template <class T>
  void add(std::span<const T> values) {
    static_assert(sizeof(T) == 4);
    codes_.clear();
    for (const T value : values) {
      const uint32_t code = static_cast<uint32_t>(value) + bias_;
      if (static_cast<int64_t>(value) + bias_ != code)
        throw Error(Fault::argument, "a number that cannot be packed");
      most_ = std::max(most_, code);
      codes_.push_back(code);
    }
    spill_.append(codes_.data(), codes_.size() * sizeof(uint32_t));
  }
  uint32_t width() const {
    return most_ < 1u << 8 ? 1 : most_ < 1u << 16 ? 2 : most_ < 1u << 24 ? 3 : 4;
  }
  void save(ContainerWriter& out, std::string_view name);

 private:
  uint32_t bias_;
  uint32_t most_ = 0;
  std::vector<uint32_t> codes_;  // of the numbers that are being added
  Spill spill_;
};

}  // namespace demotic::io
