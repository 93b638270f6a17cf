// Repairs of a finished tree, of search.h: a branch is cut off and grown anew, with all that stands
// around it in sight.  What comes out better stays.  They share the search's lists and scores.
#include <algorithm>

#include "decode/umt/search.h"

namespace demotic::decode::umt {

namespace {

constexpr uint32_t kNone = UINT32_MAX;
constexpr double kGain = 1e-9;  // of the score; less is rounding
// Every repair goes over the whole tree, so that a pass takes time with the square of its size.
// Sentences of 200 words stay below this number of steps; of a longer one, only the first branches
// are repaired.
constexpr uint64_t kMostSteps = 400'000;

}  // namespace

// Grows `to` from steps of a complete tree: those below `top`, `top` included, but nothing below or
// at `cut`.  The order is not one that a policy could take: it begins with a step that may have
// tails.
double UndirectedSearch::copy_without(const PartialTree& from, uint32_t top, uint32_t cut,
                                      PartialTree& to) {
  LmCounters uncounted;
  double local = 0;
  begin_tree(to);
  todo_.assign(1, {top, kNoSlot});
  while (!todo_.empty()) {
    const auto [number, slot] = todo_.back();
    todo_.pop_back();
    const PartialTree::Step& step = from.steps()[number];
    const auto made = static_cast<uint32_t>(to.steps().size());
    to.grow(step.edge, slot, uncounted);
    local += local_score(from, step.edge);
    for (const uint32_t open : to.open()) {
      const PartialTree::Slot& at = to.slot(open);
      if (at.step != made || at.which == kHeadSlot) continue;
      if (const uint32_t child = step.children[at.which]; child != cut)
        todo_.push_back({child, open});
    }
  }
  return local + lm_weight_ * to.lm().complete;
}

// Takes the steps of a complete tree in an order that a policy could have taken: from its first
// leaf up, then down.
void UndirectedSearch::retrace(const PartialTree& from, PartialTree& to, Trajectory& path) {
  parents_.assign(from.steps().size(), kNone);
  for (uint32_t i = 0; i < from.steps().size(); ++i)
    for (const uint32_t child : from.steps()[i].children)
      if (child != kNone) parents_[child] = i;
  uint32_t up = 0;
  while (forest_->group(from.steps()[up].edge.group).arity > 0) ++up;
  path.actions.clear();
  path.score = 0;
  begin_tree(to);
  places_.assign(1, up);  // by step of `to`: the step of `from`
  Action action = action_of(to, kNoSlot, from.steps()[up].edge, 0, {});
  apply(to, action, path);
  while (!to.open().empty()) {
    const auto head = std::find_if(to.open().begin(), to.open().end(),
                                   [&](uint32_t slot) { return to.slot(slot).which == kHeadSlot; });
    const uint32_t slot = head != to.open().end() ? *head : to.open().front();
    const PartialTree::Slot& at = to.slot(slot);
    const uint32_t below = places_[at.step];
    uint32_t next;
    if (at.which == kHeadSlot) {
      next = parents_[below];
    } else {
      next = from.steps()[below].children[at.which];
    }
    EdgeChoice edge = from.steps()[next].edge;
    edge.child = 0;
    if (at.which == kHeadSlot)
      while (from.steps()[next].children[edge.child] != below) ++edge.child;
    action = action_of(to, slot, edge, 0, {});
    places_.push_back(next);
    apply(to, action, path);
  }
}

// Cuts off the branch below a step of tree_, or all around it, and begins anew with each of the
// best actions there.
bool UndirectedSearch::repair_at(uint32_t step, bool below, Trajectory& path) {
  uint32_t goal = 0;
  while (forest_->group(tree_.steps()[goal].edge.group).head != forest_->goal()) ++goal;
  if (step == goal) return false;
  const double kept = below ? copy_without(tree_, goal, step, cut_tree_)
                            : copy_without(tree_, step, kNone, cut_tree_);
  rank(cut_tree_, options_.repair_width, starts_);
  bool better = false;
  for (Action& first : starts_) {
    other_tree_ = cut_tree_;
    other_path_.actions.clear();
    other_path_.score = kept;
    apply(other_tree_, first, other_path_);
    follow(other_tree_, other_path_);
    if (other_path_.score <= path.score + kGain) continue;
    std::swap(other_tree_, best_tree_);
    path.score = other_path_.score;
    better = true;
  }
  if (better) std::swap(best_tree_, tree_);
  return better;
}

void UndirectedSearch::repair(Trajectory& path) {
  bool repaired = false;
  uint64_t steps = 0;
  for (uint32_t pass = 0; pass < options_.repairs; ++pass) {
    bool better = false;
    for (uint32_t step = 0; step < tree_.steps().size() && steps < kMostSteps; ++step) {
      steps += 2 * tree_.steps().size() * options_.repair_width;
      for (const bool below : {true, false}) better |= repair_at(step, below, path);
    }
    repaired |= better;
    if (!better) break;
  }
  if (!repaired) return;
  retrace(tree_, other_tree_, path);
  std::swap(other_tree_, tree_);
}

}  // namespace demotic::decode::umt
