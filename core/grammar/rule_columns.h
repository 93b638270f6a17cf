// Counted rules as the columns of a table, in the layout that Apache Arrow shares with databases:
// a binary column is its bytes and its rows + 1 borders.
//
//   RuleColumns columns;  columns.add(row...);  columns.source.bytes, columns.source.ends, ...
//
// One row says that a rule (keys of rule_key.h, links as pairs of bytes, with one byte more for its
// orientations if they were asked for) was seen with a mass in some sentences; several rows may be
// of one rule.  Whoever merges rows adds the masses and keeps the lowest kOrigins sentences, so
// that the result does not depend on how rows were cut.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace demotic {

inline constexpr uint32_t kOrigins = 3;

struct BinaryColumn {
  std::vector<char> bytes;
  std::vector<int32_t> ends{0};

  void add(const char* data, size_t size) {
    bytes.insert(bytes.end(), data, data + size);
    ends.push_back(static_cast<int32_t>(bytes.size()));
  }
};

// A binary column that somebody else owns.
struct BinaryView {
  const char* bytes;
  const int32_t* ends;

  std::string_view operator[](size_t row) const {
    return {bytes + ends[row], static_cast<size_t>(ends[row + 1] - ends[row])};
  }
};

struct RuleColumns {
  BinaryColumn source;
  BinaryColumn target;
  BinaryColumn links;
  std::vector<int64_t> mass;
  BinaryColumn origins;  // up to kOrigins sentence ids, ascending, four bytes each

  size_t rows() const { return mass.size(); }
  // A column's borders are 32-bit numbers; keys have at most some hundred bytes.
  bool full() const { return rows() >= (size_t{1} << 21); }
};

}  // namespace demotic
