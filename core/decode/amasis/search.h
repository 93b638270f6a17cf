// Translation from left to right over the source, each hypothesis with a stack of target fragments.
//
//   AmasisSearch search(model, settings);
//   search.run(sentence);                        scratch memory is reused between sentences
//   search.best(), search.hypothesis(h).arc      the best translation, from its end to its start
//   search.first_complete() ...                  everything that covers the sentence
//
// A hypothesis is the element at the top of a stack, and the hypothesis whose stack lies below it:
// stacks share what they have in common.  An arc pushes an item on a stack and reduces it as its
// label says (events/stack_labels.h).  Hypotheses of one prefix whose top elements look alike to
// the language models, on the same stack below, are one; the better arc stays, the others hang on
// it (for k-best lists and forests).  So the element of a hypothesis is a node of a forest, and an
// arc an edge whose tails are the elements that it reduces.
//
// All hypotheses of a beam cover the same words, so nothing is estimated of what is to come.  But a
// fragment's first words are scored without what will stand before them, which is unfair to those
// with many; hypotheses are compared as if their stacks were joined in order behind "<s>".
//
// Where `pops` is set, a beam is filled by cube pruning (cubes.cc): the hypotheses of an earlier
// beam whose stacks allow the same labels are the rows of a grid, the items of a piece with their
// labels its columns, both the best first, and only the most promising cells are worked out.
//
// Zones have beams of their own for hypotheses that have reached their end and not left them yet;
// the arcs that leave a zone join what the stack holds of it, and then do what a label says
// (areas.h).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "counters.h"
#include "decode/amasis/areas.h"
#include "decode/amasis/fragments.h"
#include "decode/amasis/options.h"
#include "hash_index.h"

namespace demotic::decode::amasis {

struct AmasisSearchCounters {
  uint64_t options = 0;     // of all pieces
  uint64_t candidates = 0;  // hypotheses times options times labels; or the pops
  uint64_t hypotheses = 0;  // kept
  uint64_t recombined = 0;
  uint64_t fragments = 0;  // that look different to the language models
  uint64_t joins = 0;      // of two of these
  uint64_t unclosed = 0;   // sentences whose stack was joined at the end
  uint64_t empty = 0;      // sentences with a translation without words
  uint64_t shortened = 0;  // sentences whose stacks reached their limit

  static constexpr auto kFields =
      std::tuple{CounterField{"options", &AmasisSearchCounters::options},
                 CounterField{"candidates", &AmasisSearchCounters::candidates},
                 CounterField{"hypotheses", &AmasisSearchCounters::hypotheses},
                 CounterField{"recombined", &AmasisSearchCounters::recombined},
                 CounterField{"fragments", &AmasisSearchCounters::fragments},
                 CounterField{"joins", &AmasisSearchCounters::joins},
                 CounterField{"unclosed", &AmasisSearchCounters::unclosed},
                 CounterField{"empty", &AmasisSearchCounters::empty},
                 CounterField{"shortened", &AmasisSearchCounters::shortened}};
};

inline constexpr uint32_t kNoHypothesis = UINT32_MAX;
inline constexpr uint32_t kStart = 0;  // the empty stack

struct AmasisArc {
  uint32_t before = kNoHypothesis;
  uint32_t option = 0;
  uint32_t label = 0;
  float logprob = 0;                  // of the label
  uint32_t alternative = UINT32_MAX;  // arc to the same hypothesis; the list ends with UINT32_MAX
};

struct AmasisHypothesis {
  double score;  // of the whole stack
  AmasisArc arc;
  uint32_t fragment;  // the top element
  uint32_t below;     // kStart: nothing
  uint32_t depth;
  uint32_t begin, end;  // source words of the top element
  // The last labels, where labels look at them (events/label_state.h).
  uint8_t last = events::kNoLabelYet, before_last = events::kNoLabelYet;
};

class AmasisSearch {
 public:
  AmasisSearch(const AmasisModel& model, const AmasisSettings& settings);

  void run(const SourceSentence& sentence);  // of one word at least
  void keep_alternatives(bool keep) { settings_.keep_alternatives = keep; }

  // Number kStart is the empty stack; arcs lead from lower to higher numbers, and stacks lie on
  // lower ones.
  uint32_t hypotheses() const { return static_cast<uint32_t>(hypotheses_.size()); }
  const AmasisHypothesis& hypothesis(uint32_t number) const { return hypotheses_[number]; }
  const AmasisArc& alternative(uint32_t number) const { return alternatives_[number]; }
  const ItemOption& option(uint32_t number) const { return options_.option(number); }
  uint32_t first_complete() const { return first_complete_; }
  uint32_t best() const { return best_; }  // kNoHypothesis: no stack could be closed
  const AmasisSearchCounters& counters() const { return counters_; }

  // Log10 that each language model adds: of an arc, with its item's words; of joining the top
  // element to all below it behind "<s>"; of "</s>" behind all.
  void arc_logs(const AmasisArc& arc, std::vector<float>& logs);
  void join_logs(uint32_t hypothesis, std::vector<float>& logs) const;
  // The elements that an arc reduces, in source order; the first ones by its label, the others, of
  // which there are `zone`, because they are of the zone that it leaves.
  struct Reduced {
    std::vector<uint32_t> elements;
    uint32_t zone = 0;
  };
  Reduced reduced(const AmasisArc& arc) const;
  void end_logs(uint32_t hypothesis, std::vector<float>& logs) const;

 private:
  struct Candidate {
    AmasisHypothesis made;
    double total;  // what it is compared by
  };
  struct Beam {
    std::vector<Candidate> candidates;
    HashIndex index;
    uint32_t first = 0, last = 0;  // hypotheses, once it is closed
  };

  // Rows are hypotheses for which the same labels come into question.
  struct Row {
    uint32_t hypothesis;
    double total;
  };
  struct Group {
    uint32_t first, last;  // rows, the best first
    uint32_t depth;        // of one of them
    bool joins;            // the one label is S,R+
    uint32_t scores = 0;   // of labels by the state, where they look at it
  };
  struct Groups {
    uint32_t first = kNotGrouped, last = kNotGrouped;
  };
  static constexpr uint32_t kNotGrouped = UINT32_MAX;
  struct Column {
    double score;
    uint32_t option;
    LabelChoice choice;
  };
  // Columns are found one by one: the labels of an item are looked at when no label of those
  // before it can be better than its best.
  struct Grid {
    Group group;
    uint32_t next, last;          // options not looked at yet
    std::vector<Column> columns;  // those found, best first
    std::vector<Column> waiting;  // a heap
  };
  struct Cell {
    double promise;
    uint32_t grid, row, column;
  };
  static bool later(const Cell& a, const Cell& b) {
    if (a.promise != b.promise) return a.promise < b.promise;
    return a.grid != b.grid ? a.grid > b.grid
                            : (a.row != b.row ? a.row > b.row : a.column > b.column);
  }
  static bool worse(const Column& a, const Column& b) {
    if (a.score != b.score) return a.score < b.score;
    return a.option != b.option ? a.option > b.option : a.choice.label > b.choice.label;
  }

  void start();
  void fill(uint32_t beam, uint32_t position);
  void close(uint32_t beam);
  void leave(uint32_t zone);
  void fill_by_cubes(uint32_t beam, uint32_t position);
  const Groups& grouped(uint32_t position, uint32_t area);
  void group(uint32_t position, uint32_t area);
  void add_group(uint32_t row, uint32_t depth, bool joins);
  bool find_column(Grid& grid, uint32_t column);
  void look_at_labels(Grid& grid);
  // Where hypotheses go whose last item is of an area; beams of positions come first.
  uint32_t beam_of(uint32_t area, uint32_t end) const {
    return areas_.is_zone(area) && areas_[area].end == end
               ? words_ + 1 + area - areas_.between_walls()
               : end;
  }
  // How many elements of a stack are of an area.
  uint32_t depth_in(uint32_t area, uint32_t hypothesis) const;
  events::LabelState state_of(const AmasisHypothesis& hypothesis, uint32_t depth) const;
  // What follows words without a translation joins them, and so does what finds a full stack.
  bool waits(const AmasisHypothesis& before, uint32_t depth) const {
    return depth == 1 && !fragments_.has_words(before.fragment);
  }
  void expand(uint32_t hypothesis);
  // Pushes an option that begins where a hypothesis ends, under each of its labels; `depth` is that
  // of its area.
  void push_all(uint32_t before, uint32_t option, uint32_t depth, const events::LabelState& state);
  void push(uint32_t before, uint32_t option, uint32_t depth, const LabelChoice& choice);
  // What an arc pushes, and the hypothesis below it: an item, or all that the stack holds of a
  // zone.
  struct Pushed {
    uint32_t fragment, below;
  };
  template <class Visit>
  Pushed pushed(uint32_t before, uint32_t option, Visit&& joined);
  template <class Visit>
  Pushed reduce(const Pushed& top, uint32_t label, Visit&& joined);
  void accept(const AmasisHypothesis& made, uint32_t beam);
  double joined_score(uint32_t below, uint32_t fragment, lm::State* states) const;
  void finish();
  std::span<const lm::State> states_of(uint32_t hypothesis) const {
    return std::span(states_).subspan(size_t{hypothesis} * models_, models_);
  }

  const AmasisModel& model_;
  AmasisSettings settings_;
  FragmentTable fragments_;
  ItemOptions options_;
  Areas areas_;
  AmasisSearchCounters counters_;
  uint32_t models_;
  uint32_t words_ = 0;
  bool capped_ = false;

  std::vector<AmasisHypothesis> hypotheses_;
  std::vector<double> joined_;     // by hypothesis: weighted, of joining its stack behind "<s>"
  std::vector<lm::State> states_;  // likewise: behind the joined stack, one for each model
  std::vector<AmasisArc> alternatives_;
  std::vector<Beam> beams_;      // by words covered, then those of zones
  std::vector<Groups> grouped_;  // by area and words covered, for cube pruning
  std::vector<Group> groups_;
  std::vector<Row> rows_;
  std::vector<float> state_scores_;  // of groups
  std::vector<Grid> grids_;
  std::vector<Cell> heap_;
  std::vector<uint32_t> chosen_;
  uint32_t first_complete_ = 0;
  uint32_t best_ = kNoHypothesis;
  std::vector<lm::State> scratch_;
};

}  // namespace demotic::decode::amasis
