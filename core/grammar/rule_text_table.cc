// The end of reading, of rule_text.h: all rules together are checked, sorted and written as a
// table. Apart from rule_text_reader.cc, which knows lines and formats and no table.
#include <algorithm>
#include <compare>
#include <span>
#include <utility>

#include "features/feature_space.h"
#include "features/row_sum.h"
#include "grammar/rule_table_builder.h"
#include "grammar/rule_text.h"

namespace demotic::grammar {

// Rules that only rename a nonterminal must not lead back to it: derivations would never end.
void RuleTextReader::refuse_cycles() {
  std::vector<std::vector<uint32_t>> renamed(categories_.size());
  std::vector<uint64_t> line_of(categories_.size(), 0);
  for (const Entry& entry : entries_) {
    if (entry.source_size != 1 || text::is_word(source(entry)[0])) continue;
    renamed[entry.lhs].push_back(category_of(source(entry)[0]));
    if (line_of[entry.lhs] == 0) line_of[entry.lhs] = entry.line;
  }
  for (uint32_t lhs = 0; lhs < categories_.size(); ++lhs) {
    std::vector<char> reached(categories_.size(), 0);
    std::vector<uint32_t> open = renamed[lhs];
    while (!open.empty() && reached[lhs] == 0) {
      const uint32_t at = open.back();
      open.pop_back();
      if (std::exchange(reached[at], 1) == 0)
        open.insert(open.end(), renamed[at].begin(), renamed[at].end());
    }
    if (reached[lhs] == 0) continue;
    line_ = line_of[lhs];
    fail("a cycle: [" + categories_[lhs] + "] can be rewritten as itself",
         "remove rules without words that lead back to their left-hand side");
  }
}

// By (source, lhs, target), then by scores.  A rule that comes again is left out; with other scores
// it is another way to the same words, unless the first alone is asked for.
void RuleTextReader::sort() {
  const auto compare = [&](const Entry& a, const Entry& b) {
    const auto f = source(a), g = source(b);
    auto order = std::lexicographical_compare_three_way(f.begin(), f.end(), g.begin(), g.end());
    if (order == 0) order = a.lhs <=> b.lhs;
    if (order != 0) return order;
    const auto e = target(a), h = target(b);
    return std::lexicographical_compare_three_way(e.begin(), e.end(), h.begin(), h.end());
  };
  const auto compare_scores = [&](const Entry& a, const Entry& b) {
    return std::lexicographical_compare_three_way(
        scores_.begin() + static_cast<std::ptrdiff_t>(a.scores),
        scores_.begin() + static_cast<std::ptrdiff_t>(a.scores + a.score_count),
        scores_.begin() + static_cast<std::ptrdiff_t>(b.scores),
        scores_.begin() + static_cast<std::ptrdiff_t>(b.scores + b.score_count),
        [](Score x, Score y) {
          return x.feature != y.feature ? std::strong_order(x.feature, y.feature)
                                        : std::strong_order(x.value, y.value);
        });
  };
  const auto differ = [&](const Entry& a, const Entry& b) {
    const auto order = compare(a, b);
    return order != 0 || options_.first_duplicate ? order : compare_scores(a, b);
  };
  std::sort(entries_.begin(), entries_.end(), [&](const Entry& a, const Entry& b) {
    const auto order = differ(a, b);
    return order != 0 ? order < 0 : a.line < b.line;
  });
  entries_.erase(std::unique(entries_.begin(), entries_.end(),
                             [&](const Entry& a, const Entry& b) { return differ(a, b) == 0; }),
                 entries_.end());
}

// The features that are columns, in the order in which they were met.
std::vector<uint32_t> RuleTextReader::choose_columns() const {
  std::vector<uint32_t> columns;
  const auto lines = entries_.size();
  size_t free = kMaxColumns;
  for (const Feature& feature : features_) free -= feature.column && free > 0;
  for (uint32_t id = 0; id < features_.size(); ++id) {
    const Feature& feature = features_[id];
    const bool everywhere = !feature.sparse && feature.rules == lines;
    if (feature.column || (everywhere && free > 0)) columns.push_back(id);
    free -= !feature.column && everywhere && free > 0;
  }
  return columns;
}

void RuleTextReader::write(const std::string& path, std::span<const uint32_t> columns) {
  constexpr uint32_t kSparse = UINT32_MAX;
  std::vector<uint32_t> column_of(features_.size(), kSparse);
  std::vector<std::string> names;
  for (const uint32_t id : columns) {
    column_of[id] = static_cast<uint32_t>(names.size());
    names.push_back(features_[id].name);
  }
  features::FeatureSpaceBuilder sparse_names;
  std::vector<uint32_t> sparse_of(features_.size());
  for (uint32_t id = 0; id < features_.size(); ++id)
    if (column_of[id] == kSparse) sparse_of[id] = sparse_names.add(features_[id].name);

  RuleTableBuilder out(path, categories_, names, source_vocab_.view(), target_vocab_.view());
  std::vector<float> dense;
  features::RowSum<float> sparse;
  for (const Entry& entry : entries_) {
    dense.assign(names.size(), 0.0f);
    sparse.clear();
    for (size_t i = 0; i < entry.score_count; ++i) {
      const auto [id, value] = scores_[entry.scores + i];
      if (column_of[id] == kSparse)
        sparse.add(sparse_of[id], value);
      else
        dense[column_of[id]] = value;
    }
    sparse.finish();
    std::span<const float> counts;
    if (counts_everywhere_) counts = entry.counts;
    out.add({entry.lhs,
             source(entry),
             target(entry),
             dense,
             std::span(links_).subspan(entry.links, entry.link_count),
             {},
             counts,
             {sparse.ids(), sparse.values()}});
  }
  out.finish(sparse_names.finish().get());
}

void RuleTextReader::finish(const std::string& path) {
  if (categories_.empty()) categories_.emplace_back("X");
  refuse_cycles();
  const std::vector<uint32_t> columns = choose_columns();  // while every line is here
  sort();
  write(path, columns);
}

}  // namespace demotic::grammar
