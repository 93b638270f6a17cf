#include "learn/label_task.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "io/checksum.h"
#include "io/error.h"
#include "parallel.h"

namespace demotic::learn {

namespace {

constexpr size_t kChunk = 256;  // sentences that a thread takes at once
constexpr uint32_t kNoLabel = UINT32_MAX;

// A number in [0, 1) for each place that asks for one.
double draw(uint64_t seed, uint64_t a, uint64_t b = 0) {
  const uint64_t mixed = io::mix64(io::mix64(io::mix64(seed + 0x9e3779b97f4a7c15ull) + a) ^ ~b);
  return static_cast<double>(mixed >> 11) * 0x1p-53;
}

}  // namespace

LabelTask::LabelTask(const events::LabelCorpus& corpus, bool masked, uint32_t depth_rows)
    : corpus_(corpus),
      masked_(masked),
      depth_rows_(depth_rows),
      most_(events::reductions_of(corpus.labels() - 1)),
      order_(corpus.labels()) {
  if (corpus.labels() < 3) throw io::Error(io::Fault::argument, "no labels to learn");
  std::iota(order_.begin(), order_.end(), 0u);
  std::stable_sort(order_.begin(), order_.end(), [&](uint32_t a, uint32_t b) {
    return corpus.label_counts[a] > corpus.label_counts[b];
  });
}

// One sentence at a time.
struct LabelTask::Worker {
  explicit Worker(const LabelTask& task)
      : task(task), corpus(task.corpus_), scores(order_stride(task)) {}

  static size_t order_stride(const LabelTask& task) { return (task.order_.size() + 15) / 16 * 16; }

  const LabelTask& task;
  const events::LabelCorpus& corpus;
  std::vector<float> scores;
  size_t first = 0, count = 0;
  std::vector<uint32_t> left;        // by item: those with target words behind it
  std::vector<uint32_t> gold_depth;  // by item: before it
  std::vector<uint32_t> to_go;       // V, rows of count + 2

  void begin(size_t sentence) {
    const auto [begin, end] = corpus.sentence(sentence);
    first = begin;
    count = end - begin;
    left.assign(count, 0);
    gold_depth.assign(count + 1, 0);
    for (size_t t = count; t-- > 1;) left[t - 1] = left[t] + (corpus.empty[first + t] ? 0 : 1);
    for (size_t t = 0; t < count; ++t)
      gold_depth[t + 1] = gold_depth[t] + 1 - events::reductions_of(corpus.gold[first + t]);
    if (task.masked_) work_out();
  }

  uint32_t& value(size_t t, uint32_t depth) { return to_go[t * (count + 2) + depth]; }

  void work_out() {
    to_go.assign((count + 1) * (count + 2), kNever);
    value(count, 1) = 0;
    for (size_t t = count; t-- > 0;)
      for (uint32_t depth = 0; depth <= t; ++depth) {
        if (corpus.forced[first + t]) {
          value(t, depth) = value(t + 1, forced_depth(depth));
          continue;
        }
        uint32_t best = kNever;
        const events::LabelMask mask{depth, left[t], task.most_};
        const uint32_t last = std::min(depth, task.most_);
        for (uint32_t r = mask.least(); r <= last; ++r) {
          const uint32_t rest = value(t + 1, depth + 1 - r);
          if (rest == kNever) continue;
          const bool right = r == events::reductions_of(corpus.gold[first + t]);
          best = std::min(best, rest + (right ? 0 : 1));
        }
        value(t, depth) = best;
      }
  }

  // A forced item joins what is there.
  static uint32_t forced_depth(uint32_t depth) { return std::max(depth, 1u); }

  bool allowed(size_t t, uint32_t depth, uint32_t label) const {
    if (!task.masked_) return true;
    return events::LabelMask{depth, left[t], task.most_}.allows(label);
  }
  bool seen(uint32_t label) const { return corpus.label_counts[label] > 0; }
  // Labels of training; where none of these is allowed, all that are.
  template <class Visit>
  void each_choice(size_t t, uint32_t depth, Visit&& visit) const {
    bool any = false;
    for (const uint32_t label : task.order_)
      if (seen(label) && allowed(t, depth, label)) {
        any = true;
        visit(label);
      }
    if (any) return;
    for (const uint32_t label : task.order_)
      if (allowed(t, depth, label)) visit(label);
  }

  uint32_t cost_of(size_t t, uint32_t depth, uint32_t label) {
    const uint32_t wrong = label == corpus.gold[first + t] ? 0 : 1;
    if (!task.masked_) return wrong;
    const uint32_t rest = value(t + 1, depth + 1 - events::reductions_of(label));
    return rest == kNever ? kNever : wrong + rest;
  }

  // Of least cost; of equals the right one, then the one whose depth is nearest to the right one,
  // then the lowest.
  uint32_t expert(size_t t, uint32_t depth) {
    const uint32_t gold = corpus.gold[first + t];
    if (!task.masked_) return gold;
    uint32_t best = kNoLabel;
    const auto distance = [&](uint32_t label) {
      const auto after = static_cast<int64_t>(depth) + 1 - events::reductions_of(label);
      return std::abs(after - static_cast<int64_t>(gold_depth[t + 1]));
    };
    for (uint32_t label = 0; label < task.order_.size(); ++label) {
      if (!allowed(t, depth, label)) continue;
      const uint32_t cost = cost_of(t, depth, label);
      if (best == kNoLabel) {
        best = label;
        continue;
      }
      const uint32_t known = cost_of(t, depth, best);
      if (cost != known) {
        if (cost < known) best = label;
      } else if (best != gold && (label == gold || distance(label) < distance(best))) {
        best = label;
      }
    }
    return best;
  }

  void score(size_t t, uint32_t depth, std::span<const float> weights) {
    std::fill(scores.begin(), scores.end(), 0.0f);
    const auto add = [&](uint32_t row) {
      if (row == events::kNoRow) return;
      const float* const values = weights.data() + size_t{row} * scores.size();
      for (size_t i = 0; i < scores.size(); ++i) scores[i] += values[i];
    };
    for (const uint32_t row : corpus.rows_of(first + t)) add(row);
    if (task.depth_rows_ > 0) add(depth_row(depth));
  }
  uint32_t depth_row(uint32_t depth) const {
    return corpus.features + std::min(depth, task.depth_rows_ - 1);
  }

  // On a stack that is too small for it, the best label that fits; that is how decoders choose.
  uint32_t predict(size_t t, uint32_t depth, std::span<const float> weights) {
    score(t, depth, weights);
    uint32_t best = kNoLabel;
    each_choice(t, depth, [&](uint32_t label) {
      if (events::reductions_of(label) > depth) return;
      if (best == kNoLabel || scores[label] > scores[best]) best = label;
    });
    return best == kNoLabel ? events::kShift : best;
  }

  uint32_t choose(size_t t, uint32_t depth, const LabelMixture& policy, double drawn) {
    for (size_t i = 0; i < policy.weights.size(); ++i) {
      if (drawn < policy.shares[i]) return predict(t, depth, policy.weights[i]);
      drawn -= policy.shares[i];
    }
    return expert(t, depth);
  }

  // Unmasked, the expert's label may ask for more than there is.
  static uint32_t take(uint32_t depth, uint32_t label) {
    return depth + 1 - std::min(events::reductions_of(label), depth);
  }

  bool is_choice(size_t t, uint32_t depth) const {
    if (corpus.forced[first + t]) return false;
    uint32_t choices = 0;
    each_choice(t, depth, [&](uint32_t) { ++choices; });
    return choices > 1;
  }

  // visit(t, depth, label) of each step.
  template <class Visit>
  void walk(const LabelMixture& policy, uint64_t seed, Visit&& visit) {
    const double whole = draw(seed, 0, 1);
    uint32_t depth = 0;
    for (size_t t = 0; t < count; ++t) {
      if (corpus.forced[first + t]) {
        visit(t, depth, uint32_t{corpus.gold[first + t]});
        depth = forced_depth(depth);
        continue;
      }
      const double drawn = policy.for_rollout ? whole : draw(seed, t + 1);
      const uint32_t label = choose(t, depth, policy, drawn);
      visit(t, depth, label);
      depth = take(depth, label);
    }
  }

  // The loss of one way from there to the end.
  uint32_t roll_out(size_t t, uint32_t depth, const LabelMixture& policy, uint64_t seed) {
    const double whole = draw(seed, 0, 1);
    uint32_t loss = 0;
    for (; t < count; ++t) {
      if (corpus.forced[first + t]) {
        depth = forced_depth(depth);
        continue;
      }
      const double drawn = policy.for_rollout ? whole : draw(seed, t + 1);
      const uint32_t label = choose(t, depth, policy, drawn);
      loss += label == corpus.gold[first + t] ? 0 : 1;
      depth = take(depth, label);
    }
    return loss;
  }

  void add_example(size_t t, uint32_t depth, RollOut kind, const LabelMixture& mixture,
                   const RollOptions& options, uint64_t seed, CostExamples& made) {
    std::vector<uint32_t> costs(task.order_.size(), kNever);
    const uint32_t right = kind == RollOut::none ? expert(t, depth) : kNoLabel;
    uint32_t least = kNever;
    each_choice(t, depth, [&](uint32_t label) {
      uint32_t cost = 0;
      if (kind == RollOut::none) {
        cost = label == right ? 0 : 1;
      } else if (kind == RollOut::expert || !task.masked_) {
        cost = cost_of(t, depth, label);
      } else {
        const uint64_t own = io::mix64(seed + t + 1) + (options.shared ? 0 : label + 1);
        cost = (label == corpus.gold[first + t] ? 0 : 1) +
               roll_out(t + 1, take(depth, label), mixture, own);
      }
      costs[label] = cost;
      least = std::min(least, cost);
    });
    const auto rows = corpus.rows_of(first + t);
    made.rows.insert(made.rows.end(), rows.begin(), rows.end());
    if (task.depth_rows_ > 0) made.rows.push_back(depth_row(depth));
    for (const uint32_t cost : costs)
      made.costs.push_back(cost == kNever ? CostExamples::kForbidden
                                          : static_cast<uint8_t>(std::min(cost - least, 254u)));
  }
};

CostExamples LabelTask::examples(const LabelMixture& roll_in, RollOut kind,
                                 const LabelMixture& roll_out, const RollOptions& options,
                                 unsigned threads) const {
  for (const LabelMixture* mixture : {&roll_in, &roll_out})
    for (const std::span<const float> weights : mixture->weights)
      if (weights.size() != size_t{rows()} * Worker::order_stride(*this))
        throw io::Error(io::Fault::argument, "weights of other features");
  const size_t chunks = (corpus_.sentences() + kChunk - 1) / kChunk;
  std::vector<CostExamples> parts(chunks);
  std::vector<Worker> workers;
  for (unsigned i = 0; i < std::max(1u, threads); ++i) workers.emplace_back(*this);
  parallel_for(chunks, threads, [&](size_t chunk, unsigned at) {
    Worker& worker = workers[at];
    CostExamples& made = parts[chunk];
    made.width = width();
    made.labels = static_cast<uint32_t>(order_.size());
    const size_t end = std::min(corpus_.sentences(), (chunk + 1) * kChunk);
    for (size_t s = chunk * kChunk; s < end; ++s) {
      const uint64_t seed = io::mix64(options.seed * 0x9e3779b97f4a7c15ull + s);
      worker.begin(s);
      worker.walk(roll_in, seed, [&](size_t t, uint32_t depth, uint32_t) {
        if (worker.is_choice(t, depth))
          worker.add_example(t, depth, kind, roll_out, options, seed, made);
      });
    }
  });
  CostExamples all;
  all.width = width();
  all.labels = static_cast<uint32_t>(order_.size());
  for (const CostExamples& part : parts) all.append(part);
  return all;
}

LabelTask::Accuracy LabelTask::accuracy(const LabelMixture& policy, uint64_t seed) const {
  Accuracy found;
  Worker worker(*this);
  for (size_t s = 0; s < corpus_.sentences(); ++s) {
    worker.begin(s);
    worker.walk(policy, io::mix64(seed + s), [&](size_t t, uint32_t depth, uint32_t label) {
      if (depth == 0 || !worker.is_choice(t, depth)) return;
      ++found.labels;
      found.right += label == corpus_.gold[worker.first + t] ? 1 : 0;
    });
  }
  return found;
}

std::vector<uint8_t> LabelTask::labels(size_t sentence, const LabelMixture& policy,
                                       uint64_t seed) const {
  Worker worker(*this);
  worker.begin(sentence);
  std::vector<uint8_t> found;
  worker.walk(policy, seed, [&](size_t, uint32_t, uint32_t label) {
    found.push_back(static_cast<uint8_t>(label));
  });
  return found;
}

std::vector<std::vector<uint32_t>> LabelTask::costs_to_go(size_t sentence) const {
  if (!masked_) throw io::Error(io::Fault::argument, "without a mask there is nothing to work out");
  Worker worker(*this);
  worker.begin(sentence);
  std::vector<std::vector<uint32_t>> rows;
  for (size_t t = 0; t <= worker.count; ++t) {
    rows.emplace_back();
    for (uint32_t depth = 0; depth <= t; ++depth) rows.back().push_back(worker.value(t, depth));
  }
  return rows;
}

double LabelTask::log_likelihood(std::span<const float> weights, double temperature) const {
  if (weights.size() != size_t{rows()} * Worker::order_stride(*this))
    throw io::Error(io::Fault::argument, "weights of other features");
  Worker worker(*this);
  double sum = 0;
  for (size_t s = 0; s < corpus_.sentences(); ++s) {
    worker.begin(s);
    for (size_t t = 0; t < worker.count; ++t) {
      const uint32_t depth = worker.gold_depth[t];
      const uint32_t gold = corpus_.gold[worker.first + t];
      if (depth == 0 || gold >= corpus_.labels() || !worker.is_choice(t, depth)) continue;
      if (!worker.seen(gold)) continue;
      worker.score(t, depth, weights);
      double best = -INFINITY, total = 0;
      const auto each = [&](auto&& visit) {
        worker.each_choice(t, depth, [&](uint32_t label) {
          if (events::reductions_of(label) <= depth) visit(worker.scores[label] / temperature);
        });
      };
      each([&](double score) { best = std::max(best, score); });
      each([&](double score) { total += std::exp(score - best); });
      sum += worker.scores[gold] / temperature - best - std::log(total);
    }
  }
  return sum;
}

}  // namespace demotic::learn
