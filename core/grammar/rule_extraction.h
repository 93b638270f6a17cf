// Hierarchical rules of many sentence pairs, over threads, in bounded memory.
//
//   RuleExtraction extraction(options, rows, parts, threads);
//   extraction.run(source, target, links, begin, end);    some thousand sentence pairs at a time
//   for (RulePart& part : extraction.take()) ...          what no longer fits
//   for (RulePart& part : extraction.take_all()) ...      the rest; memory is given back
//
// Which rows come out, and when, depends on chance; their sums do not (rule_columns.h).
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "align/links.h"
#include "grammar/hiero_extract.h"
#include "grammar/rule_columns.h"
#include "grammar/rule_counts.h"
#include "text/token_lines.h"

namespace demotic::grammar {

class RuleExtraction {
 public:
  // Holds about `rows` different rules, some hundred bytes each; gives them out in `parts` parts.
  // `sentences` asks for the columns that count them.
  RuleExtraction(const HieroOptions& options, size_t rows, uint32_t parts, unsigned threads,
                 bool sentences);

  void run(const text::TokenLines& source, const text::TokenLines& target,
           const align::Links& links, size_t begin, size_t end);
  std::vector<RulePart> take();
  std::vector<RulePart> take_all();

  uint64_t occurrences() const;  // rules extracted so far, each time they were
  // Of these, how many had each orientation to what is before them, and to what is after them.
  std::array<uint64_t, 2 * kOrientations> orientations() const;

 private:
  struct Worker {
    HieroExtractor extract;
    RuleCounts counts;
    RuleParts spilled;
    uint64_t occurrences = 0;
    std::array<uint64_t, 2 * kOrientations> orientations{};
  };

  size_t rows_per_worker_;
  bool sentences_;
  std::vector<Worker> workers_;
};

}  // namespace demotic::grammar
