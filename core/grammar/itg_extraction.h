// Items of many aligned sentence pairs, counted as rules without nonterminals, over threads, in
// bounded memory.
//
//   ItgExtraction extraction(options, 7, rows, parts, threads);
//   extraction.run(source, target, links, begin, end);    some thousand sentence pairs at a time
//   for (RulePart& part : extraction.take()) ...          what no longer fits
//   for (RulePart& part : extraction.take_all()) ...      the rest; memory is given back
//   extraction.counts()                                   what was met
//
// Each item counts once, and so does what lies within it or is composed of several.  Which rows
// come out, and when, depends on chance; their sums do not (rule_columns.h).
#pragma once

#include <array>
#include <cstdint>
#include <tuple>
#include <vector>

#include "align/links.h"
#include "counters.h"
#include "grammar/itg_items.h"
#include "grammar/rule_columns.h"
#include "grammar/rule_counts.h"
#include "text/token_lines.h"

namespace demotic::grammar {

struct ItgCounts {
  uint64_t pairs = 0;
  uint64_t skipped = 0;  // without links or words, or too long
  uint64_t items = 0;
  uint64_t empty_items = 0;  // of these, without target words
  uint64_t sub_items = 0;
  uint64_t composed_items = 0;
  uint64_t loose_items = 0;
  uint64_t long_items = 0;  // kept out of the table
  uint64_t words = 0;       // source words of items
  uint64_t long_words = 0;  // of items of more than kLong source words

  static constexpr auto kFields =
      std::tuple{CounterField{"pairs", &ItgCounts::pairs},
                 CounterField{"skipped", &ItgCounts::skipped},
                 CounterField{"items", &ItgCounts::items},
                 CounterField{"empty_items", &ItgCounts::empty_items},
                 CounterField{"sub_items", &ItgCounts::sub_items},
                 CounterField{"composed_items", &ItgCounts::composed_items},
                 CounterField{"loose_items", &ItgCounts::loose_items},
                 CounterField{"long_items", &ItgCounts::long_items},
                 CounterField{"words", &ItgCounts::words},
                 CounterField{"long_words", &ItgCounts::long_words}};
};

class ItgExtraction {
 public:
  static constexpr uint32_t kLong = 7;
  static constexpr uint32_t kLengths = 17;  // of items; the last one counts all that are longer

  // Items of more than `max_item` words on a side stay out of the table (0: none do), and so do
  // those without target words unless `empty_items`.
  ItgExtraction(const ItgOptions& options, uint32_t max_item, bool empty_items, size_t rows,
                uint32_t parts, unsigned threads);

  void run(const text::TokenLines& source, const text::TokenLines& target,
           const align::Links& links, size_t begin, size_t end);
  std::vector<RulePart> take();
  std::vector<RulePart> take_all();

  ItgCounts counts() const;
  std::array<uint64_t, kLengths> lengths() const;  // items by their source words, from 1 on

 private:
  struct Worker {
    ItgExtractor extract;
    RuleCounts counted{false};
    RuleParts spilled;
    ItgCounts counts = {};
    std::array<uint64_t, kLengths> lengths{};
    std::vector<text::Symbol> source = {}, target = {};
    std::vector<RuleLink> links = {};
  };

  void add(Worker& worker, const ItgItem& item, std::span<const uint32_t> source,
           std::span<const uint32_t> target, std::span<const align::Link> links, size_t line);

  uint32_t max_item_;
  bool empty_items_;
  size_t rows_per_worker_;
  std::vector<Worker> workers_;
};

}  // namespace demotic::grammar
