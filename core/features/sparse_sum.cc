#include "features/sparse_sum.h"

#include <algorithm>
#include <array>

namespace demotic::features {

namespace {

constexpr uint32_t kDigit = 10;  // bits that are sorted at a time

}  // namespace

// Least significant digits first; terms of one id stay in order.
void SparseSum::sort() {
  uint32_t all = 0;
  for (const Term& term : terms_) all |= term.id;
  other_.resize(terms_.size());
  for (uint32_t shift = 0; shift < 32 && all >> shift != 0; shift += kDigit) {
    const auto digit = [&](const Term& term) {
      return term.id >> shift & ((uint32_t{1} << kDigit) - 1);
    };
    std::array<uint32_t, (1 << kDigit) + 1> begin{};
    for (const Term& term : terms_) ++begin[digit(term) + 1];
    for (size_t d = 1; d < begin.size(); ++d) begin[d] += begin[d - 1];
    for (const Term& term : terms_) other_[begin[digit(term)]++] = term;
    terms_.swap(other_);
  }
}

void SparseSum::add_up() {
  sort();
  size_t last = 0;
  for (size_t i = 1; i < terms_.size(); ++i) {
    if (terms_[i].id == terms_[last].id)
      terms_[last].value += terms_[i].value;
    else
      terms_[++last] = terms_[i];
  }
  terms_.resize(terms_.empty() ? 0 : last + 1);
  limit_ = std::max(kFew, 2 * terms_.size());
}

SparseVector SparseSum::take() {
  add_up();
  SparseVector sums;
  sums.ids.reserve(terms_.size());
  sums.values.reserve(terms_.size());
  for (const Term& term : terms_) {
    sums.ids.push_back(term.id);
    sums.values.push_back(term.value);
  }
  terms_.clear();
  limit_ = kFew;
  return sums;
}

}  // namespace demotic::features
