#include "decode/umt/search.h"

#include <algorithm>

namespace demotic::decode::umt {

namespace {

constexpr double kSlack = 1e-7;   // of bounds against sums rounded in another order
constexpr float kProper = 1e-6f;  // log10 of a probability up to rounding

}  // namespace

void UndirectedSearch::begin(const UndirectedForest& forest, RuleRanking& ranking,
                             const ScoredGrammar& grammar, const CffVector& weights,
                             const GapFeatures& sparse) {
  forest_ = &forest;
  ranking_ = &ranking;
  grammar_ = &grammar;
  weights_ = options_.cff == Cff::off ? CffVector{} : weights;
  lm_weight_ = grammar.lm() == nullptr ? 0 : grammar.lm_score(1);
  lazy_ = options_.lazy && lm_weight_ >= 0;
  counters_.highest = -1e30f;
  counted_ = 0;
  bounds_.begin(forest, ranking, grammar, counters_);
  sparse_ = sparse;
  lookahead_ = options_.lookahead && !bounds_.branches().empty();
  lists_.begin(forest, ranking, bounds_, weights_, lookahead_ ? lm_weight_ : 0);
}

uint32_t UndirectedSearch::list_of(const PartialTree& tree, uint32_t slot) {
  if (slot == kNoSlot) return lists_.start();
  const PartialTree::Slot& at = tree.slot(slot);
  return at.which == kHeadSlot ? lists_.up(at.node) : lists_.down(at.node);
}

uint64_t UndirectedSearch::choices(const PartialTree& tree) const {
  if (tree.steps().empty()) return forest_->leaf_edges();
  uint64_t sum = 0;
  for (const uint32_t slot : tree.open()) {
    const PartialTree::Slot& at = tree.slot(slot);
    sum += at.which == kHeadSlot ? forest_->edges_above(at.node) : forest_->edges_below(at.node);
  }
  return sum;
}

// The bound of the slot that an action closes: what `delta` takes back.
double UndirectedSearch::closed_bound(const PartialTree::Slot& slot) const {
  return slot.which == kHeadSlot ? bounds_.outside(slot.node) : bounds_.inside(slot.node);
}

void UndirectedSearch::begin_tree(PartialTree& tree) const {
  tree.begin(*forest_, *grammar_, options_.stale_queue,
             lookahead_ ? bounds_.branches() : std::span<const lm::Fragment>{},
             lookahead_ ? bounds_.surroundings() : std::span<const Surroundings>{});
}

Outlook UndirectedSearch::outlook(const PartialTree& tree, uint32_t slot) const {
  return lookahead_ && slot != kNoSlot ? tree.filled().outlook(tree, slot) : Outlook{};
}

// What every action on the slot may have beyond its candidate's score, at most.
double UndirectedSearch::bound_of(const PartialTree& tree, uint32_t slot,
                                  const Outlook& outlook) const {
  if (slot == kNoSlot) return kSlack;
  double bound = kSlack + sparse_.most();
  if (lookahead_ || options_.cff == Cff::delta)
    bound -= weights_[cff_of(tree.slot(slot).which)] * closed_bound(tree.slot(slot));
  if (lookahead_) return bound + lm_weight_ * (most_gain(outlook.right) - outlook.base);
  if (lm_weight_ != 0) bound -= lm_weight_ * options_.kappa * tree.carry(slot).estimate();
  return bound;
}

// `most` is a bound on it; where that is lowered below `least` on the way, it is not worked out to
// the end, and comes out as minus infinity.
double UndirectedSearch::exact(const PartialTree& tree, uint32_t slot, const Outlook& outlook,
                               const Candidate& candidate, LmChange& lm, double most,
                               double least) {
  double score = candidate.score - candidate.gain;
  lm = {};
  const EdgeChoice edge{candidate.group, candidate.place, candidate.child};
  const bool start = slot == kNoSlot;
  if (sparse_.on() && !start)
    score += sparse_.score(sparse_.of(tree, edge, slot, tree.carry(slot)));
  if (!start && (lookahead_ || options_.cff == Cff::delta))
    score -= weights_[cff_of(tree.slot(slot).which)] * closed_bound(tree.slot(slot));
  // At the start the words within the rule are all there is, and those with a complete context are
  // part of the candidate's score.
  const double kappa = lookahead_ ? 1 : options_.kappa;
  if (lm_weight_ == 0 || (start && kappa == 0)) return score;
  const float within = candidate.lm;
  if (lookahead_) {
    const FilledYield& filled = tree.filled();
    const float change = start ? filled.change(tree, edge, counters_)
                               : filled.change(tree, edge, slot, outlook, counters_);
    return score + lm_weight_ * (double{change} - outlook.base - within);
  }
  // Of the words, the bound has counted those within alone.
  const double budget = (most - least) / lm_weight_ - within;
  if (!tree.change(edge, slot, lazy_ ? budget : kNoLimit, kappa, lm, counters_)) return -kNoLimit;
  return score + lm_weight_ * (lm.complete - within + kappa * lm.estimate);
}

// Among actions on one slot the lower edge wins a tie.
PartialTree::Best UndirectedSearch::best_of(const PartialTree& tree, uint32_t slot,
                                            const Outlook& outlook) {
  const uint32_t list = list_of(tree, slot);
  const double bound = bound_of(tree, slot, outlook);
  PartialTree::Best best;
  best.score = -kNoLimit;
  double second = -kNoLimit;
  const double& least = options_.turn == Turn::margin ? second : best.score;
  for (size_t i = 0; const Candidate* candidate = lists_.at(list, i); ++i) {
    const double most = candidate->score + bound;
    if (lazy_ && best.valid && most < least) break;
    LmChange lm;
    const double score = exact(tree, slot, outlook, *candidate, lm, most, least);
    const EdgeChoice edge{candidate->group, candidate->place, candidate->child};
    if (!best.valid || score > best.score || (score == best.score && edge < best.edge)) {
      second = best.score;
      best = {true, true, score, 0, edge, lm};
    } else {
      second = std::max(second, score);
    }
  }
  best.margin = best.score - second;
  return best;
}

void UndirectedSearch::find_best(PartialTree& tree, uint32_t slot) {
  PartialTree::Slot& at = tree.slot(slot);
  if (lookahead_) {
    const Outlook outlook = tree.filled().outlook(tree, slot);
    if (at.best.known && !sparse_.on() && outlook == at.outlook) {
      at.best.valid = true;  // what changed was out of sight
      return;
    }
    at.outlook = outlook;
  }
  at.best = best_of(tree, slot, at.outlook);
}

double UndirectedSearch::local_score(const PartialTree& tree, const EdgeChoice& edge) const {
  return grammar_->score(tree.rule(edge), forest_->passed()[edge.group]);
}

Action UndirectedSearch::action_of(const PartialTree& tree, uint32_t slot, const EdgeChoice& edge,
                                   double score, const LmChange& lm) const {
  Action action{edge, slot, 0, score, 0, lm, {}, {}};
  const bool down = slot != kNoSlot && tree.slot(slot).which != kHeadSlot;
  const RuleGroup& group = forest_->group(edge.group);
  action.local = local_score(tree, edge);
  if (options_.cff == Cff::off) return action;
  const uint32_t child = slot == kNoSlot || down ? kNoTail : edge.child;
  action.cff = lists_.bounds(group, child, !down);
  if (options_.cff == Cff::delta && slot != kNoSlot)
    action.cff[cff_of(tree.slot(slot).which)] -= closed_bound(tree.slot(slot));
  return action;
}

bool UndirectedSearch::best_action(PartialTree& tree, Action& action) {
  uint32_t best = kNoSlot;
  const auto claim = [&](uint32_t slot) {
    const PartialTree::Best& found = tree.slot(slot).best;
    return options_.turn == Turn::margin ? found.margin : found.score;
  };
  for (const uint32_t slot : tree.open()) {
    if (options_.turn == Turn::age && best != kNoSlot) break;
    if (!tree.slot(slot).best.valid) find_best(tree, slot);
    if (best == kNoSlot || claim(slot) > claim(best)) best = slot;
  }
  if (best == kNoSlot) return false;
  const PartialTree::Best& found = tree.slot(best).best;
  action = action_of(tree, best, found.edge, found.score, found.lm);
  return true;
}

// The action's features become those of the tree as it is: a stale score may have missed words that
// stand beside the gap by now.
void UndirectedSearch::apply(PartialTree& tree, Action& action, Trajectory& path) {
  const bool start = action.slot == kNoSlot;
  action.choices = choices(tree);
  ++(start                                       ? counters_.starts
     : tree.slot(action.slot).which == kHeadSlot ? counters_.ups
                                                 : counters_.downs);
  if (sparse_.on() && !start)
    action.sparse = sparse_.of(tree, action.edge, action.slot, tree.slot(action.slot).carry);
  action.lm = tree.grow(action.edge, action.slot, counters_);
  path.score += action.local + lm_weight_ * action.lm.complete;
  path.actions.push_back(action);
}

void UndirectedSearch::follow(PartialTree& tree, Trajectory& path) {
  for (Action action; best_action(tree, action);) apply(tree, action, path);
}

void UndirectedSearch::replay(const Trajectory& path, size_t steps, PartialTree& tree) {
  LmCounters uncounted;
  begin_tree(tree);
  for (size_t t = 0; t < steps; ++t)
    tree.grow(path.actions[t].edge, path.actions[t].slot, uncounted);
}

bool UndirectedSearch::worse(const Entry& a, const Entry& b) {
  if (a.score != b.score) return a.score < b.score;
  if (a.exact != b.exact) return a.exact;  // what may be better is looked at first
  if (a.slot != b.slot) return a.slot > b.slot;
  const Candidate& x = a.candidate;
  const Candidate& y = b.candidate;
  return EdgeChoice{y.group, y.place, y.child} < EdgeChoice{x.group, x.place, x.child};
}

void UndirectedSearch::rank(const PartialTree& tree, size_t count, std::vector<Action>& actions) {
  actions.clear();
  heap_.clear();
  outlooks_.clear();
  const auto push = [&](uint32_t slot, uint32_t outlook, uint32_t index) {
    const Candidate* candidate = lists_.at(list_of(tree, slot), index);
    if (candidate == nullptr) return false;
    Entry entry{0, !lazy_, slot, outlook, index, *candidate, {}};
    if (lazy_)
      entry.score = candidate->score + bound_of(tree, slot, outlooks_[outlook]);
    else
      entry.score = exact(tree, slot, outlooks_[outlook], *candidate, entry.lm);
    heap_.push_back(entry);
    std::push_heap(heap_.begin(), heap_.end(), worse);
    return true;
  };
  const auto push_first = [&](uint32_t slot) {
    const auto number = static_cast<uint32_t>(outlooks_.size());
    outlooks_.push_back(outlook(tree, slot));
    for (uint32_t i = 0; push(slot, number, i) && !lazy_;) ++i;
  };
  if (tree.steps().empty()) push_first(kNoSlot);
  for (const uint32_t slot : tree.open()) push_first(slot);
  while (actions.size() < count && !heap_.empty()) {
    std::pop_heap(heap_.begin(), heap_.end(), worse);
    Entry entry = heap_.back();
    heap_.pop_back();
    if (entry.exact) {
      const Candidate& c = entry.candidate;
      actions.push_back(
          action_of(tree, entry.slot, {c.group, c.place, c.child}, entry.score, entry.lm));
      continue;
    }
    entry.score = exact(tree, entry.slot, outlooks_[entry.outlook], entry.candidate, entry.lm);
    entry.exact = true;
    heap_.push_back(entry);
    std::push_heap(heap_.begin(), heap_.end(), worse);
    push(entry.slot, entry.outlook, entry.index + 1);
  }
}

void UndirectedSearch::decode(Trajectory& path) {
  run(path, options_.restarts, options_.beam);
  if (options_.repairs > 0) repair(path);
}

void UndirectedSearch::roll_out(Trajectory& path) { run(path, 1, 1); }

void UndirectedSearch::run(Trajectory& path, uint32_t restarts, uint32_t beam) {
  run_once(path, restarts, beam);
  if (lazy_ && counters_.highest > kProper) {
    lazy_ = false;  // for the rest of the sentence
    run_once(path, restarts, beam);
  }
  counters_.actions += lists_.scored() - counted_;
  counted_ = lists_.scored();
}

void UndirectedSearch::run_once(Trajectory& path, uint32_t restarts, uint32_t beam) {
  begin_tree(tree_);
  if (restarts == 1) {
    const PartialTree::Best best = best_of(tree_, kNoSlot, {});
    starts_.assign(1, action_of(tree_, kNoSlot, best.edge, best.score, best.lm));
  } else {
    rank(tree_, restarts, starts_);
  }
  for (size_t i = 0; i < starts_.size(); ++i) {
    if (i == 0) {
      run_from(starts_[i], beam, tree_, path);
      continue;
    }
    run_from(starts_[i], beam, other_tree_, other_path_);
    if (other_path_.score > path.score) {
      std::swap(other_path_, path);
      std::swap(other_tree_, tree_);
    }
  }
}

void UndirectedSearch::run_from(Action start, uint32_t beam, PartialTree& tree, Trajectory& path) {
  path.actions.clear();
  path.score = 0;
  begin_tree(tree);
  apply(tree, start, path);
  // A beam copies its trees at each step, which is quadratic in the words.
  const bool narrow = beam <= 1 || forest_->node(forest_->goal()).end > kBeamWords;
  if (narrow)
    follow(tree, path);
  else
    run_beam(beam, tree, path);
}

}  // namespace demotic::decode::umt
