// Fragments by number, each once, and what it costs to put them together, worked out once: for
// decoders that join the same pieces over and over.
//
//   1. FragmentMemo memo(model);
//      memo.clear();                        of the next sentence: numbers begin anew
//   2. MemoScorer scorer(memo);             as chart.h's FragmentScorer: begin_sentence(),
//      scorer.terminal(id); ...             terminal(id), nonterminal(number of a fragment)
//   3. FragmentNumber made = scorer.finish(change);   log10; add the children's own scores to it
//
// Scores are those of a FragmentScorer, to the last digit; fragments that are equal get the same
// number, so that they are compared and hashed as two integers.
//
// A rule read from left to right is a walk from place to place.  A place is a right state, and
// whether the left side is still open; if it is, the state holds all words so far, and the left
// side follows from it.  So what a word or a fragment adds behind a place, and where that leads,
// depends on the place alone.  The words and the edges of fragments that come up in a sentence are
// few: most steps of a walk are found again, and the model's tables, which no cache holds, are left
// alone.
#pragma once

#include <cstdint>
#include <vector>

#include "hash_index.h"
#include "lm/chart.h"
#include "lm/model.h"

namespace demotic::lm {

// Equal for fragments that are equal.
struct FragmentNumber {
  uint32_t left = 0;   // twice that of the left side; odd if it is full
  uint32_t right = 0;  // of the right state

  bool operator==(const FragmentNumber&) const = default;
  uint64_t key() const { return uint64_t{left} << 32 | right; }
  uint64_t hash() const { return io::mix64(key()); }
};

class FragmentMemo {
 public:
  explicit FragmentMemo(const Model& model);

  void clear();
  FragmentNumber empty() const { return {empty_left_, 0}; }

 private:
  friend class MemoScorer;

  // Of right states, twice their number; odd if the left side is done.
  using Place = uint32_t;

  struct Left {
    uint64_t keys[kMaxOrder - 1];
    float probs[kMaxOrder - 1];
    uint32_t length;
  };
  // A word behind a place.
  struct WordStep {
    Place place;
    uint32_t word;
    Place next;
    uint32_t left;  // the side that it leads to from an open place
    float change;
  };
  // A fragment behind a place; only its left side matters to what changes.
  struct JoinStep {
    Place place;
    uint32_t in;
    Place next;  // kOfFragment + 0 or 1: its right state
    uint32_t left;
    uint32_t changes;
    // One after another, so that a sum is what it would be without the memo: all open n-grams of
    // the fragment and all back-offs, fewer than the model's order together.
    float change[kMaxOrder - 1];
  };
  static constexpr Place kOfFragment = UINT32_MAX - 1;
  static constexpr uint32_t kFirstWithWords = 2;  // the first left side has none

  const WordStep& step(Place place, uint32_t left, uint32_t word) {
    const uint64_t hash = hash_of(place, word);
    const uint32_t number = word_index_.find(hash, [&](uint32_t i) {
      return word_steps_[i].place == place && word_steps_[i].word == word;
    });
    if (number == HashIndex::kNone) [[unlikely]]
      return add_step(hash, place, left, word);
    return word_steps_[number];
  }
  const JoinStep& step(Place place, uint32_t left, FragmentNumber in) {
    const uint64_t hash = hash_of(place, in.left);
    const uint32_t number = join_index_.find(hash, [&](uint32_t i) {
      return join_steps_[i].place == place && join_steps_[i].in == in.left;
    });
    if (number == HashIndex::kNone) [[unlikely]]
      return add_step(hash, place, left, in);
    return join_steps_[number];
  }
  static uint64_t hash_of(Place place, uint32_t with) {
    const uint64_t product = (uint64_t{place} << 32 | with) * 0x9e3779b97f4a7c15ull;
    return product ^ product >> 32;
  }

  const WordStep& add_step(uint64_t hash, Place place, uint32_t left, uint32_t word);
  const JoinStep& add_step(uint64_t hash, Place place, uint32_t left, FragmentNumber in);
  Fragment fragment(FragmentNumber number) const;
  uint32_t number_of(const State& state);
  Place place_of(const State& state, bool done) {
    return number_of(state) * 2 + static_cast<uint32_t>(done);
  }
  uint32_t number_of_left(const Fragment& of, bool done);

  const Model& model_;
  uint32_t empty_left_ = 0;  // of no words
  Place begin_ = 0;          // behind "<s>"
  std::vector<State> states_;
  HashIndex state_index_;
  std::vector<Left> lefts_;
  HashIndex left_index_;
  std::vector<WordStep> word_steps_;
  HashIndex word_index_;
  std::vector<JoinStep> join_steps_;
  HashIndex join_index_;
};

class MemoScorer {
 public:
  // Where scoring has come to.
  struct Opening {
    uint32_t place = 0;
    uint32_t left = 0;
    float change = 0;
  };

  explicit MemoScorer(FragmentMemo& memo) : memo_(memo) { at_.left = memo.empty_left_; }
  MemoScorer(FragmentMemo& memo, const Opening& opening) : memo_(memo), at_(opening) {}
  const Opening& opening() const { return at_; }

  void begin_sentence() { at_ = {memo_.begin_, 1, 0}; }

  void terminal(uint32_t word) {
    const FragmentMemo::WordStep& step = memo_.step(at_.place, at_.left, word);
    at_.change += step.change;
    if (is_open()) at_.left = step.left;
    at_.place = step.next;
  }

  void nonterminal(FragmentNumber in) {
    if (at_.place == 0 && in.left >= FragmentMemo::kFirstWithWords) {  // nothing comes before
      at_.place = in.right * 2 + in.left % 2;
      at_.left = in.left;
      return;
    }
    const FragmentMemo::JoinStep& step = memo_.step(at_.place, at_.left, in);
    for (uint32_t i = 0; i < step.changes; ++i) at_.change += step.change[i];
    if (is_open()) at_.left = step.left;
    at_.place = step.next < FragmentMemo::kOfFragment
                    ? step.next
                    : in.right * 2 + (step.next - FragmentMemo::kOfFragment);
  }

  // The fragment; `change` becomes the log10 that it adds to its parts.
  FragmentNumber finish(float& change) const {
    change = at_.change;
    return {at_.left, at_.place / 2};
  }

 private:
  bool is_open() const { return at_.place % 2 == 0; }

  FragmentMemo& memo_;
  Opening at_;
};

}  // namespace demotic::lm
