#include "grammar/rule_merge.h"

#include <algorithm>
#include <numeric>

#include "io/error.h"

namespace demotic::grammar {

namespace {

void copy(const BinaryView& from, size_t rows, BinaryColumn& to) {
  const int32_t begin = from.ends[0];
  to.bytes.assign(from.bytes + begin, from.bytes + from.ends[rows]);
  to.ends.resize(rows + 1);
  std::transform(from.ends, from.ends + rows + 1, to.ends.begin(),
                 [&](int32_t end) { return end - begin; });
}

}  // namespace

RuleMerge::RuleMerge(RuleScorer& scorer, size_t runs)
    : scorer_(scorer), runs_(runs), hungry_(runs) {
  std::iota(hungry_.rbegin(), hungry_.rend(), size_t{0});
}

// Takes a run from those that wait for rows.
void RuleMerge::settle(size_t run) {
  const auto found = std::ranges::find(hungry_, run);
  if (found == hungry_.end())
    throw io::Error(io::Fault::argument, "rows for a run that needs none");
  hungry_.erase(found);
}

void RuleMerge::end(size_t run) {
  settle(run);
  runs_[run] = {};
}

void RuleMerge::add(size_t run, const CountedRows& rows) {
  if (rows.rows() == 0) return;
  settle(run);
  Run& to = runs_[run];
  copy(rows.source, rows.rows(), to.columns.source);
  copy(rows.target, rows.rows(), to.columns.target);
  copy(rows.links, rows.rows(), to.columns.links);
  copy(rows.origins, rows.rows(), to.columns.origins);
  to.columns.mass.assign(rows.mass.begin(), rows.mass.end());
  to.totals.assign(rows.totals.begin(), rows.totals.end());
  to.columns.sentences.assign(rows.sentences.begin(), rows.sentences.end());
  to.columns.source_sentences.assign(rows.source_sentences.begin(), rows.source_sentences.end());
  to.columns.target_sentences.assign(rows.target_sentences.begin(), rows.target_sentences.end());
  to.at = 0;
  heap_.push_back(run);
  std::ranges::push_heap(heap_, [&](size_t a, size_t b) { return after(a, b); });
}

std::optional<size_t> RuleMerge::next() {
  const auto order = [&](size_t a, size_t b) { return after(a, b); };
  while (hungry_.empty() && !heap_.empty()) {
    std::ranges::pop_heap(heap_, order);
    const size_t number = heap_.back();
    Run& run = runs_[number];
    const RuleColumns& columns = run.columns;
    const std::string_view source = run.source();
    do {
      const size_t at = run.at++;
      scorer_.add(source, columns.target.view()[at], columns.links.view()[at], columns.mass[at],
                  columns.origins.view()[at], run.totals[at],
                  columns.sentences.empty()
                      ? SentenceCounts{}
                      : SentenceCounts{columns.sentences[at], columns.source_sentences[at],
                                       columns.target_sentences[at]});
    } while (!run.empty() && run.source() == source);
    if (run.empty()) {
      heap_.pop_back();
      hungry_.push_back(number);
    } else {
      std::ranges::push_heap(heap_, order);
    }
  }
  if (hungry_.empty()) return std::nullopt;
  return hungry_.back();
}

}  // namespace demotic::grammar
