// Which target sides a translator takes for each other (Li et al. 2010, section 3.1): classes of
// sides that translate the same source.  Any two of a class, e1 and e2, are a confusion rule
// X -> e1 / e2; they are never all written down here, so that memory is what the classes take.
//
//   ConfusionClasses classes(table, "S");
//   classes.add_sources(begin, end, {.max_options = 50});   rules of one source side are a class
//   classes.add_forest(forest, {.cells = false});           or those that lead to one node
//   classes.finish();
//   for (uint32_t s = 0; s < classes.sources(); ++s)        e1 as a source side, ascending
//     classes.expand(s, [](target, count, total) {...});    its e2, ascending, each once
//
// A side's nonterminals are numbered as in the source; those of e1 are renumbered from left to
// right, and those of e2 go along.  Rules of the goal, words that pass through and empty sides are
// left out; a side that is one bare nonterminal is no e1.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "grammar/rule_table.h"
#include "hash_index.h"

namespace demotic::grammar {

struct ConfusionOptions {
  uint32_t max_options = 0;      // the most probable sides of a class that stay; 0: all
  bool cells = false;            // all nodes over one span are one
  bool same_tail_spans = false;  // sides are compared only where their gaps lie alike
};

class ConfusionClasses {
 public:
  ConfusionClasses(const RuleTable& table, std::string_view goal);

  // Rules of the trie's nodes from begin up to end.
  void add_sources(uint32_t begin, uint32_t end, const ConfusionOptions& options);
  // Of a packed forest (forest/forest.h, which rules know nothing of): its rules have their numbers
  // in the table.  Throws Error(argument) where they cannot be of this table.
  template <class Forest>
  void add_forest(const Forest& forest, const ConfusionOptions& options) {
    Groups groups;
    std::vector<std::vector<text::Symbol>> sources(
        forest.rules->size());  // once they are asked for
    Step step;
    for (uint32_t v = 0; v < forest.nodes(); ++v) {
      for (uint32_t e = forest.in_off[v]; e < forest.in_off[v + 1]; ++e) {
        step.rule = forest.rules->origin[forest.rule[e]];
        if (step.rule == RuleTable::kNone) continue;
        step.place = {forest.span[2 * v], forest.span[2 * v + 1], options.cells ? 0 : v};
        step.score = forest.score[e];
        step.tail_spans.clear();
        for (const uint32_t tail : forest.tails_of(e))
          step.tail_spans.insert(step.tail_spans.end(),
                                 {forest.span[2 * tail], forest.span[2 * tail + 1]});
        add_step(step, sources[forest.rule[e]], options, groups);
      }
      if (!options.cells) close(groups, options);
    }
    close(groups, options);
  }
  void finish();

  const RuleTable& table() const { return table_; }
  uint32_t classes() const { return static_cast<uint32_t>(class_counts_.size()); }
  uint32_t sides() const { return static_cast<uint32_t>(side_ends_.size()); }
  uint64_t members() const { return members_.size(); }  // of all classes
  uint64_t dropped() const { return dropped_; }         // sides that max_options left out
  // Words, and slot_symbol(k) for the source's k-th nonterminal.
  std::span<const text::Symbol> side(uint32_t s) const {
    return record(s).subspan(kHead + arity(s));
  }

  // -- after finish()

  uint32_t sources() const { return static_cast<uint32_t>(source_ends_.size()); }
  uint32_t lhs(uint32_t source) const { return lhs_of(first_side(source)); }
  // As the source side of a rule.
  std::vector<text::Symbol> source(uint32_t source) const { return as_source(first_side(source)); }
  // visit(target, count, total): how often e1 and e2 shared a class, and e1 with all its e2.
  template <class Visit>
  void expand(uint32_t source, Visit&& visit) const {
    std::vector<Confused> found;
    const double total = collect(source, found);
    for (const Confused& each : found) visit(std::span(each.target), each.count, total);
  }
  uint64_t pairs() const;  // rules if all are written down

 private:
  static constexpr size_t kHead =
      2;  // of a record: left-hand side, arity; then categories, symbols
  using Places = std::array<uint8_t, kMaxArity>;

  struct Option {
    uint32_t side;
    double score;
  };
  // What may share a class: label and span or node, categories of the gaps, and where these lie.
  using Groups = std::map<std::vector<uint32_t>, std::vector<Option>>;
  // A rule where a forest uses it.
  struct Step {
    uint32_t rule;
    std::array<uint32_t, 3> place;  // span and node
    std::vector<uint32_t> tail_spans;
    double score;
  };
  struct Confused {
    std::vector<text::Symbol> target;
    double count;
  };

  uint64_t record_begin(uint32_t s) const { return s == 0 ? 0 : side_ends_[s - 1]; }
  std::span<const int32_t> record(uint32_t s) const {
    return std::span(records_).subspan(record_begin(s), side_ends_[s] - record_begin(s));
  }
  uint32_t lhs_of(uint32_t s) const { return static_cast<uint32_t>(record(s)[0]); }
  uint32_t arity(uint32_t s) const { return static_cast<uint32_t>(record(s)[1]); }
  uint32_t first_side(uint32_t source) const {
    return by_source_[source == 0 ? 0 : source_ends_[source - 1]];
  }
  bool is_bare(uint32_t s) const { return arity(s) == 1 && side(s).size() == 1; }

  uint32_t side_of(uint32_t rule, std::span<const text::Symbol> source);
  void add_step(const Step& step, std::vector<text::Symbol>& source,
                const ConfusionOptions& options, Groups& groups);
  void close(std::vector<Option>& options, uint32_t most);
  void close(Groups& groups, const ConfusionOptions& options);
  Places places_of(uint32_t s) const;
  std::vector<text::Symbol> as_source(uint32_t s) const;
  double collect(uint32_t source, std::vector<Confused>& found) const;
  std::span<const uint32_t> members_of(uint32_t c) const {
    const uint64_t begin = c == 0 ? 0 : class_ends_[c - 1];
    return std::span(members_).subspan(begin, class_ends_[c] - begin);
  }

  const RuleTable& table_;
  uint32_t goal_;
  uint32_t ranked_by_;  // the column of scores that says how probable a side is, or none
  uint64_t dropped_ = 0;

  HashIndex side_index_, class_index_;
  std::vector<int32_t> records_, record_;  // of all sides; of one at hand
  std::vector<uint64_t> side_ends_;
  std::vector<uint32_t> members_;
  std::vector<uint64_t> class_ends_;
  std::vector<uint32_t> class_counts_;

  std::vector<uint32_t> by_source_;    // sides in the order of what they are as sources
  std::vector<uint32_t> source_ends_;  // of those that are the same source
  std::vector<uint64_t> class_list_ends_;
  std::vector<uint32_t> class_lists_;  // by side
};

}  // namespace demotic::grammar
