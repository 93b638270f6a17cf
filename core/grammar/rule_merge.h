// Sorted runs of counted rules, merged into a scorer: the last step of an external sort.
//
//   RuleMerge merge(scorer, runs);
//   while (std::optional<size_t> run = merge.next())     which run has no more rows to go on with
//     merge.add(*run, rows) or merge.end(*run);
//
// Each run ascends by (source, target), and all rows of a rule are in one run.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "grammar/rule_columns.h"
#include "grammar/rule_scorer.h"

namespace demotic::grammar {

// Rows with the counts of their target sides.  The columns of sentences are there or not;
// `target_sentences` are those of the whole target side.
struct CountedRows : CountedColumns {
  std::span<const int64_t> totals;
};

class RuleMerge {
 public:
  RuleMerge(RuleScorer& scorer, size_t runs);

  // Scores until a run has no rows; nothing where all runs have ended.
  std::optional<size_t> next();
  // The next rows of a run that has none.  Copies them.
  void add(size_t run, const CountedRows& rows);
  void end(size_t run);

 private:
  struct Run {
    RuleColumns columns;
    std::vector<int64_t> totals;
    size_t at = 0;

    std::string_view source() const { return columns.source.view()[at]; }
    bool empty() const { return at == columns.rows(); }
  };

  void settle(size_t run);
  // Does run a go on after run b?  Runs of one source side come in their order, so that a run which
  // was interrupted within one is the next again.
  bool after(size_t a, size_t b) const {
    const auto order = runs_[a].source() <=> runs_[b].source();
    return order != 0 ? order > 0 : a > b;
  }

  RuleScorer& scorer_;
  std::vector<Run> runs_;
  std::vector<size_t> heap_;    // runs with rows; the first is the next
  std::vector<size_t> hungry_;  // runs without, that have not ended
};

}  // namespace demotic::grammar
