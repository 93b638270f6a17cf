// Whole numbers from one to behind another, to go through:
//
//   for (const uint32_t block : NumberRange(first, last)) ...
//
// In place of std::views::iota, which Clang before 16 cannot read in GCC's standard library.
#pragma once

#include <cstdint>

namespace demotic {

class NumberRange {
 public:
  class Place {
   public:
    explicit Place(uint32_t number) : number_(number) {}
    uint32_t operator*() const { return number_; }
    Place& operator++() {
      ++number_;
      return *this;
    }
    bool operator==(const Place&) const = default;

   private:
    uint32_t number_;
  };

  // Empty unless first < last.
  NumberRange(uint32_t first, uint32_t last) : first_(first), last_(first < last ? last : first) {}
  Place begin() const { return Place(first_); }
  Place end() const { return Place(last_); }

 private:
  uint32_t first_, last_;
};

}  // namespace demotic
