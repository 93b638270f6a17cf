// Counted rows of whole target sides, summed and put in order: what stands between the extractor
// and the scorer, in memory.
//
//   RuleSums sums(least);
//   sums.add(rows);  ...                   copied, so that what is compared lies side by side
//   SummedRows out = sums.finish();        ascending by (source, target, links), each there once
//
// A query of a database gives the same (see demotic.grammar.extraction); this is its quick way.
// Rules with nonterminals that fewer than `least` sentences gave are in no table: all of a source
// side are one row without target side and with the total 0, which says so to the scorer.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "grammar/rule_columns.h"
#include "hash_index.h"

namespace demotic::grammar {

struct SummedRows {
  RuleColumns columns;  // target_sentences are those of the whole target side
  std::vector<int64_t> totals;
};

class RuleSums {
 public:
  explicit RuleSums(uint32_t least) : least_(least) {}

  // Room for so many rows, of so many bytes in all their columns together.
  void reserve(size_t rows, size_t bytes);
  // Rows as RuleColumns have them; the columns of sentences are there or not.
  void add(const CountedColumns& rows);
  SummedRows finish();

 private:
  // A row: its numbers, and behind them the bytes of its source, target, links and origins.
  struct Record {
    int64_t mass;
    uint32_t sentences, source_sentences, target_sentences;
    uint16_t source_size, target_size, links_size, origins_size;

    const char* bytes() const { return reinterpret_cast<const char*>(this + 1); }
    std::string_view source() const { return {bytes(), source_size}; }
    std::string_view target() const { return {bytes() + source_size, target_size}; }
    std::string_view links() const { return {bytes() + source_size + target_size, links_size}; }
    std::string_view origins() const {
      return {bytes() + source_size + target_size + links_size, origins_size};
    }
    size_t size() const {
      const size_t all = sizeof(Record) + source_size + target_size + links_size + origins_size;
      return (all + kAligned - 1) / kAligned * kAligned;
    }
  };
  static constexpr size_t kAligned = 8;
  struct Place {  // of a record, and some bytes that it is being sorted by
    uint64_t part;
    uint64_t at;
  };
  struct Total {  // of a target side that is wanted
    size_t row;   // one that has it, of what comes out
    int64_t mass = 0;
    int64_t sentences = 0;
  };
  static constexpr size_t kFew = 8;  // rows that are compared as a whole

  const Record& record(uint64_t at) const {
    return *reinterpret_cast<const Record*>(records_.data() + at);
  }
  const Record& record(const Place& place) const { return record(place.at); }
  bool less(const Place& a, const Place& b) const;
  template <class Bytes, class Then>
  void sort_by(std::span<Place> rows, Bytes&& bytes, Then&& then);
  void order(std::span<Place> rows, size_t from, SummedRows& out);
  void write_source(std::span<const Place> rows, SummedRows& out);
  void write_left_out(std::string_view source, int64_t mass, int64_t sentences, SummedRows& out);
  void sum_targets(SummedRows& out);

  uint32_t least_;
  bool sentences_ = false;
  std::vector<char> records_;
  std::vector<Place> places_;
  HashIndex index_;  // of totals, by target side
  std::vector<Total> totals_;
};

}  // namespace demotic::grammar
