// The language model on both sides of a gap: what a word is worth whose context is still open.
//
// The yield of a partial tree is a list of words and gaps; runs are its stretches without gaps.  A
// word is complete if its run holds order - 1 words before it or reaches <s>: its score is final.
// All others are incomplete and have an estimate from the shorter context that is known.
//
//   Carry: one for each gap.             words after it, which what fills the gap may complete, and
//                                        the context before it
//   LmWalk walk(model, recorder);        from left to right over words and junctions:
//   walk.context(state, known);          after the words before a gap
//   walk.word(id);                       a word that is new
//   walk.rescore(carry, end);            words that were there, after a junction
//   walk.gap();                          what comes next stands after a gap
//   walk.change()                        of the sums over complete and over incomplete words
//
// Only new words and the first order - 1 words after a junction can change their scores.  The
// recorder is told of every incomplete word that is new after the gap before it, and of what each
// word costs; when it is done no further words are looked up.
#pragma once

#include <array>
#include <cstdint>

#include "counters.h"
#include "lm/model.h"

namespace demotic::decode::umt {

inline constexpr uint32_t kNoWord = UINT32_MAX;

struct LmChange {
  double complete = 0;  // log10
  double estimate = 0;
};

struct LmCounters {
  uint64_t evaluations = 0;  // actions
  uint64_t words = 0;
  float highest = -1e30f;  // log10 of any of them; of no use in sums

  static constexpr auto kFields =
      std::tuple{CounterField{"lm_evaluations", &LmCounters::evaluations},
                 CounterField{"lm_words", &LmCounters::words}};
};

// The open head of a partial tree is a gap as well, outside in: the words after it are those at the
// left edge of the yield, the context before it is that at the right edge.
struct Carry {
  lm::State state;          // after the words before the gap, as far as they are known
  uint32_t known = 0;       // how many of them, at most order - 1; order - 1 if they reach <s>
  uint32_t count = 0;       // words after the gap up to the next one, at most order - 1
  bool gapless = false;     // of a head: the yield has no gap
  uint32_t last = kNoWord;  // the word before the gap
  std::array<uint32_t, lm::kMaxOrder - 1> words;
  std::array<float, lm::kMaxOrder - 1> paid;  // log10 for each, from those before it in `words`

  void append(uint32_t word, float prob) {
    words[count] = word;
    paid[count++] = prob;
  }
  // The words next to the gap, or kNoWord; a model of order 1 does not keep track of them.
  uint32_t before() const { return known > 0 ? last : kNoWord; }
  uint32_t after() const { return count > 0 ? words[0] : kNoWord; }
  double estimate() const {
    double sum = 0;
    for (uint32_t i = 0; i < count; ++i) sum += paid[i];
    return sum;
  }
};

struct NoRecorder {
  void incomplete(uint32_t, float) {}
  void paid(float, bool) {}
  bool done() const { return false; }
};

template <class Recorder>
class LmWalk {
 public:
  LmWalk(const lm::Model& model, Recorder& recorder)
      : model_(model), recorder_(recorder), reach_(model.order() - 1), state_{} {}

  void context(const lm::State& state, uint32_t known, uint32_t last) {
    state_ = state;
    known_ = known;
    last_ = last;
  }
  void context(const Carry& before) { context(before.state, before.known, before.last); }
  void gap() {
    state_ = model_.empty_context();
    known_ = 0;
    last_ = kNoWord;
  }
  void word(uint32_t id) {
    if (recorder_.done()) return;
    ++lookups_;
    pay(id, look_up(id));
    last_ = id;
  }

  // `end` is the state after the last of the words as it was, or nullptr if nobody asks for the
  // state after them.
  void rescore(const Carry& after, const lm::State* end) {
    if (after.count > 0) last_ = after.words[after.count - 1];
    for (uint32_t i = 0; i < after.count && !recorder_.done(); ++i) {
      if (state_.length <= i) {  // older words than these cannot matter any more
        for (; i < after.count; ++i) repay(after.words[i], after.paid[i], after.paid[i]);
        if (end != nullptr) state_ = *end;
        return;
      }
      ++lookups_;
      repay(after.words[i], look_up(after.words[i]), after.paid[i]);
    }
  }

  const lm::State& state() const { return state_; }
  uint32_t known() const { return known_; }
  uint32_t last() const { return last_; }
  void write_context(Carry& carry) const {
    carry.state = state_;
    carry.known = known_;
    carry.last = last_;
  }
  uint32_t reach() const { return reach_; }
  uint64_t lookups() const { return lookups_; }
  const LmChange& change() const { return change_; }
  float highest() const { return highest_; }  // log10 of all words looked up

 private:
  float look_up(uint32_t id) {
    const float prob = model_.score(state_, id, state_).prob;
    highest_ = std::max(highest_, prob);
    return prob;
  }
  void pay(uint32_t id, float prob) {
    recorder_.paid(prob, known_ >= reach_);
    if (known_ >= reach_) {
      change_.complete += prob;
      return;
    }
    change_.estimate += prob;
    recorder_.incomplete(id, prob);
    ++known_;
  }
  void repay(uint32_t id, float prob, float paid) {
    change_.estimate -= paid;
    pay(id, prob);
  }

  const lm::Model& model_;
  Recorder& recorder_;
  uint32_t reach_;
  uint32_t known_ = 0;
  uint32_t last_ = kNoWord;
  lm::State state_;
  LmChange change_;
  uint64_t lookups_ = 0;
  float highest_ = -1e30f;
};

}  // namespace demotic::decode::umt
