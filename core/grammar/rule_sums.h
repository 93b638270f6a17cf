// Counted rows of whole target sides, summed and put in order: what stands between the extractor
// and the scorer, in memory.
//
//   RuleSums sums(least);
//   sums.add(rows);  ...                   rows that somebody else owns until finish() has returned
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

namespace demotic::grammar {

struct SummedRows {
  RuleColumns columns;  // target_sentences are those of the whole target side
  std::vector<int64_t> totals;
};

class RuleSums {
 public:
  explicit RuleSums(uint32_t least) : least_(least) {}

  // Rows as RuleColumns have them; the columns of sentences are there or not.
  void add(const CountedColumns& rows);
  SummedRows finish();

 private:
  struct Total {  // of a target side
    int64_t mass = 0;
    int64_t sentences = 0;
  };
  struct Place {  // of a row: where its batch has it, and some bytes that it is being sorted by
    uint64_t part;
    uint32_t batch, row;
  };
  static constexpr size_t kFew = 8;  // rows that are compared as a whole

  std::string_view source(Place at) const { return batches_[at.batch].source[at.row]; }
  std::string_view target(Place at) const { return batches_[at.batch].target[at.row]; }
  std::string_view links(Place at) const { return batches_[at.batch].links[at.row]; }
  bool less(const Place& a, const Place& b) const;
  template <class Bytes, class Then>
  void sort_by(std::span<Place> rows, Bytes&& bytes, Then&& then);
  void order(std::span<Place> rows, size_t from, SummedRows& out);

  void sum_targets();
  void write_source(std::span<const Place> rows, SummedRows& out) const;

  uint32_t least_;
  bool sentences_ = false;
  std::vector<CountedColumns> batches_;
  std::vector<Place> places_;
  std::vector<uint32_t> first_;      // of a batch: its first row among all
  std::vector<uint32_t> target_of_;  // of a row: its target side's number
  std::vector<Total> totals_;        // by target side
};

}  // namespace demotic::grammar
