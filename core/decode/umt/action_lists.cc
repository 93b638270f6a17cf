#include "decode/umt/action_lists.h"

#include <algorithm>

#include "decode/umt/filled_yield.h"

namespace demotic::decode::umt {

void ActionLists::begin(const UndirectedForest& forest, RuleRanking& ranking,
                        const BranchBounds& bounds, const CffVector& weights, double gain_weight) {
  gain_weight_ = gain_weight;
  forest_ = &forest;
  bounds_ = &bounds;
  ranking_ = &ranking;
  weights_ = weights;
  by_node_.assign(size_t{2} * forest.nodes(), kNone);
  start_ = kNone;
  used_ = 0;
  scored_ = 0;
}

CffVector ActionLists::bounds(const RuleGroup& group, uint32_t child, bool opens_head) const {
  CffVector bounds{};
  const std::span<const uint32_t> tails = forest_->tails(group);
  for (uint32_t k = 0; k < group.arity; ++k)
    if (k != child) bounds[cff_of(k)] += bounds_->inside(tails[k]);
  if (opens_head) bounds[cff_of(kHeadSlot)] = bounds_->outside(group.head);
  return bounds;
}

// Falling order of scores; ties go to the lower edge, then to the lower tail.
bool ActionLists::worse(const Head& a, const Head& b) {
  const Candidate& x = a.candidate;
  const Candidate& y = b.candidate;
  if (x.score != y.score) return x.score < y.score;
  if (x.group != y.group) return x.group > y.group;
  return x.place != y.place ? x.place > y.place : x.child > y.child;
}

void ActionLists::push(List& list, uint32_t group, uint32_t child, Kind kind) {
  const RuleGroup& edges = forest_->group(group);
  const CffVector open = bounds(edges, child, kind != Kind::down);
  double sum = 0;
  for (uint32_t i = 0; i < kCffFeatures; ++i) sum += weights_[i] * open[i];
  double gain = 0;
  if (gain_weight_ > 0) {
    for (uint32_t k = 0; k < edges.arity; ++k)
      if (k != child) gain += most_gain(bounds_->branches()[forest_->tails(edges)[k]]);
    if (kind != Kind::down) {
      const Surroundings& outer = bounds_->surroundings()[edges.head];
      gain += most_gain(outer.after) - outer.seam;
    }
    gain *= gain_weight_;
  }
  sum += gain;
  const RankedRule& rule = ranking_->rule(group, 0);
  list.heap.push_back({{rule.score + sum, gain, group, 0, rule.place, child, rule.lm}, sum});
  ++scored_;
}

uint32_t ActionLists::fill(uint32_t node, Kind kind) {
  if (used_ == lists_.size()) lists_.emplace_back();
  List& list = lists_[used_];
  list.heap.clear();
  list.order.clear();
  if (kind == Kind::down) {
    for (uint32_t g = forest_->first_below(node); g < forest_->last_below(node); ++g)
      push(list, g, kNoTail, kind);
  } else if (kind == Kind::up) {
    for (const auto [group, tail] : forest_->above(node)) push(list, group, tail, kind);
  } else {
    for (const uint32_t g : forest_->leaves()) push(list, g, kNoTail, kind);
  }
  std::make_heap(list.heap.begin(), list.heap.end(), worse);
  return used_++;
}

bool ActionLists::pop(List& list) {
  if (list.heap.empty()) return false;
  list.order.push_back(list.heap.front().candidate);
  Head next = list.heap.front();
  const uint32_t rank = next.candidate.rank + 1;
  if (rank < forest_->group(next.candidate.group).rules) {
    const RankedRule& rule = ranking_->rule(next.candidate.group, rank);
    next.candidate.score = rule.score + next.bounds;
    next.candidate.rank = rank;
    next.candidate.place = rule.place;
    next.candidate.lm = rule.lm;
    ++scored_;
  } else {
    next = list.heap.back();
    list.heap.pop_back();
    if (list.heap.empty()) return true;
  }
  sink(list.heap, next);
  return true;
}

// Takes the place of the heap's first, and goes down to where it belongs.
void ActionLists::sink(std::vector<Head>& heap, const Head& head) {
  size_t at = 0;
  for (size_t below; (below = 2 * at + 1) < heap.size(); at = below) {
    if (below + 1 < heap.size() && worse(heap[below], heap[below + 1])) ++below;
    if (!worse(head, heap[below])) break;
    heap[at] = heap[below];
  }
  heap[at] = head;
}

}  // namespace demotic::decode::umt
