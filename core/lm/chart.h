// Language model scores of pieces of a sentence, put together in any order: for chart decoders, for
// phrases scored ahead of time, for anything that does not know its left context yet.
//
//   1. Keep a Fragment with every chart entry (plain data).
//   2. Fragment made;  FragmentScorer scorer(model, made);
//   3. Go through the rule from left to right:  scorer.terminal(id)  for a word,
//      scorer.nonterminal(child)  for a Fragment made before; the first call may be
//      scorer.begin_sentence(), or scorer.begin(state) behind words that are known already.
//      "<s>" is context, never a terminal; "</s>" is a terminal.
//   4. float change = scorer.finish();   add the children's own scores to it.
//      append(model, state, fragment)    for those who write from left to right alone.
//
// The sum of all changes below a Fragment is the log10 probability of its words, each given the
// words that the Fragment knows; when the sentence is complete (from begin_sentence to "</s>") it
// is the left-to-right score, whatever the bracketing.
//
// The left side holds those n-grams at the fragment's left edge which a longer one of the model
// might still extend; their probabilities change when words come before them.  Heafield, Koehn and
// Lavie (2012), "Language Model Rest Costs and Space-Efficient Storage", section 2, describe the
// idea and its rules for when the left side is `full`: closed to what comes before it.
#pragma once

#include <cstdint>
#include <cstring>
#include <type_traits>

#include "io/checksum.h"
#include "lm/model.h"

namespace demotic::lm {

struct Fragment {
  uint64_t left_keys[kMaxOrder - 1];  // of the first 1, 2, ... words
  float left_probs[kMaxOrder - 1];
  uint8_t left_length;
  uint8_t left_full;  // nothing that comes before can reach past the left side
  uint16_t zero;
  State right;

  // Fragments that are equal get equal scores in every context: they may be recombined.
  bool operator==(const Fragment& other) const {
    uint64_t differences = (left_length ^ other.left_length) | (left_full ^ other.left_full);
    for (unsigned i = 0; i < left_length; ++i) differences |= left_keys[i] ^ other.left_keys[i];
    return differences == 0 && right == other.right;
  }
  uint64_t hash() const {
    const uint64_t left = left_length == 0 ? 0 : left_keys[left_length - 1];
    return io::mix64(left ^ right.hash()) + (left_full ? 2 : 1) * uint64_t{left_length};
  }
};
static_assert(std::is_trivially_copyable_v<Fragment>);

// Fetches memory that nonterminal(in) behind `state` will look at; worth it some time before.
inline void fetch_seam(const Model& model, const State& state, const Fragment& in) {
  const unsigned open = std::min<unsigned>(in.left_length, 2);
  for (unsigned i = 0; i < open; ++i)
    model.fetch_left(state.words, state.length, in.left_keys[i], i + 1);
}

// Puts `in` behind `right`, which becomes the state behind both.  `left` is told what that changes:
// each word's score with what was paid for it before, back-offs, and whether the left side ends.
template <class Left>
void join(const Model& model, State& right, const Fragment& in, Left& left) {
  if (in.left_length == 0) {
    if (!in.left_full) return;  // no words at all
    left.charge_backoffs(right.backoffs, right.length);
    left.close();
    right = in.right;
    return;
  }
  if (right.length == 0) {  // nothing here can change the scores of `in`
    left.take(in);
    right = in.right;
    return;
  }
  // Each open n-gram of `in` is looked for again with the words of our right state before it. `use`
  // of those words still matter to the next one, `charged` are the back-offs of that history.
  float buffers[2][kMaxOrder];
  const float* charged = right.backoffs;
  unsigned use = right.length;
  for (unsigned i = 0; i < in.left_length; ++i) {
    float* next = buffers[i % 2];
    const float paid = in.left_probs[i];
    left.charge(model.extend_left(right.words, charged, in.left_keys[i], paid, i + 1, next, use),
                paid);
    charged = next;
    if (use != right.length) left.close();
    if (use == 0) {
      right = in.right;
      return;
    }
  }
  if (in.left_full) {
    left.charge_backoffs(charged, use);
    left.close();
    right = in.right;
    return;
  }
  // All words of `in` and `use` of ours make the new right state.
  const State ours = right;
  right = in.right;
  const unsigned shift = in.right.length;
  if (shift < in.left_length) return;  // it was cut short: ours are out of reach
  use = std::min(use, kMaxOrder - 1 - shift);
  for (unsigned i = 0; i < use; ++i) {  // a few words: no call
    right.words[shift + i] = ours.words[i];
    right.backoffs[shift + i] = charged[i];
  }
  right.length = shift + use;
}

// Log10 of the change when `in` comes behind `state`, which moves on: all that a decoder needs
// which writes from left to right.
inline float append(const Model& model, State& state, const Fragment& in) {
  struct {
    float prob = 0;
    void charge(const Score& s, float paid) { prob += s.prob - paid; }
    void charge_backoffs(const float* backoffs, unsigned count) {
      for (unsigned i = 0; i < count; ++i) prob += backoffs[i];
    }
    void close() {}
    void take(const Fragment&) {}
  } left;
  join(model, state, in, left);
  return left.prob;
}

class FragmentScorer {
 public:
  FragmentScorer(const Model& model, Fragment& out) : model_(model), out_(out) {
    std::memset(&out_, 0, sizeof out_);
  }

  // Where scoring has come to: what many begin with is scored once.
  struct Opening {
    Fragment fragment;
    float prob;
    bool left_done;
  };
  Opening opening() const { return {out_, prob_, left_done_}; }
  FragmentScorer(const Model& model, Fragment& out, const Opening& opening)
      : model_(model), out_(out), prob_(opening.prob), left_done_(opening.left_done) {
    out_ = opening.fragment;
  }

  void begin_sentence() { begin(model_.begin_sentence()); }

  // What follows stands behind these words; the Fragment will be closed to the left.
  void begin(const State& state) {
    out_.right = state;
    left_done_ = true;
  }

  void terminal(uint32_t word) {
    const unsigned before = out_.right.length;
    charge(model_.score(out_.right, word, out_.right), 0);
    // The right state was cut short, so no n-gram can span this word and all of those before it.
    if (out_.right.length != before + 1) left_done_ = true;
  }

  void nonterminal(const Fragment& in) { join(model_, out_.right, in, *this); }

  // Log10 of the change; the Fragment is complete.
  float finish() {
    out_.left_full = left_done_ || out_.left_length + 1u >= model_.order();
    return prob_;
  }

 private:
  template <class Left>
  friend void join(const Model& model, State& right, const Fragment& in, Left& left);

  // Adds a word's score, less what was paid for it before, and keeps its n-gram if it is still
  // open. An open n-gram reaches back to the left edge, so its score holds no back-off.
  void charge(const Score& s, float paid) {
    prob_ += s.prob - paid;
    if (left_done_) return;
    if (s.independent_left || out_.left_length == kMaxOrder - 1) {
      left_done_ = true;
      return;
    }
    out_.left_keys[out_.left_length] = s.key;
    out_.left_probs[out_.left_length++] = s.prob;
  }
  void charge_backoffs(const float* backoffs, unsigned count) {
    for (unsigned i = 0; i < count; ++i) prob_ += backoffs[i];
  }
  void close() { left_done_ = true; }
  // Behind nothing that could change its scores: its left side is ours, if we have none.
  void take(const Fragment& in) {
    if (left_done_ || out_.left_length > 0) {
      left_done_ = true;
      return;
    }
    std::memcpy(out_.left_keys, in.left_keys, sizeof in.left_keys);
    std::memcpy(out_.left_probs, in.left_probs, sizeof in.left_probs);
    out_.left_length = in.left_length;
    left_done_ = in.left_full;
  }

  const Model& model_;
  Fragment& out_;
  float prob_ = 0;
  bool left_done_ = false;
};

}  // namespace demotic::lm
