// The storage of forests, tables and events: arrays that never change, shared between those that
// hold them and, for a loaded one, lying in the mapped file.
//
//   Array<double> a(std::vector<double>{1, 2});         owns its values; copies share them
//   Array<double> b(container.section<double>("x"), file);  a view that keeps `file` alive
//   Names names({"X", "S"});  names[1] == "S"
//   row_until(values, ends, i)                          one of many rows that lie one after the
//   other
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace demotic::io {

template <class T>
class Array {
 public:
  Array() = default;
  explicit Array(std::vector<T> values) {
    auto kept = std::make_shared<const std::vector<T>>(std::move(values));
    view_ = *kept;
    owner_ = std::move(kept);
  }
  Array(std::span<const T> view, std::shared_ptr<const void> owner)
      : view_(view), owner_(std::move(owner)) {}

  const T& operator[](size_t i) const { return view_[i]; }
  size_t size() const { return view_.size(); }
  bool empty() const { return view_.empty(); }
  const T* data() const { return view_.data(); }
  auto begin() const { return view_.begin(); }
  auto end() const { return view_.end(); }
  std::span<const T> view() const { return view_; }
  operator std::span<const T>() const { return view_; }  // NOLINT: an Array is a span that owns

 private:
  std::span<const T> view_;
  std::shared_ptr<const void> owner_;
};

// Row i of a compressed sparse row array: values[off[i]] .. values[off[i + 1] - 1].
template <class T>
std::span<const T> row(const Array<uint32_t>& off, const Array<T>& values, size_t i) {
  return values.view().subspan(off[i], off[i + 1] - off[i]);
}

// Row i of rows that follow each other, each up to ends[i]: nothing where the ends of a damaged
// file do not fit.
template <class T>
std::span<const T> row_until(std::span<const T> values, std::span<const uint64_t> ends, size_t i) {
  const uint64_t begin = i == 0 ? 0 : ends[i - 1];
  if (begin > ends[i] || ends[i] > values.size()) return {};
  return values.subspan(begin, ends[i] - begin);
}

// Are these the ends of rows that fill `size` elements?
template <class End>
bool ends_fit(std::span<const End> ends, size_t size) {
  return std::is_sorted(ends.begin(), ends.end()) && (ends.empty() ? 0 : ends.back()) == size;
}

// Strings by number.
class Names {
 public:
  Names() = default;
  explicit Names(const std::vector<std::string>& names) {
    std::vector<char> bytes;
    std::vector<uint32_t> ends;
    for (const std::string& name : names) {
      bytes.insert(bytes.end(), name.begin(), name.end());
      ends.push_back(static_cast<uint32_t>(bytes.size()));
    }
    bytes_ = Array<char>(std::move(bytes));
    ends_ = Array<uint32_t>(std::move(ends));
  }
  Names(Array<char> bytes, Array<uint32_t> ends)
      : bytes_(std::move(bytes)), ends_(std::move(ends)) {}

  uint32_t size() const { return static_cast<uint32_t>(ends_.size()); }
  std::string_view operator[](size_t i) const {
    const uint32_t begin = i == 0 ? 0 : ends_[i - 1];
    return {bytes_.data() + begin, ends_[i] - begin};
  }
  const Array<char>& bytes() const { return bytes_; }
  const Array<uint32_t>& ends() const { return ends_; }

 private:
  Array<char> bytes_;
  Array<uint32_t> ends_;
};

}  // namespace demotic::io
