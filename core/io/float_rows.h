// A table of floats with one row for each of many things, in mapped memory; columns of few
// different values are kept as numbers of these, in as many bits as they need.  Nothing is rounded.
//
//   FloatRowsWriter out(columns, most);  out.add(row);  ...   most: values that a column may have
//   out.save(writer, "score");                               and still be kept as numbers
//   FloatRows in = FloatRows::load(container, "score", rows);
//   for (float value : in[row]) ...   in[row][column]
//
// Section PREFIX.columns says how each column is kept, PREFIX.values has the values of those that
// are numbered, one column's after another, in the order of their first use, and PREFIX.rows the
// rows, all of one size: first the columns that are kept as they are, then the bits of the others.
// Four bytes are read at once: as many bytes of zero stand behind the last row.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <span>
#include <string>
#include <vector>

#include "hash_index.h"
#include "io/container.h"
#include "io/spill.h"

namespace demotic::io {

// As in the file.
struct FloatColumn {
  uint32_t bits;    // of a value's number; of a column that is kept as it is: kPlainBits
  uint32_t values;  // how many; 0 of a column that is kept as it is

  static constexpr uint32_t kPlainBits = 32;
  static constexpr uint32_t kMostBits = 24;
};

// Where to find one column in a row.
class FloatPlace {
 public:
  FloatPlace(uint32_t bit, uint32_t bits, const float* values, uint32_t count)
      : values_(values),
        byte_(bit / 8),
        mask_(static_cast<uint32_t>((uint64_t{1} << bits) - 1)),
        last_(count - 1),
        shift_(bit % 8) {}

  float read(const std::byte* row) const {
    uint32_t four;
    std::memcpy(&four, row + byte_, sizeof four);
    if (values_ == nullptr) return std::bit_cast<float>(four);
    const uint32_t number = four >> shift_ & mask_;
    return values_[number < last_ ? number : last_];
  }

 private:
  const float* values_;  // null: the float itself is there
  uint32_t byte_;
  uint32_t mask_;
  uint32_t last_;
  uint32_t shift_;
};

class FloatRow {
 public:
  class Iterator {
   public:
    using iterator_category = std::forward_iterator_tag;
    using value_type = float;
    using difference_type = std::ptrdiff_t;
    using pointer = const float*;
    using reference = float;

    Iterator() = default;
    Iterator(const std::byte* row, const FloatPlace* place) : row_(row), place_(place) {}

    float operator*() const { return place_->read(row_); }
    Iterator& operator++() {
      ++place_;
      return *this;
    }
    Iterator operator++(int) {
      const Iterator before = *this;
      ++*this;
      return before;
    }
    friend bool operator==(const Iterator& a, const Iterator& b) { return a.place_ == b.place_; }

   private:
    const std::byte* row_ = nullptr;
    const FloatPlace* place_ = nullptr;
  };

  FloatRow() = default;
  FloatRow(const std::byte* row, std::span<const FloatPlace> places) : row_(row), places_(places) {}

  size_t size() const { return places_.size(); }
  bool empty() const { return places_.empty(); }
  float operator[](size_t column) const { return places_[column].read(row_); }
  Iterator begin() const { return {row_, places_.data()}; }
  Iterator end() const { return {row_, places_.data() + places_.size()}; }
  const std::byte* bytes() const { return row_; }  // to fetch them

 private:
  const std::byte* row_ = nullptr;
  std::span<const FloatPlace> places_;
};

class FloatRows {
 public:
  FloatRows() = default;
  // Floats as they are, row by row; throws Error(corrupt) where that does not make `rows`.
  FloatRows(std::span<const float> plain, size_t columns, size_t rows);
  // Throws Error(corrupt) where the sections do not fit each other.
  static FloatRows load(const Container& in, const std::string& prefix, size_t rows);

  size_t columns() const { return places_.size(); }
  size_t rows() const { return rows_; }
  FloatRow operator[](size_t row) const { return {bytes_ + row * stride_, places_}; }

 private:
  std::vector<FloatPlace> places_;
  const std::byte* bytes_ = nullptr;
  size_t stride_ = 0;  // bytes of a row
  size_t rows_ = 0;
};

// Rows go to a temporary file; a column's numbers need memory for at most `most` values.
class FloatRowsWriter {
 public:
  FloatRowsWriter(size_t columns, uint32_t most);

  void add(std::span<const float> row);
  void save(ContainerWriter& out, const std::string& prefix);

 private:
  struct Column {
    HashIndex index;                 // of the bits of its values
    std::vector<uint32_t> values;    // likewise
    uint64_t numbered = UINT64_MAX;  // rows up to here have numbers in the file, later ones floats
    FloatColumn kept{};
    uint32_t bit = 0;

    bool is_open() const { return numbered == UINT64_MAX; }
  };

  uint32_t number(Column& column, uint32_t bits);
  uint32_t choose();

  std::vector<Column> columns_;
  std::vector<uint32_t> row_;
  uint32_t most_;
  uint64_t rows_ = 0;
  Spill spill_;
};

}  // namespace demotic::io
