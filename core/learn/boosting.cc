#include "learn/boosting.h"

#include <algorithm>
#include <memory>
#include <numeric>

#include "io/checksum.h"
#include "io/error.h"
#include "learn/boost_path.h"
#include "parallel.h"

namespace demotic::learn {

namespace {

void require(bool holds, const char* message) {
  if (!holds) throw io::Error(io::Fault::argument, message);
}

// Classifiers of the groups [begin, end) of `order`; the rows of each group are laid out once.
void train_some(const BoostExamples& examples, std::span<const BoostGroup> groups,
                std::span<const uint32_t> order, std::span<const uint64_t> firsts,
                const BoostOptions& options, unsigned threads,
                std::vector<features::TreeTables>& made) {
  std::vector<BoostRows> rows(order.size());
  parallel_for(order.size(), threads, [&](size_t i, unsigned) {
    const BoostGroup& group = groups[order[i]];
    rows[i] = BoostRows::of(examples.rows, group.begin, group.end, !options.atoms_only);
  });
  struct Task {
    uint32_t place;
    uint32_t classifier;
  };
  std::vector<Task> tasks;
  for (uint32_t i = 0; i < order.size(); ++i)
    for (uint32_t k = 0; k < groups[order[i]].classes; ++k) tasks.push_back({i, k});
  // A thread keeps the memory of a group's rows as long as it works on them.
  struct Worker {
    uint32_t place = UINT32_MAX;
    std::unique_ptr<Booster> booster;
    std::vector<uint8_t> positive;
  };
  std::vector<Worker> workers(std::max(threads, 1u));
  parallel_for(tasks.size(), threads, [&](size_t t, unsigned number) {
    Worker& worker = workers[number];
    const Task& task = tasks[t];
    const BoostGroup& group = groups[order[task.place]];
    const BoostRows& own = rows[task.place];
    worker.positive.resize(group.end - group.begin);
    for (uint64_t row = group.begin; row < group.end; ++row)
      worker.positive[row - group.begin] = examples.labels[row] == task.classifier;
    const std::span<const double> weights =
        examples.weights.empty() ? examples.weights
                                 : examples.weights.subspan(group.begin, group.end - group.begin);
    features::TreeTables& out = made[firsts[order[task.place]] + task.classifier];
    if (options.atoms_only) {
      train_atoms(own, worker.positive, weights, options, out);
      return;
    }
    if (worker.place != task.place) {
      worker.booster = std::make_unique<Booster>(own, options);
      worker.place = task.place;
    }
    worker.booster->train(worker.positive, weights, out);
  });
}

}  // namespace

void BoostOptions::check() const {
  require(lambda_min > 0 && lambda_min < 1e30, "lambda_min must be a positive number");
  require(decay > 0 && decay < 1, "the decay of lambda must be between 0 and 1");
  require(min_gain_factor >= 1 && min_gain_factor < 1e30, "min_gain_factor must be at least 1");
}

BoostRows BoostRows::of(const features::BinaryRowsView& rows, size_t begin, size_t end,
                        bool distinct) {
  BoostRows made;
  const uint64_t first = rows.ends[begin];
  const std::span<const uint32_t> all = rows.atoms.subspan(first, rows.ends[end] - first);
  made.names.assign(all.begin(), all.end());
  std::sort(made.names.begin(), made.names.end());
  made.names.erase(std::unique(made.names.begin(), made.names.end()), made.names.end());
  made.names.shrink_to_fit();
  made.row_atoms.reserve(all.size());
  std::vector<uint32_t> row;
  for (size_t i = begin; i < end; ++i) {
    row.assign(rows[i].begin(), rows[i].end());
    std::sort(row.begin(), row.end());
    row.erase(std::unique(row.begin(), row.end()), row.end());
    auto from = made.names.begin();
    for (const uint32_t atom : row) {
      from = std::lower_bound(from, made.names.end(), atom);
      made.row_atoms.push_back(static_cast<uint32_t>(from - made.names.begin()));
    }
    made.row_ends.push_back(made.row_atoms.size());
  }
  made.make_columns();
  if (distinct) made.keep_distinct();
  return made;
}

void BoostRows::make_columns() {
  column_ends.assign(names.size() + 1, 0);
  for (const uint32_t atom : row_atoms) ++column_ends[atom + 1];
  std::partial_sum(column_ends.begin(), column_ends.end(), column_ends.begin());
  column_rows.resize(row_atoms.size());
  std::vector<uint64_t> next(column_ends.begin(), column_ends.end() - 1);
  for (uint32_t i = 0; i < rows(); ++i)
    for (const uint32_t atom : row(i)) column_rows[next[atom]++] = i;
}

void BoostRows::keep_distinct() {
  constexpr uint32_t kGone = UINT32_MAX;
  std::vector<uint64_t> hashes(atoms(), 0);
  for (uint32_t atom = 0; atom < atoms(); ++atom)
    for (const uint32_t i : column(atom)) hashes[atom] += io::mix64(i + uint64_t{1});
  std::vector<uint32_t> alike(atoms());
  std::iota(alike.begin(), alike.end(), 0u);
  std::stable_sort(alike.begin(), alike.end(),
                   [&](uint32_t a, uint32_t b) { return hashes[a] < hashes[b]; });
  std::vector<uint32_t> number(atoms(), 0);
  for (size_t first = 0, k = 1; k < alike.size(); ++k) {
    const std::span<const uint32_t> one = column(alike[first]), other = column(alike[k]);
    if (std::equal(one.begin(), one.end(), other.begin(), other.end()))
      number[alike[k]] = kGone;
    else
      first = k;
  }
  uint32_t kept = 0;
  for (uint32_t atom = 0; atom < atoms(); ++atom) {
    if (number[atom] == kGone) continue;
    names[kept] = names[atom];
    number[atom] = kept++;
  }
  names.resize(kept);
  names.shrink_to_fit();
  size_t to = 0;
  for (size_t i = 0, from = 0; i < rows(); ++i) {
    for (const size_t end = row_ends[i + 1]; from < end; ++from)
      if (number[row_atoms[from]] != kGone) row_atoms[to++] = number[row_atoms[from]];
    row_ends[i + 1] = to;
  }
  row_atoms.resize(to);
  row_atoms.shrink_to_fit();
  make_columns();
}

features::TreeTables train_groups(const BoostExamples& examples, std::span<const BoostGroup> groups,
                                  const BoostOptions& options, unsigned threads) {
  options.check();
  const size_t rows = examples.rows.size();
  require(examples.labels.size() == rows, "each row needs a label");
  require(examples.weights.empty() || examples.weights.size() == rows, "each row needs a weight");
  for (const double weight : examples.weights)
    require(weight >= 0 && weight < 1e30, "the weight of an example must be a number from 0 on");
  std::vector<uint64_t> firsts;  // classifiers
  std::vector<uint64_t> work;
  uint64_t classifiers = 0;
  for (const BoostGroup& group : groups) {
    require(group.begin <= group.end && group.end <= rows, "a group's rows do not exist");
    require(group.end - group.begin < UINT32_MAX, "a group has too many rows");
    firsts.push_back(classifiers);
    classifiers += group.classes;
    work.push_back((examples.rows.ends[group.end] - examples.rows.ends[group.begin]) *
                   group.classes);
  }
  std::vector<uint32_t> order(groups.size());  // the largest first
  std::iota(order.begin(), order.end(), 0u);
  std::stable_sort(order.begin(), order.end(),
                   [&](uint32_t a, uint32_t b) { return work[a] > work[b]; });
  std::vector<features::TreeTables> made(classifiers);
  constexpr uint64_t kAtOnce = uint64_t{1} << 24;  // atoms laid out at a time
  for (size_t begin = 0; begin < order.size();) {
    size_t end = begin;
    for (uint64_t atoms = 0; end < order.size() && (end == begin || atoms < kAtOnce); ++end)
      atoms +=
          examples.rows.ends[groups[order[end]].end] - examples.rows.ends[groups[order[end]].begin];
    train_some(examples, groups, std::span(order).subspan(begin, end - begin), firsts, options,
               threads, made);
    begin = end;
  }
  features::TreeTables all;
  for (features::TreeTables& each : made) {
    all.add_classifier(each.view(), 0);
    each = {};
  }
  return all;
}

}  // namespace demotic::learn
