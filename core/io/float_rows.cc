#include "io/float_rows.h"

#include <algorithm>

#include "io/checksum.h"
#include "io/error.h"

namespace demotic::io {

namespace {

constexpr size_t kSlack = 4;

[[noreturn]] void damaged(const std::string& what) {
  throw Error(Fault::corrupt, what, 0, "copy the file again or rebuild it");
}

void require(bool holds, const std::string& prefix) {
  if (!holds) damaged("sections '" + prefix + "' do not fit each other");
}

// Gives each column its first bit in a row, and says how many bytes a row has: floats first, so
// that they stand on whole bytes.
template <class Bits, class Place>
size_t lay_out(size_t columns, Bits&& bits, Place&& place) {
  uint64_t next = 0;
  for (const bool plain : {true, false})
    for (size_t c = 0; c < columns; ++c)
      if ((bits(c) == FloatColumn::kPlainBits) == plain) {
        place(c, static_cast<uint32_t>(next));
        next += bits(c);
      }
  return (next + 7) / 8;
}

}  // namespace

FloatRows::FloatRows(std::span<const float> plain, size_t columns, size_t rows)
    : bytes_(reinterpret_cast<const std::byte*>(plain.data())),
      stride_(columns * sizeof(float)),
      rows_(rows) {
  if (plain.size() != rows * columns) damaged("floats of a wrong number");
  for (uint32_t c = 0; c < columns; ++c)
    places_.emplace_back(c * FloatColumn::kPlainBits, FloatColumn::kPlainBits, nullptr, 0);
}

FloatRows FloatRows::load(const Container& in, const std::string& prefix, size_t rows) {
  const std::span<const FloatColumn> columns = in.section<FloatColumn>(prefix + ".columns");
  const std::span<const float> values = in.section<float>(prefix + ".values");
  const std::span<const std::byte> bytes = in.section<std::byte>(prefix + ".rows");
  std::vector<const float*> first(columns.size(), nullptr);
  size_t used = 0;
  for (size_t c = 0; c < columns.size(); ++c) {
    const auto [bits, count] = columns[c];
    require((bits == FloatColumn::kPlainBits) == (count == 0), prefix);
    require(bits == FloatColumn::kPlainBits || bits <= FloatColumn::kMostBits, prefix);
    require(count <= values.size() - used, prefix);
    if (count > 0) first[c] = values.data() + used;
    used += count;
  }
  require(used == values.size(), prefix);
  FloatRows made;
  std::vector<uint32_t> place(columns.size());
  made.stride_ = lay_out(
      columns.size(), [&](size_t c) { return columns[c].bits; },
      [&](size_t c, uint32_t bit) { place[c] = bit; });
  for (size_t c = 0; c < columns.size(); ++c)
    made.places_.emplace_back(place[c], columns[c].bits, first[c], columns[c].values);
  made.bytes_ = bytes.data();
  made.rows_ = rows;
  require(bytes.size() == rows * made.stride_ + kSlack, prefix);
  return made;
}

FloatRowsWriter::FloatRowsWriter(size_t columns, uint32_t most)
    : columns_(columns), row_(columns), most_(std::min(most, 1u << FloatColumn::kMostBits)) {}

// The number of a value; when there are too many, the column is closed and the value stays.
uint32_t FloatRowsWriter::number(Column& column, uint32_t bits) {
  if (!column.is_open()) return bits;
  const auto next = static_cast<uint32_t>(column.values.size());
  const uint32_t found = column.index.find_or_add(
      mix64(bits), next, [&](uint32_t i) { return column.values[i] == bits; });
  if (found != next) return found;
  if (next == most_) {
    column.numbered = rows_;
    column.index = {};
    return bits;
  }
  column.values.push_back(bits);
  return next;
}

void FloatRowsWriter::add(std::span<const float> row) {
  if (row.size() != columns_.size())
    throw Error(Fault::argument, "a row with the wrong number of columns");
  for (size_t c = 0; c < columns_.size(); ++c)
    row_[c] = number(columns_[c], std::bit_cast<uint32_t>(row[c]));
  spill_.append(row_.data(), row_.size() * sizeof(uint32_t));
  ++rows_;
}

// Numbers where they and their values take less room; the result is the bytes of a row.
uint32_t FloatRowsWriter::choose() {
  for (Column& column : columns_) {
    const auto values = static_cast<uint32_t>(column.values.size());
    const auto bits = static_cast<uint32_t>(std::bit_width(values - std::min(values, 1u)));
    const bool smaller = (FloatColumn::kPlainBits - bits) * rows_ > uint64_t{values} * 32;
    if (column.is_open() && smaller)
      column.kept = {bits, values};
    else
      column.kept = {FloatColumn::kPlainBits, 0};
  }
  return static_cast<uint32_t>(lay_out(
      columns_.size(), [&](size_t c) { return columns_[c].kept.bits; },
      [&](size_t c, uint32_t bit) { columns_[c].bit = bit; }));
}

void FloatRowsWriter::save(ContainerWriter& out, const std::string& prefix) {
  const size_t stride = choose();
  out.begin(prefix + ".columns");
  for (const Column& column : columns_) out.write(&column.kept, sizeof column.kept);
  out.begin(prefix + ".values");
  for (const Column& column : columns_)
    if (column.kept.values > 0)
      out.write(column.values.data(), column.values.size() * sizeof(uint32_t));
  out.begin(prefix + ".rows");
  std::vector<std::byte> packed;
  uint64_t row = 0;
  const size_t unit = columns_.size() * sizeof(uint32_t);
  if (unit > 0)
    spill_.each_block(unit, [&](std::span<const std::byte> block) {
      const size_t rows = block.size() / unit;
      packed.assign(rows * stride + sizeof(uint32_t), std::byte{0});
      std::byte* to = packed.data();
      for (const std::byte* from = block.data(); from != block.data() + block.size();
           to += stride, ++row)
        for (const Column& column : columns_) {
          uint32_t value, four;
          std::memcpy(&value, from, sizeof value);
          from += sizeof value;
          std::byte* const at = to + column.bit / 8;
          if (column.kept.values == 0) {
            if (row < column.numbered) value = column.values[value];
            std::memcpy(at, &value, sizeof value);
            continue;
          }
          std::memcpy(&four, at, sizeof four);
          four |= value << column.bit % 8;
          std::memcpy(at, &four, sizeof four);
        }
      out.write(packed.data(), rows * stride);
    });
  const std::byte slack[kSlack] = {};
  out.write(slack, sizeof slack);
}

}  // namespace demotic::io
