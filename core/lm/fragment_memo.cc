#include "lm/fragment_memo.h"

#include <algorithm>
#include <cstring>

namespace demotic::lm {

FragmentMemo::FragmentMemo(const Model& model) : model_(model) { clear(); }

void FragmentMemo::clear() {
  states_.clear();
  state_index_.clear();
  lefts_.clear();
  left_index_.clear();
  word_steps_.clear();
  word_index_.clear();
  join_steps_.clear();
  join_index_.clear();
  number_of(State{});
  empty_left_ = number_of_left(Fragment{}, false);
  begin_ = place_of(model_.begin_sentence(), true);
}

uint32_t FragmentMemo::number_of(const State& state) {
  const auto next = static_cast<uint32_t>(states_.size());
  const uint32_t number =
      state_index_.find_or_add(state.hash(), next, [&](uint32_t i) { return states_[i] == state; });
  if (number == next) states_.push_back(state);
  return number;
}

uint32_t FragmentMemo::number_of_left(const Fragment& of, bool done) {
  const uint32_t length = of.left_length;
  const auto next = static_cast<uint32_t>(lefts_.size());
  const uint64_t hash = io::mix64((length == 0 ? 0 : of.left_keys[length - 1]) + length);
  const uint32_t number = left_index_.find_or_add(hash, next, [&](uint32_t i) {
    return lefts_[i].length == length &&
           std::equal(of.left_keys, of.left_keys + length, lefts_[i].keys);
  });
  if (number == next) {
    Left& made = lefts_.emplace_back();
    std::memcpy(made.keys, of.left_keys, sizeof made.keys);
    std::memcpy(made.probs, of.left_probs, sizeof made.probs);
    made.length = length;
  }
  return number * 2 + static_cast<uint32_t>(done || length + 1 >= model_.order());
}

Fragment FragmentMemo::fragment(FragmentNumber number) const {
  const Left& left = lefts_[number.left / 2];
  Fragment made;
  std::memcpy(made.left_keys, left.keys, sizeof left.keys);
  std::memcpy(made.left_probs, left.probs, sizeof left.probs);
  made.left_length = static_cast<uint8_t>(left.length);
  made.left_full = number.left % 2;
  made.zero = 0;
  made.right = states_[number.right];
  return made;
}

const FragmentMemo::WordStep& FragmentMemo::add_step(uint64_t hash, Place place, uint32_t left,
                                                     uint32_t word) {
  word_index_.add(hash, static_cast<uint32_t>(word_steps_.size()));
  if (place % 2 == 1) {  // nothing is left to know of the left side
    State right;
    const float prob = model_.score(states_[place / 2], word, right).prob;
    return word_steps_.emplace_back(WordStep{place, word, place_of(right, true), 0, prob});
  }
  Fragment made;
  FragmentScorer scorer(model_, made, {fragment({left, place / 2}), 0, false});
  scorer.terminal(word);
  const FragmentScorer::Opening after = scorer.opening();
  return word_steps_.emplace_back(WordStep{place, word, place_of(made.right, after.left_done),
                                           number_of_left(made, after.left_done), after.prob});
}

const FragmentMemo::JoinStep& FragmentMemo::add_step(uint64_t hash, Place place, uint32_t left,
                                                     FragmentNumber in) {
  join_index_.add(hash, static_cast<uint32_t>(join_steps_.size()));
  JoinStep step{place, in.left, 0, 0, 0, {}};
  // What FragmentScorer does with the left side, and each change by itself.
  struct Seam {
    JoinStep& step;
    Fragment& made;
    bool done;
    void add(float change) { step.change[step.changes++] = change; }
    void charge(const Score& s, float paid) {
      add(s.prob - paid);
      done = done || s.independent_left || made.left_length == kMaxOrder - 1;
      if (done) return;
      made.left_keys[made.left_length] = s.key;
      made.left_probs[made.left_length++] = s.prob;
    }
    void charge_backoffs(const float* backoffs, unsigned count) {
      for (unsigned i = 0; i < count; ++i) add(backoffs[i]);
    }
    void close() { done = true; }
    void take(const Fragment&) { done = true; }  // behind no words, nothing is remembered
  };
  const Fragment piece = fragment(in);
  Fragment made = fragment({left, place / 2});
  Seam seam{step, made, place % 2 == 1};
  State& right = made.right;
  join(model_, right, piece, seam);
  const bool done = seam.done;
  if (place % 2 == 0) step.left = number_of_left(made, done);
  step.next =
      right == piece.right ? kOfFragment + static_cast<uint32_t>(done) : place_of(right, done);
  return join_steps_.emplace_back(step);
}

}  // namespace demotic::lm
