// Rows of binary features (atoms), compressed: row i is atoms[ends[i]] ..., there is one end more
// than there are rows.
//
//   BinaryRowsView rows{ends, atoms};
//   rows.check(features);                     throws Error(argument) unless all of it fits
//   AtomSet set(features);
//   set.fill(rows[i]); set.has(atom)
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "io/error.h"

namespace demotic::features {

struct BinaryRowsView {
  std::span<const uint64_t> ends;
  std::span<const uint32_t> atoms;

  size_t size() const { return ends.empty() ? 0 : ends.size() - 1; }
  std::span<const uint32_t> operator[](size_t row) const {
    return atoms.subspan(ends[row], ends[row + 1] - ends[row]);
  }
  void check(uint32_t features) const {
    const auto require = [](bool holds, const char* message) {
      if (!holds) throw io::Error(io::Fault::argument, message);
    };
    require(ends.empty() || ends[0] == 0, "rows of atoms must begin at 0");
    require(std::is_sorted(ends.begin(), ends.end()), "the ends of rows must not fall");
    require((ends.empty() ? 0 : ends.back()) == atoms.size(), "rows and their atoms do not fit");
    require(std::all_of(atoms.begin(), atoms.end(), [&](uint32_t a) { return a < features; }),
            "an atom is not below the number of features");
  }
};

// The atoms of one row; filling it again forgets the row before.
class AtomSet {
 public:
  explicit AtomSet(size_t features) : stamps_(features, 0) {}

  size_t size() const { return stamps_.size(); }

  void clear() {
    if (++stamp_ == 0) {
      std::fill(stamps_.begin(), stamps_.end(), 0u);
      stamp_ = 1;
    }
  }
  void add(uint32_t atom) {
    if (atom < stamps_.size()) stamps_[atom] = stamp_;
  }
  void fill(std::span<const uint32_t> atoms) {
    clear();
    for (const uint32_t atom : atoms) add(atom);
  }
  bool has(uint32_t atom) const { return atom < stamps_.size() && stamps_[atom] == stamp_; }

 private:
  std::vector<uint32_t> stamps_;
  uint32_t stamp_ = 0;
};

}  // namespace demotic::features
