#include "decode/umt/forest.h"

namespace demotic::decode::umt {

namespace {

// A call of memcmp, which is what == becomes, takes longer than all the rest.
bool same_tails(const std::array<uint32_t, grammar::kMaxArity>& a,
                const std::array<uint32_t, grammar::kMaxArity>& b) {
  return a[0] == b[0] && a[1] == b[1];
}

}  // namespace

void UndirectedForest::build(const ContextFreeForest& forest, const SourceSentence& sentence) {
  nodes_.assign(forest.nodes.begin(), forest.nodes.end());
  edges_ = forest.edges.size();
  span_limit_ = forest.span_limit;
  leaf_edges_ = 0;
  groups_.clear();
  passed_.clear();
  leaves_.clear();
  below_ends_.clear();
  degree_below_.assign(nodes_.size(), 0);
  degree_above_.assign(nodes_.size(), 0);
  above_begins_.assign(nodes_.size() + 1, 0);
  for (uint32_t v = 0; v < nodes_.size(); ++v) {
    const auto first = static_cast<uint32_t>(groups_.size());
    for (uint32_t e = forest.first_in(v); e < forest.last_in(v); ++e) {
      const ForestEdge& edge = forest.edges[e];
      // The same span and tails mean the same source side, so a rule that follows is of it, too.
      if (groups_.size() > first && edge.rule < kGlueFirst &&
          same_tails(edge.tails, groups_.back().tails) &&
          edge.rule == groups_.back().first_rule + groups_.back().rules) {
        ++groups_.back().rules;
      } else {
        groups_.push_back({v, edge.tails, edge.rule, 1, e});
        passed_.push_back(edge.rule == kPassThrough ? sentence.lm[nodes_[v].begin]
                                                    : text::kUnknown);
      }
    }
    const auto last = static_cast<uint32_t>(groups_.size());
    below_ends_.push_back(last);
    degree_below_[v] = forest.last_in(v) - forest.first_in(v);
    for (uint32_t g = first; g < last; ++g) {
      if (groups_[g].arity() == 0) {
        leaves_.push_back(g);
        leaf_edges_ += groups_[g].rules;
      }
      for (const uint32_t tail : groups_[g].tails) {
        if (tail == kNoNode) continue;
        ++above_begins_[tail + 1];
        degree_above_[tail] += groups_[g].rules;
      }
    }
  }
  for (size_t v = 1; v < above_begins_.size(); ++v) above_begins_[v] += above_begins_[v - 1];
  above_.resize(above_begins_.back());
  // Filled from the back, begins being ends until then.
  for (auto g = static_cast<uint32_t>(groups_.size()); g-- > 0;)
    for (uint32_t k = grammar::kMaxArity; k-- > 0;)
      if (const uint32_t tail = groups_[g].tails[k]; tail != kNoNode)
        above_[--above_begins_[tail + 1]] = g << 1 | k;
  for (size_t v = 1; v < above_begins_.size(); ++v) above_begins_[v - 1] = above_begins_[v];
  above_begins_.back() = static_cast<uint32_t>(above_.size());
}

size_t UndirectedForest::bytes() const {
  const auto of = [](const auto& values) { return values.capacity() * sizeof values[0]; };
  return of(nodes_) + of(groups_) + of(passed_) + of(below_ends_) + of(above_begins_) + of(above_) +
         of(leaves_) + of(degree_below_) + of(degree_above_);
}

}  // namespace demotic::decode::umt
