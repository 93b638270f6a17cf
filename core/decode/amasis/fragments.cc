#include "decode/amasis/fragments.h"

#include <cstring>

namespace demotic::decode::amasis {

FragmentTable::FragmentTable(const AmasisModel& model, bool borders)
    : model_(model), models_(model.models()), sees_borders_(borders), made_(models_) {
  clear();
}

void FragmentTable::clear() {
  parts_.clear();
  words_.clear();
  borders_.clear();
  index_.clear();
  joined_.clear();
  joined_index_.clear();
  logs_.clear();
  if (models_ > 0) std::memset(made_.data(), 0, made_.size() * sizeof(lm::Fragment));
  add(made_, false, {});
}

uint32_t FragmentTable::add(std::span<const lm::Fragment> parts, bool words, const Border& border) {
  uint64_t hash = words ? 1 : 2;
  if (sees_borders_) hash = io::mix64(hash + (uint64_t{border.first} << 32 | border.last));
  for (const lm::Fragment& part : parts) hash = io::mix64(hash ^ part.hash());
  const uint32_t next = size();
  const uint32_t number = index_.find_or_add(hash, next, [&](uint32_t i) {
    if (words_[i] != (words ? 1 : 0)) return false;
    if (sees_borders_ && borders_[i] != border) return false;
    for (uint32_t m = 0; m < models_; ++m)
      if (!(part(i, m) == parts[m])) return false;
    return true;
  });
  if (number == next) {
    parts_.insert(parts_.end(), parts.begin(), parts.end());
    words_.push_back(words ? 1 : 0);
    borders_.push_back(border);
  }
  return number;
}

const Joined& FragmentTable::join(uint32_t left, uint32_t right) {
  const uint64_t key = uint64_t{left} << 32 | right;
  const auto next = static_cast<uint32_t>(joined_.size());
  const uint32_t number = joined_index_.find_or_add(io::mix64(key), next, [&](uint32_t i) {
    return joined_[i].left == left && joined_[i].right == right;
  });
  if (number != next) return joined_[number];
  Joined made{left, right, kEmpty, static_cast<uint32_t>(logs_.size()), 0};
  for (uint32_t m = 0; m < models_; ++m) {
    lm::FragmentScorer scorer(model_.lm(m), made_[m]);
    scorer.nonterminal(part(left, m));
    scorer.nonterminal(part(right, m));
    logs_.push_back(scorer.finish());
    made.score += model_.lm_score(m, logs_.back());
  }
  if (!has_words(left))
    made.fragment = right;
  else if (!has_words(right))
    made.fragment = left;
  else
    made.fragment = add(made_, {borders_[left].first, borders_[right].last});
  joined_.push_back(made);
  return joined_.back();
}

}  // namespace demotic::decode::amasis
