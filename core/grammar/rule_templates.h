// Sparse features that follow from a rule alone, added to the rules of a table.
//
//   RuleTemplates templates(table, {.pairs = true, .min_count = 2});
//   templates.count(0, table.rules());            only where there is a min_count; in any pieces
//   RuleTableBuilder out(...);
//   templates.add(0, table.rules(), out);         likewise
//   out.finish(templates.finish().get());
//
// What rules get, each as often as it is there; X -> ne X1 pas / do not X1, linked 0-1 2-1:
//
//   rule            rule|X|ne_[X,1]_pas|do_not_[1]         the rule itself
//   source_bigrams  source|ne_[X]  source|[X]_pas          neighbours, at least one a word
//   target_bigrams  target|do_not  target|not_[X]
//   pairs           pair|ne_not  pair|pas_not              linked words
//   shape           shape|w_1_w|w_w_1                      words, and which nonterminal stands
//   where
//
// In words the signs of names (_ | [ ] and white space) are written as character references.
// Features that the table has already stay, or only those of `keep`.  With `bits` all sparse
// features are hashed, those of the table too, which are found by their old names all the same.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "features/feature_space.h"
#include "features/row_sum.h"
#include "grammar/rule_table.h"
#include "grammar/rule_table_builder.h"

namespace demotic::grammar {

struct RuleTemplateOptions {
  bool rule = false;
  bool source_bigrams = false;
  bool target_bigrams = false;
  bool pairs = false;
  bool shape = false;
  double min_count = 0;  // of the rules that have a feature, by how often they were extracted; a
                         // rule without counts counts once
  uint32_t bits = 0;     // 0: names are kept
};

class RuleTemplates {
 public:
  // Throws Error(argument) where the table's features are hashed to another number of bits.
  RuleTemplates(const RuleTable& table, const RuleTemplateOptions& options);
  // Of the table's own features only these ids stay, and the names of others are forgotten; call it
  // first.
  void keep(std::span<const uint32_t> ids);

  void count(uint32_t begin, uint32_t end);
  void add(uint32_t begin, uint32_t end, RuleTableBuilder& out);
  std::shared_ptr<const features::FeatureSpace> finish() { return names_.finish(); }
  bool has_names() const { return names_.size() > 0; }

 private:
  template <class Visit>
  void each_rule(uint32_t begin, uint32_t end, Visit&& visit) const;

  const RuleTable& table_;
  RuleTemplateOptions options_;
  features::FeatureSpaceBuilder counted_;
  std::vector<double> counts_;                               // by feature of counted_
  std::shared_ptr<const features::FeatureSpace> countable_;  // counted_, when all is counted
  features::FeatureSpaceBuilder names_;
  std::vector<uint32_t> kept_;  // by feature of the table: its id in names_, or kNoFeature
  features::RowSum<float> sum_;
};

}  // namespace demotic::grammar
