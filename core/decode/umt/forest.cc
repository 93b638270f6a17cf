#include "decode/umt/forest.h"

namespace demotic::decode::umt {

void UndirectedForest::build(ContextFreeForestBuilder& builder, const SourceSentence& sentence) {
  builder(sentence.source, forest_, sentence.limits);
  leaf_edges_ = 0;
  leaves_.clear();
  passed_.assign(forest_.groups.size(), text::kUnknown);
  degree_below_.assign(nodes(), 0);
  degree_above_.assign(nodes(), 0);
  above_begins_.assign(nodes() + size_t{1}, 0);
  for (uint32_t g = 0; g < forest_.groups.size(); ++g) {
    const RuleGroup& group = forest_.groups[g];
    if (group.first_rule == kPassThrough) passed_[g] = sentence.lm[node(group.head).begin];
    degree_below_[group.head] += group.rules;
    if (group.arity == 0) {
      leaves_.push_back(g);
      leaf_edges_ += group.rules;
    }
    for (const uint32_t tail : tails(group)) {
      ++above_begins_[tail + 1];
      degree_above_[tail] += group.rules;
    }
  }
  for (size_t v = 1; v < above_begins_.size(); ++v) above_begins_[v] += above_begins_[v - 1];
  above_.resize(above_begins_.back());
  // Filled from the back, begins being ends until then.
  for (auto g = static_cast<uint32_t>(forest_.groups.size()); g-- > 0;) {
    const std::span<const uint32_t> tails = forest_.tails_of(forest_.groups[g]);
    for (auto k = static_cast<uint32_t>(tails.size()); k-- > 0;)
      above_[--above_begins_[tails[k] + 1]] = {g, k};
  }
  for (size_t v = 1; v < above_begins_.size(); ++v) above_begins_[v - 1] = above_begins_[v];
  above_begins_.back() = static_cast<uint32_t>(above_.size());
}

size_t UndirectedForest::bytes() const {
  const auto of = [](const auto& values) { return values.capacity() * sizeof values[0]; };
  return of(forest_.nodes) + of(forest_.groups) + of(forest_.group_ends) + of(forest_.tails) +
         of(passed_) + of(above_begins_) + of(above_) + of(leaves_) + of(degree_below_) +
         of(degree_above_);
}

}  // namespace demotic::decode::umt
