#include "decode/umt/filled_yield.h"

#include <optional>

#include "decode/umt/partial_tree.h"

namespace demotic::decode::umt {

// Writes one run after the other.
class FilledYield::Runs {
 public:
  Runs(FilledYield& yield, lm::Fragment& first) : yield_(yield) { start(first); }

  void begin_sentence() { scorer_->begin_sentence(); }
  void word(uint32_t id) { scorer_->terminal(id); }
  void piece(const lm::Fragment& run) { scorer_->nonterminal(run); }
  void start(lm::Fragment& run) {
    to_ = &run;
    scorer_.emplace(*yield_.model_, made_);
  }
  void finish() {
    scorer_->finish();
    *to_ = made_;
  }

 private:
  FilledYield& yield_;
  lm::Fragment* to_ = nullptr;
  lm::Fragment made_;
  std::optional<lm::FragmentScorer> scorer_;
};

void FilledYield::grow(const PartialTree& tree, const EdgeChoice& edge, uint32_t closed,
                       std::span<const uint32_t> made, uint32_t head) {
  runs_.resize(tree.slots());
  const bool down = closed != kNoSlot && tree.slot(closed).which != kHeadSlot;
  const bool up = closed != kNoSlot && !down;
  const uint32_t before = down ? tree.slot(closed).previous : head;
  lm::Fragment& first = before == kNoSlot ? first_run_ : runs_[before];
  const lm::Fragment so_far = first;
  Runs runs(*this, first);
  if (down) runs.piece(so_far);
  const auto nonterminal = [&](uint32_t k) {
    if (!up || k != edge.child) {
      runs.finish();
      runs.start(runs_[made[k]]);
      return;
    }
    runs.piece(runs_[closed]);
    const PartialTree::Slot& old_head = tree.slot(closed);
    if (old_head.previous == closed) return;  // without gaps
    runs.finish();
    const lm::Fragment last = runs_[old_head.previous];
    runs.start(runs_[old_head.previous]);
    runs.piece(last);
  };
  tree.each_symbol(
      edge, [&] { runs.begin_sentence(); }, [&](uint32_t word) { runs.word(word); }, nonterminal);
  if (down) runs.piece(runs_[closed]);
  runs.finish();
}

bool FilledYield::append(const PartialTree& tree, uint32_t& gap, lm::FragmentScorer& scorer,
                         lm::Fragment& made) const {
  for (; gap != kNoSlot && tree.slot(gap).which != kHeadSlot; gap = tree.slot(gap).next) {
    scorer.finish();
    if (made.left_full) return false;
    scorer.nonterminal(branches_[tree.slot(gap).node]);
    scorer.nonterminal(runs_[gap]);
  }
  return true;
}

// After what stands before a gap: as many branches and runs as there are words in a context.
lm::State FilledYield::context(const PartialTree& tree, uint32_t gap) const {
  uint32_t from = tree.slot(gap).previous;
  for (uint32_t i = 1; i < model_->order() && from != kNoSlot && tree.slot(from).which != kHeadSlot;
       ++i)
    from = tree.slot(from).previous;
  lm::Fragment made;
  lm::FragmentScorer scorer(*model_, made);
  if (from == kNoSlot) {
    scorer.nonterminal(first_run_);
    from = tree.first_gap();
  } else {
    const uint32_t node = tree.slot(from).node;
    if (tree.slot(from).which == kHeadSlot)
      scorer.begin(surroundings_[node].before);
    else
      scorer.nonterminal(branches_[node]);
    scorer.nonterminal(runs_[from]);
    from = tree.slot(from).next;
  }
  for (; from != gap; from = tree.slot(from).next) {
    scorer.nonterminal(branches_[tree.slot(from).node]);
    scorer.nonterminal(runs_[from]);
  }
  scorer.finish();
  return made.right;
}

Outlook FilledYield::outlook(const PartialTree& tree, uint32_t slot) const {
  const PartialTree::Slot& at = tree.slot(slot);
  Outlook made;
  made.base = 0;
  lm::FragmentScorer after(*model_, made.right);
  after.nonterminal(runs_[slot]);
  uint32_t end = at.next;
  const bool whole = append(tree, end, after, made.right);
  if (whole && end != kNoSlot && at.which != kHeadSlot)
    after.nonterminal(surroundings_[tree.slot(end).node].after);
  after.finish();
  if (at.which == kHeadSlot) {
    made.left = {};  // nobody asks, but outlooks are compared
    if (!whole) {    // the left edge is known; the right edge is the context before the end
      made.right.right = context(tree, slot);
      made.right.left_full = true;
    }
    const Surroundings& outer = surroundings_[at.node];
    lm::Fragment unused;
    lm::FragmentScorer scorer(*model_, unused);
    scorer.begin(outer.before);
    scorer.nonterminal(made.right);
    scorer.nonterminal(outer.after);
    made.base = scorer.finish() - outer.seam;
    return made;
  }
  made.left = context(tree, slot);
  lm::Fragment unused;
  lm::FragmentScorer scorer(*model_, unused);
  scorer.begin(made.left);
  scorer.nonterminal(branches_[at.node]);
  scorer.nonterminal(made.right);
  made.base = scorer.finish();
  return made;
}

float FilledYield::change(const PartialTree& tree, const EdgeChoice& edge, uint32_t slot,
                          const Outlook& outlook, LmCounters& counters) const {
  if (tree.slot(slot).which == kHeadSlot)
    return around(tree, edge, edge.child, outlook.right, counters);
  const std::span<const uint32_t> tails = tree.tails(edge);
  lm::Fragment made;
  lm::FragmentScorer scorer(*model_, made);
  scorer.begin(outlook.left);
  ++counters.evaluations;
  tree.each_symbol(
      edge, [&] { scorer.begin_sentence(); },
      [&](uint32_t word) {
        scorer.terminal(word);
        ++counters.words;
      },
      [&](uint32_t k) { scorer.nonterminal(branches_[tails[k]]); });
  scorer.nonterminal(outlook.right);
  return scorer.finish();
}

float FilledYield::around(const PartialTree& tree, const EdgeChoice& edge, uint32_t child,
                          const lm::Fragment& yield, LmCounters& counters) const {
  const Surroundings& outer = surroundings_[tree.head(edge)];
  const std::span<const uint32_t> tails = tree.tails(edge);
  lm::Fragment made;
  lm::FragmentScorer scorer(*model_, made);
  scorer.begin(outer.before);
  ++counters.evaluations;
  tree.each_symbol(
      edge, [&] { scorer.begin_sentence(); },
      [&](uint32_t word) {
        scorer.terminal(word);
        ++counters.words;
      },
      [&](uint32_t k) { scorer.nonterminal(k == child ? yield : branches_[tails[k]]); });
  scorer.nonterminal(outer.after);
  return scorer.finish() - outer.seam;
}

}  // namespace demotic::decode::umt
