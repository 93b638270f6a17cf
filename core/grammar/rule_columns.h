// Counted rules as the columns of a table, in the layout that Apache Arrow shares with databases:
// a binary column is its bytes and its rows + 1 borders.
//
//   RuleParts parts(256);
//   RuleColumns& columns = parts.of(target);  columns.source.add(...);  ...
//   for (RulePart& part : parts.take()) part.number, part.columns.source.bytes, ...
//
// One row says that a rule (keys of rule_key.h, links as pairs of bytes, with one byte more for its
// orientations if they were asked for) was seen with a mass in some sentences; several rows may be
// of one rule.  Whoever merges rows adds the masses and keeps the lowest kOrigins sentences, so
// that the result does not depend on how rows were cut.  All rows of a target side are in one part,
// so that its count can be summed there.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "text/vocab.h"

namespace demotic::grammar {

inline constexpr uint32_t kOrigins = 3;

// A binary column that somebody else owns.
struct BinaryView {
  const char* bytes;
  const int32_t* ends;

  std::string_view operator[](size_t row) const {
    return {bytes + ends[row], static_cast<size_t>(ends[row + 1] - ends[row])};
  }
};

struct BinaryColumn {
  std::vector<char> bytes;
  std::vector<int32_t> ends{0};

  void add(const char* data, size_t size) {
    bytes.insert(bytes.end(), data, data + size);
    ends.push_back(static_cast<int32_t>(bytes.size()));
  }
  BinaryView view() const { return {bytes.data(), ends.data()}; }
};

// The columns where somebody else owns them.
struct CountedColumns {
  BinaryView source, target, links, origins;
  std::span<const int64_t> mass;
  std::span<const int64_t> sentences, source_sentences, target_sentences;

  size_t rows() const { return mass.size(); }
};

struct RuleColumns {
  BinaryColumn source;
  BinaryColumn target;
  BinaryColumn links;
  std::vector<int64_t> mass;
  BinaryColumn origins;  // up to kOrigins sentence ids, ascending, four bytes each
  // If asked for: the sentences that gave the rule; and those in which this row was the first of
  // its source side, and of its target side, so that sums over rows count each sentence once.
  std::vector<int64_t> sentences, source_sentences, target_sentences;

  size_t rows() const { return mass.size(); }
  // A column's borders are 32-bit numbers; keys have at most some hundred bytes.
  bool full() const { return rows() >= (size_t{1} << 21); }
  CountedColumns view() const {
    return {source.view(), target.view(), links.view(),     origins.view(),
            mass,          sentences,     source_sentences, target_sentences};
  }
};

struct RulePart {
  uint32_t number;
  RuleColumns columns;
};

class RuleParts {
 public:
  explicit RuleParts(uint32_t parts) : open_(parts) {}

  // Where a row with this target side goes.
  RuleColumns& of(std::string_view target) {
    const uint64_t hash = text::hash_word(target) >> 32;
    const auto number = static_cast<uint32_t>(hash * open_.size() >> 32);
    if (open_[number].full()) full_.push_back({number, std::exchange(open_[number], {})});
    return open_[number];
  }

  // All rows so far, nothing of parts without any.
  std::vector<RulePart> take() {
    for (uint32_t number = 0; number < open_.size(); ++number)
      if (open_[number].rows() > 0) full_.push_back({number, std::exchange(open_[number], {})});
    return std::exchange(full_, {});
  }

 private:
  std::vector<RuleColumns> open_;  // by number
  std::vector<RulePart> full_;
};

}  // namespace demotic::grammar
