// The first sentences that gave a rule: the lowest kOrigins of those that several rows name.
//
//   LowestOrigins origins;  origins.merge(row's bytes);  ...  origins.of()      ascending
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>

#include "grammar/rule_columns.h"

namespace demotic::grammar {

class LowestOrigins {
 public:
  void merge(std::string_view more) {
    std::array<uint32_t, kOrigins> other{};
    const size_t size = std::min(more.size() / sizeof(uint32_t), other.size());
    std::memcpy(other.data(), more.data(), size * sizeof(uint32_t));
    std::array<uint32_t, 2 * kOrigins> both;
    const auto end = std::set_union(of_.begin(), of_.begin() + count_, other.begin(),
                                    other.begin() + size, both.begin());
    count_ = std::min(kOrigins, static_cast<uint32_t>(end - both.begin()));
    std::copy_n(both.begin(), count_, of_.begin());
  }
  uint32_t count() const { return count_; }
  std::span<const uint32_t> of() const { return std::span(of_).first(count_); }

 private:
  std::array<uint32_t, kOrigins> of_{};
  uint32_t count_ = 0;
};

}  // namespace demotic::grammar
