#include "learn/dev_set.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "forest/derivation.h"
#include "io/checksum.h"
#include "parallel.h"

namespace demotic {

namespace {

double dot(std::span<const double> a, std::span<const double> b) {
  return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}

std::string text_of(const Forest& f, const Derivation& d) {
  std::string text;
  for (const int32_t word : yield(f, d, Side::target)) {
    if (!text.empty()) text += ' ';
    text += f.names->words[static_cast<size_t>(word)];
  }
  return text;
}

void add_features(const Forest& f, const Derivation& d, std::span<double> row) {
  const ForestRules& rules = *f.rules;
  for (const uint32_t e : d) {
    const uint32_t r = f.rule[e];
    for (uint32_t i = rules.feature_off[r]; i < rules.feature_off[r + 1]; ++i)
      row[rules.feature_id[i]] += rules.feature_value[i];
    const std::span<const float> dense = f.dense_of(e);
    for (size_t i = 0; i < dense.size(); ++i) row[f.dense_id[i]] += dense[i];
    if (f.edge_feature_off.empty()) continue;
    for (uint32_t i = f.edge_feature_off[e]; i < f.edge_feature_off[e + 1]; ++i)
      row[f.edge_feature_id[i]] += f.edge_feature_value[i];
  }
}

std::string name_of(size_t sentence) { return "sentence " + std::to_string(sentence + 1); }

}  // namespace

DevSet::DevSet(size_t sentences, std::vector<std::string> features, size_t max_segments)
    : names_(std::move(features)), max_segments_(max_segments), sentences_(sentences) {
  if (sentences == 0) throw Error(Fault::argument, "the dev set is empty");
  if (names_.empty()) throw Error(Fault::argument, "there is no feature to tune");
}

DevSet::Sentence& DevSet::at(size_t sentence) {
  if (sentence >= sentences_.size())
    throw Error(Fault::argument, "there is no " + name_of(sentence));
  return sentences_[sentence];
}

size_t DevSet::merge(size_t sentence, std::span<const double> rows,
                     std::span<const BleuStats> stats) {
  Sentence& s = at(sentence);
  const size_t width = features();
  if (rows.size() != stats.size() * width)
    throw Error(Fault::argument, name_of(sentence) + ": " + std::to_string(stats.size()) +
                                     " hypotheses of " + std::to_string(width) +
                                     " features do not have " + std::to_string(rows.size()) +
                                     " values");
  for (size_t i = 0; i < rows.size(); ++i)
    if (!std::isfinite(rows[i]))
      throw Error(Fault::argument, name_of(sentence) + ", hypothesis " +
                                       std::to_string(i / width + 1) + ": feature '" +
                                       names_[i % width] + "' is " +
                                       (std::isnan(rows[i]) ? "not a number" : "infinite"));
  size_t added = 0;
  for (size_t i = 0; i < stats.size(); ++i) {
    s.stats.push_back(stats[i]);
    if (add_row(s, rows.subspan(i * width, width), static_cast<uint32_t>(s.stats.size() - 1)))
      ++added;
    else
      s.stats.pop_back();
  }
  return added;
}

bool DevSet::add_row(Sentence& s, std::span<const double> row, uint32_t stats) const {
  const uint64_t hash = checksum64(row.data(), row.size_bytes());
  const auto [first, last] = s.rows_by_hash.equal_range(hash);
  for (auto known = first; known != last; ++known)
    if (std::equal(row.begin(), row.end(), s.rows.begin() + known->second * row.size()) &&
        s.stats[s.row_stats[known->second]] == s.stats[stats])
      return false;
  s.rows_by_hash.emplace(hash, static_cast<uint32_t>(s.row_stats.size()));
  s.rows.insert(s.rows.end(), row.begin(), row.end());
  s.row_stats.push_back(stats);
  return true;
}

void DevSet::set_forest(size_t sentence, const Forest& forest) {
  Sentence& s = at(sentence);
  const Names& theirs = forest.names->features;
  bool same = theirs.size() == names_.size();
  for (size_t i = 0; same && i < names_.size(); ++i) same = theirs[i] == names_[i];
  if (!same)
    throw Error(Fault::argument, name_of(sentence) + ": the forest names other features (" +
                                     std::to_string(theirs.size()) + " instead of " +
                                     std::to_string(names_.size()) + ", or in another order)");
  s.forest = forest;
}

void DevSet::begin(std::span<const double> weights, std::span<const double> directions) {
  if (weights.size() != features() || directions.size() % features() != 0 || directions.empty())
    throw Error(Fault::argument,
                "weights and directions must have " + std::to_string(features()) + " features");
  for (const std::span<const double> values : {weights, directions})
    for (size_t i = 0; i < values.size(); ++i)
      if (!std::isfinite(values[i]))
        throw Error(Fault::argument,
                    "the weight of feature '" + names_[i % features()] + "' is not finite");
  weights_.assign(weights.begin(), weights.end());
  directions_.assign(directions.begin(), directions.end());
  for (Sentence& s : sentences_) {
    s.path.assign(directions_.size() / features(), {});
    s.truncated = false;
  }
}

std::vector<Unscored> DevSet::trace(size_t first, size_t end, unsigned threads) {
  if (first > end || end > sentences_.size())
    throw Error(Fault::argument, "there is no such range of sentences");
  std::vector<Unscored> found(end - first);
  std::vector<Scratch> scratch(std::max(threads, 1u));
  parallel_for(found.size(), threads, [&](size_t i, unsigned worker) {
    trace_sentence(first + i, scratch[worker], found[i]);
  });
  std::erase_if(found, [](const Unscored& u) { return u.texts.empty(); });
  return found;
}

// A hypothesis of the list is the line w.f + x d.f; scratch.intercept holds the w.f.
void DevSet::list_envelope(const Sentence& s, std::span<const double> direction,
                           Scratch& scratch) const {
  const size_t count = s.row_stats.size();
  scratch.slope.resize(count);
  for (size_t r = 0; r < count; ++r)
    scratch.slope[r] =
        dot(std::span(s.rows).subspan(r * direction.size(), direction.size()), direction);
  scratch.order.resize(count);
  std::iota(scratch.order.begin(), scratch.order.end(), 0u);
  std::sort(scratch.order.begin(), scratch.order.end(), [&](uint32_t a, uint32_t b) {
    if (scratch.slope[a] != scratch.slope[b]) return scratch.slope[a] < scratch.slope[b];
    if (scratch.intercept[a] != scratch.intercept[b])
      return scratch.intercept[a] > scratch.intercept[b];
    return a < b;
  });
  scratch.list.clear();
  for (const uint32_t r : scratch.order)
    push_line(scratch.list, Line{scratch.slope[r], scratch.intercept[r], kLogZero, r});
}

void DevSet::trace_sentence(size_t number, Scratch& scratch, Unscored& unscored) {
  Sentence& s = sentences_[number];
  unscored.sentence = number;
  const auto rows = static_cast<uint32_t>(s.row_stats.size());
  if (rows == 0 && !s.forest) throw Error(Fault::argument, name_of(number) + " has no hypothesis");
  if (!s.unscored.empty())
    throw Error(Fault::argument, name_of(number) + " has hypotheses that were not scored");
  scratch.intercept.resize(rows);
  for (uint32_t r = 0; r < rows; ++r)
    scratch.intercept[r] = dot(std::span(s.rows).subspan(r * features(), features()), weights_);
  std::vector<double> forest_intercept;
  if (s.forest) forest_intercept = edge_scores(*s.forest, weights_);

  for (size_t d = 0; d < s.path.size(); ++d) {
    list_envelope(s, direction(d), scratch);
    Lines lines(max_segments_);
    scratch.forest.clear();
    if (s.forest) {
      const std::vector<double> slope = edge_scores(*s.forest, direction(d));
      scratch.forest = envelope_inside(*s.forest, slope, forest_intercept, lines).lines();
      s.truncated |= lines.truncated();
    }
    // Origins below `rows` are of the list, the others of the forest.
    std::vector<uint32_t> origin(scratch.forest.size());
    for (uint32_t i = 0; i < origin.size(); ++i) {
      origin[i] = scratch.forest[i].origin;
      scratch.forest[i].origin = rows + i;
    }
    merge_lines(scratch.list, scratch.forest, scratch.merged);
    for (const Line& line : scratch.merged) {
      if (line.origin < rows) {
        s.path[d].push_back({line.from, s.row_stats[line.origin]});
        continue;
      }
      std::string text = text_of(*s.forest, lines.derivation(origin[line.origin - rows]));
      const auto [known, fresh] = s.texts.emplace(text, static_cast<uint32_t>(s.stats.size()));
      if (fresh) {
        s.unscored.push_back(known->second);
        s.stats.emplace_back();
        unscored.texts.push_back(std::move(text));
      }
      s.path[d].push_back({line.from, known->second});
    }
  }
}

void DevSet::score(size_t sentence, std::span<const BleuStats> stats) {
  Sentence& s = at(sentence);
  if (stats.size() != s.unscored.size())
    throw Error(Fault::argument, name_of(sentence) + ": " + std::to_string(stats.size()) +
                                     " rows of statistics for " +
                                     std::to_string(s.unscored.size()) + " hypotheses");
  for (size_t i = 0; i < stats.size(); ++i) s.stats[s.unscored[i]] = stats[i];
  s.unscored.clear();
}

std::vector<Step> DevSet::steps(double margin, unsigned threads) const {
  for (size_t i = 0; i < sentences_.size(); ++i) {
    const Sentence& s = sentences_[i];
    if (s.path.empty() || s.path[0].empty() || !s.unscored.empty())
      throw Error(Fault::argument, name_of(i) + " was not traced and scored");
  }
  std::vector<Step> best(directions_.size() / features());
  parallel_for(best.size(), threads, [&](size_t d, unsigned) {
    std::vector<Path> paths;
    for (const Sentence& s : sentences_) paths.push_back({s.path[d], s.stats.data()});
    best[d] = best_step(paths, margin);
  });
  return best;
}

size_t DevSet::remember(unsigned threads) {
  std::vector<size_t> added(sentences_.size());
  parallel_for(added.size(), threads,
               [&](size_t i, unsigned) { added[i] = remember_sentence(sentences_[i]); });
  return std::accumulate(added.begin(), added.end(), size_t{0});
}

size_t DevSet::remember_sentence(Sentence& s) {
  if (!s.forest) return 0;
  size_t added = 0;
  const std::vector<double> intercept = edge_scores(*s.forest, weights_);
  std::vector<double> row(features());
  for (size_t d = 0; d < s.path.size(); ++d) {
    Lines lines(max_segments_);
    const std::vector<double> slope = edge_scores(*s.forest, direction(d));
    const Envelope envelope = envelope_inside(*s.forest, slope, intercept, lines);
    for (const Line& line : envelope.lines()) {
      const Derivation derivation = lines.derivation(line.origin);
      const auto known = s.texts.find(text_of(*s.forest, derivation));
      if (known == s.texts.end()) continue;  // hidden by the list, so never scored
      std::fill(row.begin(), row.end(), 0.0);
      add_features(*s.forest, derivation, row);
      added += add_row(s, row, known->second);
    }
  }
  return added;
}

HypothesisLists DevSet::lists() const {
  HypothesisLists lists{{0}, {}, {}};
  for (const Sentence& s : sentences_) {
    lists.features.insert(lists.features.end(), s.rows.begin(), s.rows.end());
    for (const uint32_t stats : s.row_stats) lists.stats.push_back(s.stats[stats]);
    lists.off.push_back(lists.stats.size());
  }
  return lists;
}

size_t DevSet::truncated() const {
  return static_cast<size_t>(
      std::count_if(sentences_.begin(), sentences_.end(), [](auto& s) { return s.truncated; }));
}

}  // namespace demotic
