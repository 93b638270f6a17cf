#include "grammar/confusion_table.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "io/error.h"

namespace demotic::grammar {

namespace {

// A source side that stays as it is.
std::vector<text::Symbol> unchanged(std::span<const text::Symbol> source) {
  std::vector<text::Symbol> target(source.begin(), source.end());
  uint32_t slot = 0;
  for (text::Symbol& symbol : target)
    if (!text::is_word(symbol)) symbol = text::slot_symbol(slot++);
  return target;
}

}  // namespace

ConfusionTable::ConfusionTable(const ConfusionClasses& classes, const std::string& path,
                               TargetBigrams* bigrams, ConfusionKinds kinds)
    : classes_(classes),
      bigrams_(bigrams),
      kinds_(kinds),
      out_(path, classes.table().categories(), {"ConfusionCount", "ConfusionProbability"},
           classes.table().target_vocab(), classes.table().target_vocab()) {}

void ConfusionTable::add(uint32_t begin, uint32_t end, std::span<const char> matched) {
  for (uint32_t s = begin; s < std::min(end, classes_.sources()); ++s) {
    if (s < matched.size() && matched[s] == 0) continue;
    const std::vector<text::Symbol> source = classes_.source(s);
    const std::vector<text::Symbol> same = unchanged(source);
    const uint32_t lhs = classes_.lhs(s);
    classes_.expand(s, [&](std::span<const text::Symbol> target, double count, double total) {
      const std::array<float, 2> scores{static_cast<float>(count),
                                        static_cast<float>(std::log(count / total))};
      const bool change = !std::ranges::equal(target, same);
      if (change ? !kinds_.changed : !kinds_.unchanged) return;
      changes_ += change ? 1 : 0;
      out_.add({lhs,
                source,
                target,
                scores,
                {},
                {},
                {},
                bigrams_ == nullptr ? features::SparseRow{} : bigrams_->row(target)});
    });
  }
}

void write_sources(const ConfusionClasses& classes, const std::string& path) {
  RuleTableBuilder out(path, classes.table().categories(), {}, classes.table().target_vocab(),
                       classes.table().target_vocab());
  for (uint32_t s = 0; s < classes.sources(); ++s) {
    const std::vector<text::Symbol> source = classes.source(s);
    const std::vector<text::Symbol> target = unchanged(source);
    out.add({classes.lhs(s), source, target, {}, {}, {}, {}});
  }
  out.finish();
}

void add_bigram_column(const RuleTable& table, const std::string& path, const std::string& name,
                       const TargetBigrams& bigrams, std::span<const double> weights) {
  std::vector<std::string> names = table.feature_names();
  if (std::find(names.begin(), names.end(), name) != names.end())
    throw io::Error(io::Fault::argument, "the table has a column " + name + " already", 0,
                    "give the table from before it was added");
  names.push_back(name);
  RuleTableBuilder out(path, table.categories(), names, table.source_vocab(), table.target_vocab());
  std::vector<float> scores;
  RuleBuffer buffer;
  for (uint32_t node = 1; node < table.nodes(); ++node) {
    if (!table.owns_rules(node)) continue;
    const std::vector<text::Symbol> source = table.source_of(node);
    for (uint32_t r = table.first_rule(node); r < table.last_rule(node); ++r) {
      RuleView rule = table.rule(r, source, buffer);
      scores.assign(rule.scores.begin(), rule.scores.end());
      scores.push_back(static_cast<float>(bigrams.score(rule.target, weights)));
      rule.scores = scores;
      out.add(rule);
    }
  }
  out.finish(table.sparse_space().get());
}

}  // namespace demotic::grammar
