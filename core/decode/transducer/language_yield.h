// A language model in the search over a tree's cells: what the words that items write are worth,
// to the last digit, whatever order they were put together in.
//
//   LanguageYield yields(model, begins, words);       words of each candidate of each leaf
//   trees::CellSearch(permutations, options, &yields).run(input);
#pragma once

#include <cstdint>
#include <span>

#include "lm/fragment_memo.h"
#include "trees/cell_search.h"

namespace demotic::decode::transducer {

class LanguageYield final : public trees::YieldModel {
 public:
  // Candidate i writes `words[begins[i]]` up to `begins[i + 1]`, by the model's ids.
  LanguageYield(const lm::Model& model, std::span<const uint32_t> begins,
                std::span<const uint32_t> words);  // throws Error(argument)

  size_t leaves() const override { return begins_.size() - 1; }
  uint64_t leaf(uint32_t candidate, double& cost) override;
  uint64_t join(uint64_t first, uint64_t second, double& cost) override;
  double sentence(uint64_t yield) override;

 private:
  lm::FragmentMemo memo_;
  std::span<const uint32_t> begins_, words_;
  uint32_t end_;  // "</s>"
};

}  // namespace demotic::decode::transducer
