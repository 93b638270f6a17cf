// Where rows of different lengths begin and end in a pool of elements that follow each other.
//
//   RowExtentsWriter out;  out.add(length);  ...  out.save<uint64_t>(writer, "target");
//   auto extents = RowExtents<uint64_t>::load(container, "target", rows);
//   const auto [begin, end] = extents[row];        of a damaged file: anything
//   extents.row_of(element)                        by binary search
//
// Section PREFIX.blocks holds a record for every eight rows, with the place of the first and eight
// lengths of a byte: a row and a half bytes, one look at the memory.  Where a row has more than 255
// elements, or all have 2^32, there is PREFIX.ends instead, with the end of each.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>

#include "io/array.h"
#include "io/container.h"
#include "io/error.h"
#include "io/spill.h"

namespace demotic::io {

inline constexpr uint32_t kRowsOfBlock = 8;

struct RowBlock {
  uint32_t first;
  uint8_t lengths[kRowsOfBlock];  // 0 behind the last row

  uint64_t all_lengths() const {
    uint64_t eight;
    std::memcpy(&eight, lengths, sizeof eight);
    return eight;
  }
};
static_assert(sizeof(RowBlock) == 12);

inline uint64_t sum_of_bytes(uint64_t bytes) {
  constexpr uint64_t kEven = 0x00ff00ff00ff00ff;
  return ((bytes & kEven) + (bytes >> 8 & kEven)) * 0x0001000100010001 >> 48;
}

template <class End>
class RowExtents {
 public:
  struct Extent {
    uint64_t begin, end;
  };

  static RowExtents load(const Container& in, const std::string& prefix, size_t rows) {
    RowExtents made;
    made.rows_ = rows;
    if (in.has(prefix + ".blocks"))
      made.blocks_ = in.section<RowBlock>(prefix + ".blocks");
    else
      made.ends_ = in.section<End>(prefix + ".ends");
    const bool fits = in.has(prefix + ".blocks")
                          ? made.blocks_.size() == (rows + kRowsOfBlock - 1) / kRowsOfBlock
                          : made.ends_.size() == rows;
    if (!fits)
      throw Error(Fault::corrupt, "section '" + prefix + "' is of a wrong size", 0,
                  "copy the file again or rebuild it");
    return made;
  }

  size_t size() const { return rows_; }

  Extent operator[](size_t row) const {
    if (blocks_.empty()) return {row == 0 ? 0 : uint64_t{ends_[row - 1]}, uint64_t{ends_[row]}};
    const RowBlock& block = blocks_[row / kRowsOfBlock];
    const size_t place = row % kRowsOfBlock;
    const uint64_t before = block.all_lengths() & ~(UINT64_MAX << 8 * place);
    const uint64_t begin = block.first + sum_of_bytes(before);
    return {begin, begin + block.lengths[place]};
  }

  // The first row that ends behind the element, or the last one: it never falls as elements rise,
  // even where the bytes make no sense.  There is at least one row.
  size_t row_of(uint64_t element) const {
    const auto behind = [](uint64_t wanted, const auto& entry) { return wanted < entry; };
    if (blocks_.empty()) {
      const auto at = std::upper_bound(ends_.begin(), ends_.end(), element, behind);
      return std::min<size_t>(at - ends_.begin(), rows_ - 1);
    }
    const auto next = std::upper_bound(
        blocks_.begin(), blocks_.end(), element,
        [](uint64_t wanted, const RowBlock& block) { return wanted < block.first; });
    size_t row = next == blocks_.begin() ? 0 : (next - blocks_.begin() - 1) * kRowsOfBlock;
    const size_t last = std::min<size_t>(row + kRowsOfBlock, rows_) - 1;
    while (row < last && (*this)[row].end <= element) ++row;
    return row;
  }

  // Do the rows fill `elements`, one behind the other?
  bool fit(uint64_t elements) const {
    if (blocks_.empty()) return ends_fit(ends_, elements);
    uint64_t end = 0;
    for (const RowBlock& block : blocks_) {
      if (block.first != end) return false;
      end += sum_of_bytes(block.all_lengths());
    }
    const uint64_t last = rows_ == 0 ? 0 : (*this)[rows_ - 1].end;
    return end == elements && last == end;
  }

 private:
  size_t rows_ = 0;
  std::span<const RowBlock> blocks_;
  std::span<const End> ends_;  // where there are no blocks
};

class RowExtentsWriter {
 public:
  void add(uint32_t length) {
    elements_ += length;
    longest_ = std::max(longest_, length);
    lengths_.append(&length, sizeof length);
  }
  template <class End>
  void save(ContainerWriter& out, const std::string& prefix) {
    if (longest_ <= UINT8_MAX && elements_ <= UINT32_MAX) {
      save_blocks(out, prefix);
      return;
    }
    End end = 0;
    out.begin(prefix + ".ends");
    each_length([&](uint32_t length) {
      end += length;
      out.write(&end, sizeof end);
    });
  }

 private:
  template <class Visit>
  void each_length(Visit&& visit) {
    lengths_.each_block(sizeof(uint32_t), [&](std::span<const std::byte> block) {
      for (size_t at = 0; at < block.size(); at += sizeof(uint32_t)) {
        uint32_t length;
        std::memcpy(&length, block.data() + at, sizeof length);
        visit(length);
      }
    });
  }
  void save_blocks(ContainerWriter& out, const std::string& prefix);

  uint64_t elements_ = 0;
  uint32_t longest_ = 0;
  Spill lengths_;
};

}  // namespace demotic::io
