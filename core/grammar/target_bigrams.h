// Bigrams of a rule's target side as features, words replaced by a few symbols (TsRB of Li et al.
// 2010, section 4.2): "[X] of the [X]" has X_IN, IN_DT and DT_X.
//
//   TargetBigrams bigrams(names, symbols, x);    names of symbols; the symbol of each target word;
//                                                the symbol of nonterminals
//   bigrams.meet(target);  ...                   which bigrams are features; then
//   bigrams.freeze();                            they are numbered by their symbols
//   bigrams.row(target)                          a row of them; others do not count
//   bigrams.score(target, weights)               the same, weighted
//   bigrams.space()                              their names, "bigram|IN_DT"
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "features/feature_space.h"
#include "features/row_sum.h"
#include "features/sparse_rows.h"
#include "text/symbol.h"

namespace demotic::grammar {

class TargetBigrams {
 public:
  TargetBigrams(std::vector<std::string> names, std::vector<uint32_t> symbols, uint32_t x);

  void meet(std::span<const text::Symbol> target);
  void freeze();
  uint32_t size() const { return numbered_; }
  const std::shared_ptr<const features::FeatureSpace>& space() const { return space_; }

  features::SparseRow row(std::span<const text::Symbol> target);
  double score(std::span<const text::Symbol> target, std::span<const double> weights) const;

 private:
  // Words that the table has beyond those that were given count as the last symbol.
  uint32_t symbol_of(text::Symbol symbol) const {
    if (text::is_slot(symbol)) return x_;
    const auto id = static_cast<size_t>(symbol);
    return id < symbols_.size() ? symbols_[id] : static_cast<uint32_t>(names_.size()) - 1;
  }
  template <class Visit>
  void each(std::span<const text::Symbol> target, Visit&& visit) const {
    for (size_t i = 1; i < target.size(); ++i)
      visit(symbol_of(target[i - 1]) * names_.size() + symbol_of(target[i]));
  }

  std::vector<std::string> names_;
  std::vector<uint32_t> symbols_;
  uint32_t x_;
  uint32_t numbered_ = 0;
  std::vector<uint32_t> ids_;  // by pair of symbols
  std::shared_ptr<const features::FeatureSpace> space_;
  features::RowSum<float> sum_;
};

}  // namespace demotic::grammar
