// Phrase-based search: translations grow from left to right, phrase by phrase, while the source is
// covered in any order that the distortion limit allows (Koehn, Och and Marcu 2003).
//
//   PhraseSearch search(model, options);
//   search.prepare(sentence);                 options and future costs
//   search.run();                             scratch memory is reused between sentences
//   search.best(), search.hypothesis(h).back  the best translation, from its end to its start
//   search.first_complete() ...               everything that covers the sentence
//
// A hypothesis is what matters for the rest: the words covered, where its last phrase ends, the
// language model's state; with lexicalised reordering also where the last phrase begins and its
// scores towards what follows.  Hypotheses that agree in that are one; the better arc stays, the
// others hang on it (for k-best lists and forests).  A stack holds those of equally many covered
// words, compared by score plus future cost.
//
// `cube`: hypotheses of a stack with the same coverage and last phrase, best first, times the
// options of a span, best first, make a grid; a heap takes the most promising cell of all grids
// that lead to a stack, `pops` times.  A cell's promise is what is known without asking the
// language model about the seam.  Otherwise every cell is taken and only `stack` and `threshold`
// prune. Ties fall to what was found first, so results never depend on the heap.
//
// Distortion limit d: a phrase begins at most d words from the end of the last one, and ends at
// most d words behind the first gap unless it begins there.  So the gap stays in reach, and as each
// word has an option of its own there is always a way to go on.
//
// Limits of the sentence (decode/zones.h): no phrase covers what they forbid; a zone that was begun
// is finished before anything else; it is begun before the words in front of it only if all of it
// is in reach; nothing behind a wall comes before all in front of it.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "counters.h"
#include "decode/phrase/coverage.h"
#include "decode/phrase/options.h"
#include "hash_index.h"

namespace demotic::decode::phrase {

struct PhraseSearchOptions {
  bool cube = true;
  uint32_t pops = 400;          // of each stack
  uint32_t stack = UINT32_MAX;  // hypotheses kept in each
  // Hypotheses worse than the best of their stack by more than this are dropped.
  double threshold = std::numeric_limits<double>::infinity();
  uint32_t distortion_limit = 6;  // kNoLimit: any order
  uint32_t table_limit = 20;      // options of each source phrase
  bool keep_alternatives = false;
  // Of the whole sentence.  When they are not enough for `pops` or `stack` in each stack, the
  // stacks share what there is.
  uint64_t max_hypotheses = 5'000'000;

  static constexpr uint32_t kNoLimit = UINT32_MAX;
};

struct PhraseSearchCounters {
  uint64_t options = 0;     // of all spans
  uint64_t grids = 0;       // hypotheses of one kind times options of one span
  uint64_t pops = 0;        // cells taken
  uint64_t discarded = 0;   // cells dropped before the language model saw them
  uint64_t hypotheses = 0;  // kept
  uint64_t recombined = 0;

  static constexpr auto kFields =
      std::tuple{CounterField{"options", &PhraseSearchCounters::options},
                 CounterField{"grids", &PhraseSearchCounters::grids},
                 CounterField{"pops", &PhraseSearchCounters::pops},
                 CounterField{"discarded", &PhraseSearchCounters::discarded},
                 CounterField{"hypotheses", &PhraseSearchCounters::hypotheses},
                 CounterField{"recombined", &PhraseSearchCounters::recombined}};
};

inline constexpr uint32_t kNoHypothesis = UINT32_MAX;
inline constexpr uint32_t kNoOption = UINT32_MAX;

// The last phrase of a hypothesis.
struct PhraseArc {
  uint32_t back = kNoHypothesis;
  uint32_t option = kNoOption;
  uint32_t begin = 0;
  float lm = 0;                       // log10 that this phrase adds
  uint32_t alternative = UINT32_MAX;  // arc to the same hypothesis; the list ends with UINT32_MAX
  uint32_t further = 0;  // where the search keeps what further language models add, log10
};

struct PhraseHypothesis {
  double score;
  PhraseArc arc;
  uint32_t end;
  uint32_t coverage;
};

class PhraseSearch {
 public:
  PhraseSearch(const PhraseModel& model, const PhraseSearchOptions& options)
      : model_(model),
        settings_(options),
        options_(model, options.table_limit),
        further_(model.grammar().further()) {}

  void prepare(const SourceSentence& sentence);  // of one word at least
  void run();
  void keep_alternatives(bool keep) { settings_.keep_alternatives = keep; }

  // Number 0 is the empty one; arcs lead from lower to higher numbers.
  uint32_t hypotheses() const { return static_cast<uint32_t>(hypotheses_.size()); }
  const PhraseHypothesis& hypothesis(uint32_t number) const { return hypotheses_[number]; }
  const PhraseArc& alternative(uint32_t number) const { return alternatives_[number]; }
  const PhraseOptions& options() const { return options_; }
  // Those that cover the sentence: numbers from first_complete() on.  `</s>` and what the last
  // phrase owes to it come on top of their scores.
  uint32_t first_complete() const { return first_complete_; }
  float end_lm(uint32_t complete) const { return end_lm_[complete - first_complete_]; }
  // Log10 that each further language model adds.
  std::span<const float> further_of(const PhraseArc& arc) const { return logs_at(arc.further); }
  std::span<const float> end_further(uint32_t complete) const {
    return logs_at(end_further_ + (complete - first_complete_) * further_);
  }
  uint32_t best() const { return best_; }
  uint32_t distortion_limit() const { return limit_; }  // that was used
  bool shortened() const { return shortened_; }         // was it lowered?
  double future_cost(uint32_t begin, uint32_t end) const { return future_(begin, end); }
  const PhraseSearchCounters& counters() const { return counters_; }

 private:
  // Hypotheses of one stack, next to each other, that cover the same words and end with a phrase at
  // the same place.
  struct Group {
    uint32_t first, count;
    uint32_t coverage, begin, end;
  };
  struct Grid {
    double constant;        // distortion and future cost of what is left
    uint32_t first, count;  // hypotheses
    OptionList list;
    uint32_t from;  // coverage
    uint32_t to;    // the one that it becomes; kNoCoverage until it is needed
    uint32_t begin, end;
    grammar::Orientation orientation;
  };
  struct Cell {
    double promise;
    uint32_t grid, row, column;
  };
  struct Pending {
    PhraseHypothesis hypothesis;
    double total;  // with the future cost
    uint32_t next;
    uint32_t further;  // where its states begin in pending_further_
    lm::State state;
  };
  // A hypothesis on its way to its place.
  struct Placing {
    uint64_t where;  // coverage and end
    double score;
    uint32_t begin;
    uint32_t number;
  };
  struct Stack {
    uint32_t first = 0, last = 0;
    std::vector<lm::State> states;
    std::vector<lm::State> further;  // for each hypothesis those of further language models
    std::vector<Grid> grids;         // that lead here
  };
  static constexpr uint32_t kNoCoverage = UINT32_MAX;

  static bool later(const Cell& a, const Cell& b) {
    if (a.promise != b.promise) return a.promise < b.promise;
    if (a.grid != b.grid) return a.grid > b.grid;
    return a.row != b.row ? a.row > b.row : a.column > b.column;
  }

  void choose_limit(uint32_t words);
  Stack& stack(uint32_t covered) { return stacks_[covered % stacks_.size()]; }
  const Stack& stack(uint32_t covered) const { return stacks_[covered % stacks_.size()]; }
  void start();
  void fill_by_cubes(uint32_t covered);
  void fill_by_all(uint32_t covered);
  double promise(const Grid& grid, uint32_t row, uint32_t column) const;
  void replace_top(const Cell& cell);
  void fetch(const Grid& grid, uint32_t row, uint32_t column, uint32_t covered) const;
  void take(Grid& grid, uint32_t row, uint32_t column, uint32_t covered);
  double take_further(Pending& made, uint32_t option, const lm::State* before);
  void accept(const Pending& candidate);
  void forget_further(const Pending& last, bool logs);
  bool same_further(const Pending& a, const Pending& b) const;
  std::span<const float> logs_at(uint32_t first) const {
    return std::span(logs_).subspan(first, further_);
  }
  uint64_t hash_of(const Pending& candidate) const;
  void prune(uint32_t most);
  void close(uint32_t covered);
  void expand(const Group& group, uint32_t covered);
  Zone room_of(uint32_t coverage);
  bool may_cover(uint32_t gap, uint32_t begin, uint32_t end) const;
  double future_of(uint32_t coverage);
  double future_behind(uint32_t coverage, uint32_t end);
  void finish();

  const PhraseModel& model_;
  PhraseSearchOptions settings_;
  PhraseOptions options_;
  PhraseSearchCounters counters_;
  const ReorderingLimits* limits_ = nullptr;
  uint32_t further_;         // language models beside the first
  std::vector<float> logs_;  // theirs, of all arcs and of `</s>`
  uint32_t end_further_ = 0;

  uint32_t words_ = 0;
  uint32_t limit_ = 0;
  uint64_t share_ = 0;  // of all hypotheses, for each stack
  uint32_t most_ = 0;   // hypotheses kept in a stack
  bool shortened_ = false;
  CoverageTable coverages_;
  std::vector<double> coverage_future_;
  FutureCosts future_;
  std::vector<PhraseHypothesis> hypotheses_;
  std::vector<PhraseArc> alternatives_;
  std::vector<Stack> stacks_;  // by covered words, only as many as the longest phrase can cross
  uint32_t first_complete_ = 0;
  std::vector<float> end_lm_;
  uint32_t best_ = 0;

  // Of the stack at hand:
  std::vector<Cell> heap_;
  std::vector<Pending> pending_;
  std::vector<lm::State> pending_further_;
  HashIndex by_state_;  // of pending_
  double best_total_ = 0;
  double bound_ = 0;  // totals below it are not worth keeping
  std::vector<Placing> placing_;
};

}  // namespace demotic::decode::phrase
