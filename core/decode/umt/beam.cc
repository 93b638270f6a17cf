// Ways through the forest other than the best action again and again, of search.h: a beam over
// partial trees, and roll-outs that stray from the path.  They share the search's lists and scores.
#include <algorithm>
#include <limits>

#include "decode/umt/search.h"

namespace demotic::decode::umt {

void UndirectedSearch::stray(const std::function<double()>& noise, uint32_t width,
                             Trajectory& path) {
  path.actions.clear();
  path.score = 0;
  begin_tree(tree_);
  while (!tree_.complete()) {
    rank(tree_, width, ranked_);
    size_t best = 0;
    double best_score = -std::numeric_limits<double>::infinity();
    for (size_t i = 0; i < ranked_.size(); ++i) {
      const double score = ranked_[i].score + noise();
      if (score > best_score) {
        best = i;
        best_score = score;
      }
    }
    apply(tree_, ranked_[best], path);
  }
  counters_.actions += lists_.scored() - counted_;
  counted_ = lists_.scored();
}

// The model's score of the tree after an action and the bounds on what is missing: the same for
// every order in which the tree may have grown, but for sparse features.
double UndirectedSearch::potential(const PartialTree& tree, const Action& action) const {
  if (lookahead_) return action.score;
  double sum =
      action.local + lm_weight_ * (action.lm.complete + options_.kappa * action.lm.estimate);
  for (uint32_t i = 0; i < kCffFeatures; ++i) sum += weights_[i] * action.cff[i];
  if (sparse_.on() && action.slot != kNoSlot)
    sum += sparse_.score(sparse_.of(tree, action.edge, action.slot, tree.slot(action.slot).carry));
  if (options_.cff == Cff::raw && action.slot != kNoSlot)
    sum -= weights_[cff_of(tree.slot(action.slot).which)] * closed_bound(tree.slot(action.slot));
  return sum;
}

// From a tree of one step.  Trees of one set of edges are one tree, whatever the order.
void UndirectedSearch::run_beam(uint32_t width, PartialTree& tree, Trajectory& path) {
  beam_.resize(std::max<size_t>(beam_.size(), width));
  next_beam_.resize(beam_.size());
  beam_[0].tree = tree;
  beam_[0].path = path;
  beam_[0].potential = 0;
  size_t size = 1;
  for (bool growing = true; growing;) {
    growing = false;
    expansions_.clear();
    for (uint32_t h = 0; h < size; ++h) {
      const Hypothesis& from = beam_[h];
      if (from.tree.complete()) {
        expansions_.push_back({from.potential, h, from.tree.signature(), {}, true});
        continue;
      }
      rank(from.tree, width, ranked_);
      for (const Action& action : ranked_) {
        const uint64_t signature = from.tree.signature() + from.tree.mark(action.edge);
        const double value = from.potential + potential(from.tree, action);
        const auto same =
            std::find_if(expansions_.begin(), expansions_.end(),
                         [&](const Expansion& e) { return e.signature == signature; });
        if (same == expansions_.end()) expansions_.push_back({value, h, signature, action, false});
      }
      growing = true;
    }
    std::stable_sort(
        expansions_.begin(), expansions_.end(),
        [](const Expansion& a, const Expansion& b) { return a.potential > b.potential; });
    size = std::min<size_t>(expansions_.size(), width);
    for (size_t i = 0; i < size; ++i) {
      Expansion& e = expansions_[i];
      next_beam_[i].tree = beam_[e.parent].tree;
      next_beam_[i].path = beam_[e.parent].path;
      next_beam_[i].potential = e.potential;
      if (!e.finished) apply(next_beam_[i].tree, e.action, next_beam_[i].path);
    }
    std::swap(beam_, next_beam_);
  }
  size_t best = 0;
  for (size_t i = 1; i < size; ++i)
    if (beam_[i].path.score > beam_[best].path.score) best = i;
  std::swap(tree, beam_[best].tree);
  std::swap(path, beam_[best].path);
}

}  // namespace demotic::decode::umt
