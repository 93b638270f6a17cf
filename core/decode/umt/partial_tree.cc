#include "decode/umt/partial_tree.h"

#include <algorithm>

namespace demotic::decode::umt {

namespace {

// Looks, changes nothing.
struct Onlooker : NoRecorder {
  double budget;
  double kappa;

  Onlooker(double budget, double kappa) : budget(budget), kappa(kappa) {}
  void paid(float prob, bool complete) { budget += complete ? prob : kappa * prob; }
  bool done() const { return budget < 0; }
  void gap(uint32_t, const LmWalk<Onlooker>&) {}
  void refresh(uint32_t, const LmWalk<Onlooker>&) {}
  void splice(const PartialTree::Slot&) {}
};

}  // namespace

// Writes what it is told into the tree.
struct PartialTree::Grower : NoRecorder {
  PartialTree& tree;
  ByTail made;      // slots of the new step's tails
  uint32_t cursor;  // the gap before the word at hand

  void incomplete(uint32_t word, float prob) {
    Slot& before = tree.slots_[cursor];
    before.carry.append(word, prob);
    before.best.valid = false;
  }
  void follow(uint32_t gap) {
    (cursor == kNoSlot ? tree.first_gap_ : tree.slots_[cursor].next) = gap;
    if (gap != kNoSlot) tree.slots_[gap].previous = cursor;
  }
  void gap(uint32_t tail, const LmWalk<Grower>& walk) {
    follow(made[tail]);
    cursor = made[tail];
    walk.write_context(tree.slots_[cursor].carry);
  }
  void refresh(uint32_t gap, const LmWalk<Grower>& walk) {
    Slot& after = tree.slots_[gap];
    walk.write_context(after.carry);
    after.best.valid = false;
  }
  // The gaps of the yield so far, between those of the new step.
  void splice(const Slot& head) {
    follow(head.next);
    cursor = head.previous;
  }
};

void PartialTree::begin(const UndirectedForest& forest, const ScoredGrammar& grammar, bool stale,
                        std::span<const lm::Fragment> branches,
                        std::span<const Surroundings> surroundings) {
  forest_ = &forest;
  grammar_ = &grammar;
  lm_model_ = grammar.lm();
  stale_ = stale && lm_model_ != nullptr;
  steps_.clear();
  slots_.clear();
  frozen_.clear();
  open_.clear();
  head_ = kNoSlot;
  first_gap_ = kNoSlot;
  if (lm_model_ == nullptr) branches = {};
  filled_.begin(lm_model_, branches, surroundings);
  lm_ = {};
  signature_ = 0;
}

// The tree's own yield in the place of a slot of the edge above it.
template <class Recorder>
void PartialTree::through_yield(const Slot& head, const Carry& carry, LmWalk<Recorder>& walk,
                                Recorder& recorder) const {
  if (carry.gapless) {
    const bool short_yield = carry.known < walk.reach();  // then `carry` holds all its words
    walk.rescore(carry, short_yield ? &carry.state : nullptr);
    if (!short_yield) walk.context(carry);
    return;
  }
  const bool reaches_gap = carry.count < walk.reach();
  walk.rescore(carry, reaches_gap ? &slots_[head.next].carry.state : nullptr);
  if (reaches_gap) recorder.refresh(head.next, walk);
  recorder.splice(head);
  walk.context(carry);
}

template <class Recorder>
void PartialTree::walk(const EdgeChoice& edge, const Slot* slot, const Carry* carry,
                       LmWalk<Recorder>& walk, Recorder& recorder) const {
  const bool down = slot != nullptr && slot->which != kHeadSlot;
  const bool up = slot != nullptr && !down;
  const auto nonterminal = [&](uint32_t k) {
    if (up && k == edge.child) {
      through_yield(*slot, *carry, walk, recorder);
    } else {
      recorder.gap(k, walk);
      walk.gap();
    }
  };
  if (down) walk.context(*carry);
  each_symbol(
      edge,
      [&] { walk.context(lm_model_->begin_sentence(), walk.reach(), lm_model_->begin_word()); },
      [&](uint32_t word) { walk.word(word); }, nonterminal);
  if (!down) return;
  const bool reaches_gap = slot->next != kNoSlot && carry->count < walk.reach();
  walk.rescore(*carry, reaches_gap ? &slots_[slot->next].carry.state : nullptr);
  if (reaches_gap) recorder.refresh(slot->next, walk);
}

bool PartialTree::change(const EdgeChoice& edge, uint32_t slot, double budget, double kappa,
                         LmChange& made, LmCounters& counters) const {
  made = {};
  if (lm_model_ == nullptr) return true;
  Onlooker recorder(budget, kappa);
  LmWalk<Onlooker> walk(*lm_model_, recorder);
  this->walk(edge, slot == kNoSlot ? nullptr : &slots_[slot],
             slot == kNoSlot ? nullptr : &carry(slot), walk, recorder);
  ++counters.evaluations;
  counters.words += walk.lookups();
  counters.highest = std::max(counters.highest, walk.highest());
  made = walk.change();
  return !recorder.done();
}

uint32_t PartialTree::open_slot(uint32_t node, uint32_t step, uint32_t which) {
  const auto number = static_cast<uint32_t>(slots_.size());
  slots_.push_back({node, step, which, number, number, {}, {}, {}});
  open_.push_back(number);
  return number;
}

// The best actions of gaps whose surroundings changed, as far as the language model looks.
void PartialTree::outdate(uint32_t from, uint32_t Slot::* link) {
  for (uint32_t i = 0; i < lm_model_->order() && from != kNoSlot; ++i) {
    slots_[from].best.valid = false;
    if (slots_[from].which == kHeadSlot) return;
    from = slots_[from].*link;
  }
}

LmChange PartialTree::grow(const EdgeChoice& edge, uint32_t slot, LmCounters& counters) {
  const RuleGroup& group = forest_->group(edge.group);
  const auto number = static_cast<uint32_t>(steps_.size());
  steps_.push_back({edge, slot, by_tail(UINT32_MAX)});
  signature_ += mark(edge);
  const bool down = slot != kNoSlot && slots_[slot].which != kHeadSlot;
  if (down) {
    steps_[slots_[slot].step].children[slots_[slot].which] = number;
  } else if (slot != kNoSlot) {
    steps_[number].children[edge.child] = slots_[slot].step;
  }
  if (slot != kNoSlot) open_.erase(std::find(open_.begin(), open_.end(), slot));
  Grower grower{{}, *this, by_tail(kNoSlot), kNoSlot};
  for (uint32_t k = 0; k < group.arity; ++k)
    if (down || slot == kNoSlot || k != edge.child)
      grower.made[k] = open_slot(forest_->tails(group)[k], number, k);
  const bool has_head = !down && group.head != forest_->goal();
  if (has_head) grower.cursor = open_slot(group.head, number, kHeadSlot);
  if (lm_model_ == nullptr) return {};

  const uint32_t head = grower.cursor;
  const Slot* closed = slot == kNoSlot ? nullptr : &slots_[slot];
  if (down) grower.cursor = closed->previous;
  LmWalk<Grower> walk(*lm_model_, grower);
  this->walk(edge, closed, closed == nullptr ? nullptr : &closed->carry, walk, grower);
  if (down) {
    grower.follow(closed->next);
  } else {
    grower.follow(head);
    if (has_head) walk.write_context(slots_[head].carry);
  }
  ++counters.evaluations;
  counters.words += walk.lookups();
  counters.highest = std::max(counters.highest, walk.highest());
  lm_.complete += walk.change().complete;
  lm_.estimate += walk.change().estimate;
  if (!down) head_ = head;
  if (head_ != kNoSlot) slots_[head_].carry.gapless = slots_[head_].next == head_;
  if (filled_.on()) {
    filled_.grow(*this, edge, slot, grower.made, head);
    if (slot != kNoSlot) {
      outdate(closed->previous, &Slot::previous);
      outdate(closed->next, &Slot::next);
    }
  }
  if (stale_)
    for (auto gap = static_cast<uint32_t>(frozen_.size()); gap < slots_.size(); ++gap)
      frozen_.push_back(slots_[gap].carry);
  return walk.change();
}

PartialTree::Target PartialTree::target(const EdgeChoice& edge) const {
  Target made;
  const uint32_t rule = this->rule(edge);
  if (rule == kPassThrough) {
    made.first = made.last = forest_->passed()[edge.group];
  } else if (rule == kGoal && lm_model_ != nullptr) {
    made.left_of[0] = lm_model_->begin_word();
    made.right_of[0] = lm_model_->end_word();
  }
  if (rule >= kGlueFirst) return made;
  const io::PackedRow<text::Symbol> symbols = grammar_->table().target(rule);
  const auto word_at = [&](size_t i) {
    return i < symbols.size() && text::is_word(symbols[i]) ? grammar_->lm_word(symbols[i])
                                                           : kNoWord;
  };
  if (symbols.empty()) return made;
  made.first = word_at(0);
  made.last = word_at(symbols.size() - 1);
  for (size_t i = 0; i < symbols.size(); ++i) {
    if (text::is_word(symbols[i])) continue;
    made.left_of[text::slot_of(symbols[i])] = i == 0 ? kNoWord : word_at(i - 1);
    made.right_of[text::slot_of(symbols[i])] = word_at(i + 1);
  }
  return made;
}

}  // namespace demotic::decode::umt
