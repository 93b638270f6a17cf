// Confusion rules written down as tables that decoders read, and the score of a rule's target side
// as one more column of a table.
//
//   ConfusionTable out(classes, "confusion.bin", &bigrams,      bigrams may be null
//                      {.changed = true, .unchanged = true});   whose sides differ, or are the same
//   out.add(0, classes.sources());                              in any pieces, or
//   out.add(0, classes.sources(), matched);                     those of which matched[s] is true
//   out.finish();
//   write_sources(classes, "sources.bin");      X -> e1 / e1 of each e1: rule s is source s, so
//   that
//                                               RuleFilter says which can match some sentences
//   add_column(table, "rules.bin", "ConfusionModel", [](target) { return score; });
//
// Confusion rules have two scores: how often both sides shared a class, and the natural log of how
// often e2 was it, given e1.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "grammar/confusion_classes.h"
#include "grammar/rule_table_builder.h"
#include "grammar/target_bigrams.h"

namespace demotic::grammar {

struct ConfusionKinds {
  bool changed = true, unchanged = true;  // whether there are rules of two sides, of one and itself
};

class ConfusionTable {
 public:
  ConfusionTable(const ConfusionClasses& classes, const std::string& path, TargetBigrams* bigrams,
                 ConfusionKinds kinds = {});

  void add(uint32_t begin, uint32_t end, std::span<const char> matched = {});
  void finish() { out_.finish(bigrams_ == nullptr ? nullptr : bigrams_->space().get()); }
  uint32_t rules() const { return out_.rules(); }
  uint64_t changes() const { return changes_; }  // rules whose two sides differ

 private:
  const ConfusionClasses& classes_;
  TargetBigrams* bigrams_;
  ConfusionKinds kinds_;
  RuleTableBuilder out_;
  uint64_t changes_ = 0;
};

void write_sources(const ConfusionClasses& classes, const std::string& path);

// A copy of the table; `weights` are those of the bigrams.  Throws Error(argument) where it has
// such a column.
void add_bigram_column(const RuleTable& table, const std::string& path, const std::string& name,
                       const TargetBigrams& bigrams, std::span<const double> weights);

}  // namespace demotic::grammar
