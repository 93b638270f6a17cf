#include "learn/dev_set.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "forest/kbest.h"
#include "io/checksum.h"
#include "parallel.h"

namespace demotic::learn {

namespace {

// out[r] = w . row r, for features stored one after the other.
void multiply(std::span<const double> columns, std::span<const double> w, size_t rows,
              std::vector<double>& out) {
  out.assign(rows, 0.0);
  for (size_t f = 0; f < w.size(); ++f) {
    if (w[f] == 0.0) continue;  // most of an axis
    const double* column = columns.data() + f * rows;
    for (size_t r = 0; r < rows; ++r) out[r] += w[f] * column[r];
  }
}

// Lines that may be on the upper envelope: those not below both of two chords, from the flattest
// line over the one furthest above to the steepest (as points of slope and intercept).  Few are.
void above_chords(std::span<const double> slope, std::span<const double> intercept,
                  std::vector<forest::Line>& lines) {
  const auto higher = [&](size_t r, size_t than) { return intercept[r] > intercept[than]; };
  size_t flat = 0;
  size_t steep = 0;
  for (size_t r = 1; r < slope.size(); ++r) {
    if (slope[r] < slope[flat] || (slope[r] == slope[flat] && higher(r, flat))) flat = r;
    if (slope[r] > slope[steep] || (slope[r] == slope[steep] && higher(r, steep))) steep = r;
  }
  const auto chord = [&](size_t a, size_t b) {
    const double rise =
        slope[a] == slope[b] ? 0.0 : (intercept[b] - intercept[a]) / (slope[b] - slope[a]);
    return [=, &slope, &intercept](size_t r) {
      return intercept[r] - intercept[a] - rise * (slope[r] - slope[a]);
    };
  };
  const auto over = chord(flat, steep);
  size_t top = flat;
  double most = 0.0;
  for (size_t r = 0; r < slope.size(); ++r)
    if (const double height = over(r); height > most) {
      top = r;
      most = height;
    }
  const auto left = chord(flat, top);
  const auto right = chord(top, steep);
  lines.clear();
  for (uint32_t r = 0; r < slope.size(); ++r) {
    const double height = slope[r] <= slope[top] ? left(r) : right(r);
    const double rounding = 1e-12 * (std::abs(intercept[r]) + std::abs(intercept[top]) + 1.0);
    if (height >= -rounding) lines.push_back({slope[r], intercept[r], forest::kLogZero, r});
  }
}

std::string text_of(const forest::Forest& f, const forest::Derivation& d) {
  std::string text;
  for (const int32_t word : forest::yield(f, d, forest::Side::target)) {
    if (!text.empty()) text += ' ';
    text += f.names->words[static_cast<size_t>(word)];
  }
  return text;
}

void add_features(const forest::Forest& f, const forest::Derivation& d, std::span<double> row) {
  const forest::ForestRules& rules = *f.rules;
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

void check_scored(bool scored, size_t sentence) {
  if (!scored)
    throw io::Error(io::Fault::argument,
                    name_of(sentence) + " has hypotheses that were not scored");
}

}  // namespace

DevSet::DevSet(size_t sentences, std::vector<std::string> features, size_t max_segments)
    : names_(std::move(features)), max_segments_(max_segments), sentences_(sentences) {
  if (sentences == 0) throw io::Error(io::Fault::argument, "the dev set is empty");
  if (names_.empty()) throw io::Error(io::Fault::argument, "there is no feature to tune");
}

DevSet::Sentence& DevSet::at(size_t sentence) {
  if (sentence >= sentences_.size())
    throw io::Error(io::Fault::argument, "there is no " + name_of(sentence));
  return sentences_[sentence];
}

size_t DevSet::merge(size_t sentence, std::span<const double> rows,
                     std::span<const metrics::BleuStats> stats) {
  Sentence& s = at(sentence);
  const size_t width = features();
  if (rows.size() != stats.size() * width)
    throw io::Error(io::Fault::argument, name_of(sentence) + ": " + std::to_string(stats.size()) +
                                             " hypotheses of " + std::to_string(width) +
                                             " features do not have " +
                                             std::to_string(rows.size()) + " values");
  for (size_t i = 0; i < rows.size(); ++i)
    if (!std::isfinite(rows[i]))
      throw io::Error(io::Fault::argument, name_of(sentence) + ", hypothesis " +
                                               std::to_string(i / width + 1) + ": feature '" +
                                               names_[i % width] + "' is " +
                                               (std::isnan(rows[i]) ? "not a number" : "infinite"));
  size_t added = 0;
  for (size_t i = 0; i < stats.size(); ++i) {
    s.stats.push_back(stats[i]);
    const auto last = static_cast<uint32_t>(s.stats.size() - 1);
    if (add_row(s, rows.subspan(i * width, width), last).second)
      ++added;
    else
      s.stats.pop_back();
  }
  return added;
}

std::pair<uint32_t, bool> DevSet::add_row(Sentence& s, std::span<const double> row,
                                          uint32_t stats) const {
  const auto same_stats = [&](uint32_t other) {
    if (other == stats) return true;
    const bool scored = s.unscored.empty() || std::max(other, stats) < s.unscored.front();
    return scored && s.stats[other] == s.stats[stats];
  };
  const uint64_t hash = io::checksum64(row.data(), row.size_bytes());
  const auto [first, last] = s.rows_by_hash.equal_range(hash);
  for (auto known = first; known != last; ++known)
    if (std::equal(row.begin(), row.end(), s.rows.begin() + known->second * row.size()) &&
        same_stats(s.row_stats[known->second]))
      return {known->second, false};
  const auto number = static_cast<uint32_t>(s.row_stats.size());
  s.rows_by_hash.emplace(hash, number);
  s.rows.insert(s.rows.end(), row.begin(), row.end());
  s.row_stats.push_back(stats);
  s.best.push_back(0);
  return {number, true};
}

void DevSet::set_forest(size_t sentence, const forest::Forest& forest) {
  Sentence& s = at(sentence);
  const features::FeatureSpace& theirs = forest.features();
  bool same = theirs.size() == names_.size();
  for (uint32_t i = 0; same && i < names_.size(); ++i) same = theirs.name(i) == names_[i];
  if (!same)
    throw io::Error(io::Fault::argument, name_of(sentence) + ": the forest names other features (" +
                                             std::to_string(theirs.size()) + " instead of " +
                                             std::to_string(names_.size()) +
                                             ", or in another order)");
  s.forest = forest;
}

void DevSet::begin(std::span<const double> weights, std::span<const double> directions,
                   Scope scope) {
  if (weights.size() != features() || directions.size() % features() != 0 || directions.empty())
    throw io::Error(io::Fault::argument,
                    "weights and directions must have " + std::to_string(features()) + " features");
  for (const std::span<const double> values : {weights, directions})
    for (size_t i = 0; i < values.size(); ++i)
      if (!std::isfinite(values[i]))
        throw io::Error(io::Fault::argument,
                        "the weight of feature '" + names_[i % features()] + "' is not finite");
  weights_.assign(weights.begin(), weights.end());
  directions_.assign(directions.begin(), directions.end());
  scope_ = scope;
  for (Sentence& s : sentences_) {
    s.path.assign(directions_.size() / features(), {});
    std::fill(s.best.begin(), s.best.end(), 0);
    s.truncated = false;
  }
}

void DevSet::check_range(size_t first, size_t end) const {
  if (first > end || end > sentences_.size())
    throw io::Error(io::Fault::argument, "there is no such range of sentences");
}

std::vector<Unscored> DevSet::explore(size_t first, size_t end, std::span<const double> weights,
                                      std::span<const double> gains, size_t k, unsigned threads) {
  check_range(first, end);
  std::vector<Unscored> found(end - first);
  parallel_for(found.size(), threads, [&](size_t i, unsigned) {
    explore_sentence(first + i, weights, gains, k, found[i]);
  });
  std::erase_if(found, [](const Unscored& u) { return u.texts.empty(); });
  return found;
}

void DevSet::explore_sentence(size_t number, std::span<const double> weights,
                              std::span<const double> gains, size_t k, Unscored& unscored) {
  Sentence& s = sentences_[number];
  unscored.sentence = number;
  check_scored(s.unscored.empty(), number);
  if (!s.forest) return;
  const forest::Forest& f = *s.forest;
  const std::vector<double> model = forest::edge_scores(f, weights);
  std::vector<double> row(features());
  for (const double gain : gains) {
    std::vector<double> score = model;
    for (size_t e = 0; e < score.size(); ++e) score[e] -= gain * f.loss[e];
    forest::KBest best(f, score, {.k = k, .unique = true});
    for (size_t rank = 0; rank < k && best.reach(rank); ++rank) {
      const forest::Derivation derivation = best.derivation(rank);
      std::fill(row.begin(), row.end(), 0.0);
      add_features(f, derivation, row);
      add_row(s, row, text_stats(s, derivation, unscored));
    }
  }
}

std::vector<Unscored> DevSet::trace(size_t first, size_t end, unsigned threads) {
  check_range(first, end);
  std::vector<Unscored> found(end - first);
  std::vector<Scratch> scratch(std::max(threads, 1u));
  parallel_for(found.size(), threads, [&](size_t i, unsigned worker) {
    trace_sentence(first + i, scratch[worker], found[i]);
  });
  std::erase_if(found, [](const Unscored& u) { return u.texts.empty(); });
  return found;
}

// A hypothesis of the list is the line w.f + x d.f; scratch.intercept holds the w.f.
void DevSet::list_envelope(std::span<const double> direction, Scratch& scratch) const {
  scratch.list.clear();
  const size_t rows = scratch.intercept.size();
  if (rows == 0) return;
  multiply(scratch.columns, direction, rows, scratch.slope);
  above_chords(scratch.slope, scratch.intercept, scratch.merged);
  std::sort(scratch.merged.begin(), scratch.merged.end(),
            [](const forest::Line& a, const forest::Line& b) {
              if (a.slope != b.slope) return a.slope < b.slope;
              if (a.intercept != b.intercept) return a.intercept > b.intercept;
              return a.origin < b.origin;
            });
  for (const forest::Line& line : scratch.merged) forest::push_line(scratch.list, line);
}

void DevSet::trace_sentence(size_t number, Scratch& scratch, Unscored& unscored) {
  Sentence& s = sentences_[number];
  unscored.sentence = number;
  const size_t rows = s.row_stats.size();
  if (rows == 0 && !s.forest)
    throw io::Error(io::Fault::argument, name_of(number) + " has no hypothesis");
  check_scored(s.unscored.empty(), number);
  scratch.columns.resize(s.rows.size());
  for (size_t r = 0; r < rows; ++r)
    for (size_t f = 0; f < features(); ++f)
      scratch.columns[f * rows + r] = s.rows[r * features() + f];
  multiply(scratch.columns, weights_, rows, scratch.intercept);
  std::vector<double> forest_intercept;
  if (s.forest && (scope_ == Scope::all || rows == 0))
    forest_intercept = forest::edge_scores(*s.forest, weights_);

  scratch.found.clear();
  scratch.found_stats.clear();
  for (size_t d = 0; d < s.path.size(); ++d)
    trace_direction(s, d, forest_intercept, scratch, unscored);
  for (size_t i = 0; i < scratch.found_stats.size(); ++i) {
    const auto row = std::span(scratch.found).subspan(i * features(), features());
    s.best[add_row(s, row, scratch.found_stats[i]).first] = 1;
  }
}

void DevSet::trace_direction(Sentence& s, size_t d, std::span<const double> forest_intercept,
                             Scratch& scratch, Unscored& unscored) {
  list_envelope(direction(d), scratch);
  const auto rows = static_cast<uint32_t>(scratch.intercept.size());
  forest::Lines lines(max_segments_);
  scratch.forest.clear();
  if (!forest_intercept.empty()) {
    const std::vector<double> slope = forest::edge_scores(*s.forest, direction(d));
    scratch.forest = forest::envelope_inside(*s.forest, slope, forest_intercept, lines).lines();
    s.truncated |= lines.truncated();
  }
  // Origins below `rows` are of the list, the others of the forest.
  std::vector<uint32_t> origin(scratch.forest.size());
  for (uint32_t i = 0; i < origin.size(); ++i) {
    origin[i] = scratch.forest[i].origin;
    scratch.forest[i].origin = rows + i;
  }
  forest::merge_lines(scratch.list, scratch.forest, scratch.merged);
  for (const forest::Line& line : scratch.merged) {
    if (line.origin < rows) {
      s.best[line.origin] = 1;
      s.path[d].push_back({line.from, s.row_stats[line.origin]});
      continue;
    }
    const forest::Derivation derivation = lines.derivation(origin[line.origin - rows]);
    const uint32_t stats = text_stats(s, derivation, unscored);
    s.path[d].push_back({line.from, stats});
    scratch.found.resize(scratch.found.size() + features());
    add_features(*s.forest, derivation, std::span(scratch.found).last(features()));
    scratch.found_stats.push_back(stats);
  }
}

uint32_t DevSet::text_stats(Sentence& s, const forest::Derivation& derivation, Unscored& unscored) {
  std::string text = text_of(*s.forest, derivation);
  const auto [known, fresh] = s.texts.emplace(text, static_cast<uint32_t>(s.stats.size()));
  if (fresh) {
    s.unscored.push_back(known->second);
    s.stats.emplace_back();
    unscored.texts.push_back(std::move(text));
  }
  return known->second;
}

void DevSet::score(size_t sentence, std::span<const metrics::BleuStats> stats) {
  Sentence& s = at(sentence);
  if (stats.size() != s.unscored.size())
    throw io::Error(io::Fault::argument, name_of(sentence) + ": " + std::to_string(stats.size()) +
                                             " rows of statistics for " +
                                             std::to_string(s.unscored.size()) + " hypotheses");
  for (size_t i = 0; i < stats.size(); ++i) s.stats[s.unscored[i]] = stats[i];
  s.unscored.clear();
  if (!stats.empty()) readd_rows(s, static_cast<uint32_t>(s.stats.size() - stats.size()));
}

void DevSet::readd_rows(Sentence& s, uint32_t first_stats) const {
  const auto first =
      static_cast<size_t>(std::find_if(s.row_stats.begin(), s.row_stats.end(),
                                       [&](uint32_t stats) { return stats >= first_stats; }) -
                          s.row_stats.begin());
  const std::vector<double> rows(s.rows.begin() + first * features(), s.rows.end());
  const std::vector<uint32_t> stats(s.row_stats.begin() + first, s.row_stats.end());
  const std::vector<char> best(s.best.begin() + first, s.best.end());
  s.rows.resize(first * features());
  s.row_stats.resize(first);
  s.best.resize(first);
  std::erase_if(s.rows_by_hash, [&](const auto& known) { return known.second >= first; });
  for (size_t r = 0; r < stats.size(); ++r) {
    const auto row = std::span(rows).subspan(r * features(), features());
    s.best[add_row(s, row, stats[r]).first] |= best[r];
  }
}

std::vector<Step> DevSet::steps(double margin, unsigned threads) const {
  for (size_t i = 0; i < sentences_.size(); ++i) {
    const Sentence& s = sentences_[i];
    if (s.path.empty() || s.path[0].empty() || !s.unscored.empty())
      throw io::Error(io::Fault::argument, name_of(i) + " was not traced and scored");
  }
  std::vector<Step> best(directions_.size() / features());
  parallel_for(best.size(), threads, [&](size_t d, unsigned) {
    std::vector<Path> paths;
    for (const Sentence& s : sentences_) paths.push_back({s.path[d], s.stats.data()});
    best[d] = best_step(paths, margin);
  });
  return best;
}

void DevSet::forget() {
  for (Sentence& s : sentences_) {
    if (!s.forest) continue;
    const std::vector<double> rows = std::exchange(s.rows, {});
    const std::vector<uint32_t> stats = std::exchange(s.row_stats, {});
    const std::vector<char> best = std::exchange(s.best, {});
    s.rows_by_hash.clear();
    for (size_t r = 0; r < best.size(); ++r)
      if (best[r]) add_row(s, std::span(rows).subspan(r * features(), features()), stats[r]);
    std::fill(s.best.begin(), s.best.end(), 1);
  }
}

size_t DevSet::hypotheses() const {
  size_t count = 0;
  for (const Sentence& s : sentences_) count += s.row_stats.size();
  return count;
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

}  // namespace demotic::learn
