// Many pieces of text one after the other, read from mapped memory.
//
//   Texts sources(container, "source");       sections source.bytes and source.ends
//   sources[3]                                a view; empty where a damaged file leads nowhere
//   TextsBuilder made;  made.add("a text");   and made.save(writer, "source")
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "io/array.h"
#include "io/container.h"

namespace demotic::memory {

class Texts {
 public:
  Texts() = default;
  Texts(const io::Container& container, const std::string& name)
      : bytes_(container.section<char>(name + ".bytes")),
        ends_(container.section<uint64_t>(name + ".ends")) {}

  size_t size() const { return ends_.size(); }
  std::string_view operator[](size_t i) const {
    if (i >= ends_.size()) return {};
    const std::span<const char> text = io::row_until(bytes_, ends_, i);
    return {text.data(), text.size()};
  }
  bool fits() const { return io::ends_fit(ends_, bytes_.size()); }

 private:
  std::span<const char> bytes_;
  std::span<const uint64_t> ends_;
};

class TextsBuilder {
 public:
  void add(std::string_view text) {
    bytes_.insert(bytes_.end(), text.begin(), text.end());
    ends_.push_back(bytes_.size());
  }
  std::string_view operator[](size_t i) const {
    const uint64_t begin = i == 0 ? 0 : ends_[i - 1];
    return {bytes_.data() + begin, ends_[i] - begin};
  }
  size_t size() const { return ends_.size(); }

  void save(io::ContainerWriter& out, const std::string& name) const {
    out.section<char>(name + ".bytes", bytes_);
    out.section<uint64_t>(name + ".ends", ends_);
  }
  // The pieces in another order.
  void save(io::ContainerWriter& out, const std::string& name,
            std::span<const uint32_t> order) const {
    out.begin(name + ".bytes");
    for (const uint32_t i : order) out.write((*this)[i].data(), (*this)[i].size());
    std::vector<uint64_t> ends;
    ends.reserve(order.size());
    uint64_t end = 0;
    for (const uint32_t i : order) ends.push_back(end += (*this)[i].size());
    out.section<uint64_t>(name + ".ends", ends);
  }

 private:
  std::vector<char> bytes_;
  std::vector<uint64_t> ends_;
};

}  // namespace demotic::memory
