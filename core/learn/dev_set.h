// The sentences that weights are tuned on, each with the hypotheses known so far: a list that grows
// from one decoding to the next (Och 2003), a forest of the latest decoding (Kumar et al. 2009), or
// both.
//
//   1. DevSet dev(sentences, feature_names, max_segments);
//   2. dev.merge(s, rows, stats);  or  dev.set_forest(s, forest);        after each decoding
//   3. dev.begin(w, directions);                                         a search from w
//   4. for (Unscored& u : dev.trace(0, sentences, threads))              paths along all directions
//        dev.score(u.sentence, ...);            BLEU statistics of strings that forests came up
//        with
//   5. std::vector<Step> steps = dev.steps(margin, threads);             the best x per direction
//
// Learners of other kinds look into forests by
//
//   for (Unscored& u : dev.explore(0, sentences, w, gains, k, threads)) dev.score(...);
//
// and find the strings in lists().  A direction of zeros gives the BLEU of w itself.  A forest's
// strings are scored once each; the statistics are the caller's, who knows the references and how
// tokens become text.  Results do not depend on threads.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "forest/derivation.h"
#include "forest/envelope.h"
#include "forest/forest.h"
#include "learn/line_search.h"
#include "metrics/bleu.h"

namespace demotic::learn {

enum class Scope : uint8_t { all, lists };

struct Unscored {
  size_t sentence;
  std::vector<std::string> texts;  // tokens separated by spaces
};

// All lists: sentence s owns rows off[s] .. off[s + 1] - 1.
struct HypothesisLists {
  std::vector<uint64_t> off;
  std::vector<double> features;  // rows x features
  std::vector<metrics::BleuStats> stats;
};

class DevSet {
 public:
  DevSet(size_t sentences, std::vector<std::string> features, size_t max_segments);

  size_t sentences() const { return sentences_.size(); }
  size_t features() const { return names_.size(); }

  // Add hypotheses that are not in the list yet; how many those were.
  size_t merge(size_t sentence, std::span<const double> rows,
               std::span<const metrics::BleuStats> stats);
  // Replaces the sentence's forest; it names the same features in the same order.
  void set_forest(size_t sentence, const forest::Forest& forest);

  // Of each forest the k best strings under w.f(e) - g * loss(e), for each g of `gains`; they join
  // the list.  Those still to be scored.
  std::vector<Unscored> explore(size_t first, size_t end, std::span<const double> weights,
                                std::span<const double> gains, size_t k, unsigned threads);

  void begin(std::span<const double> weights, std::span<const double> directions, Scope scope);
  std::vector<Unscored> trace(size_t first, size_t end, unsigned threads);
  void score(size_t sentence, std::span<const metrics::BleuStats> stats);
  std::vector<Step> steps(double margin, unsigned threads) const;

  // Where there is a forest, drop from the list what was best nowhere in the last search.
  void forget();
  size_t hypotheses() const;  // in all lists
  HypothesisLists lists() const;
  // Sentences whose envelope reached the cap on segments in this search.
  size_t truncated() const;

 private:
  struct Sentence {
    std::vector<double> rows;         // the list's features
    std::vector<uint32_t> row_stats;  // by row: in stats
    std::vector<char> best;           // by row: somewhere in this search
    std::unordered_multimap<uint64_t, uint32_t> rows_by_hash;
    std::optional<forest::Forest> forest;
    std::unordered_map<std::string, uint32_t> texts;  // the forests' strings: in stats
    std::vector<metrics::BleuStats> stats;
    std::vector<uint32_t> unscored;          // in stats, the last ones there
    std::vector<std::vector<Segment>> path;  // by direction
    bool truncated = false;
  };
  struct Scratch {
    std::vector<double> columns;  // the list's features, feature by feature
    std::vector<double> intercept, slope;
    std::vector<forest::Line> list, forest, merged;
    std::vector<double> found;          // rows for the list
    std::vector<uint32_t> found_stats;  // and their statistics
  };

  std::span<const double> direction(size_t d) const {
    return std::span(directions_).subspan(d * features(), features());
  }
  Sentence& at(size_t sentence);
  // The row's number, and whether it is new.
  std::pair<uint32_t, bool> add_row(Sentence& s, std::span<const double> row, uint32_t stats) const;
  // Where the statistics of a derivation's text are, or will be once they are scored.
  static uint32_t text_stats(Sentence& s, const forest::Derivation& derivation, Unscored& unscored);
  void check_range(size_t first, size_t end) const;
  void explore_sentence(size_t number, std::span<const double> weights,
                        std::span<const double> gains, size_t k, Unscored& unscored);
  // Add the list's rows from the first one with these statistics or later ones once more, now that
  // they are scored: those that the list had already (from a checkpoint, say) are not added twice.
  void readd_rows(Sentence& s, uint32_t first_stats) const;
  void list_envelope(std::span<const double> direction, Scratch& scratch) const;
  void trace_sentence(size_t number, Scratch& scratch, Unscored& unscored);
  void trace_direction(Sentence& s, size_t d, std::span<const double> forest_intercept,
                       Scratch& scratch, Unscored& unscored);

  std::vector<std::string> names_;
  size_t max_segments_;
  std::vector<Sentence> sentences_;
  std::vector<double> weights_;
  std::vector<double> directions_;  // one after the other
  Scope scope_ = Scope::all;
};

}  // namespace demotic::learn
