// One thread's work on the sentences of a LabelTask, one at a time: the inside of label_task.cc.
//
//   LabelTask::Worker worker(task);
//   worker.begin(sentence);
//   worker.walk(policy, seed, [&](size_t t, uint32_t depth, uint32_t label) { ... });
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <deque>
#include <numeric>
#include <span>
#include <vector>

#include "events/label_stack.h"
#include "features/tree_index.h"
#include "io/checksum.h"
#include "learn/label_task.h"
#include "metrics/sentence_bleu.h"

namespace demotic::learn {

inline constexpr uint32_t kNoLabel = UINT32_MAX;

// A number in [0, 1) for each place that asks for one.
inline double draw(uint64_t seed, uint64_t a, uint64_t b = 0) {
  const uint64_t mixed = io::mix64(io::mix64(io::mix64(seed + 0x9e3779b97f4a7c15ull) + a) ^ ~b);
  return static_cast<double>(mixed >> 11) * 0x1p-53;
}

struct LabelTask::Worker {
  explicit Worker(const LabelTask& task)
      : task(task), corpus(task.corpus_), scores(order_stride(task)) {}

  static size_t order_stride(const LabelTask& task) { return (task.order_.size() + 15) / 16 * 16; }

  const LabelTask& task;
  const events::LabelCorpus& corpus;
  std::vector<float> scores;
  struct Asked {
    Asked(const features::TreesView& all, uint32_t rows)
        : trees(&all), index(all, rows), ask(index) {}
    const features::TreesView* trees;
    features::TreeIndex index;
    features::TreeAsker ask;
  };
  std::deque<Asked> asked;  // trees that chose so far
  size_t first = 0, count = 0;
  std::vector<uint32_t> left;        // by item: those with target words behind it
  std::vector<uint32_t> gold_depth;  // by item: before it
  std::vector<uint32_t> to_go;       // V, rows of count + 2
  events::LabelStack stack;          // of the walk, where it is followed
  events::LabelStack tried;          // of a roll-out
  metrics::BleuReference reference;  // where the loss asks for it
  metrics::BleuScratch scratch;
  std::vector<uint32_t> words;

  bool follows() const { return task.options_.stack || task.options_.loss == LabelLoss::bleu; }
  bool by_bleu() const { return task.options_.loss == LabelLoss::bleu; }

  void begin(size_t sentence) {
    const auto [begin, end] = corpus.sentence(sentence);
    first = begin;
    count = end - begin;
    left.assign(count, 0);
    gold_depth.assign(count + 1, 0);
    for (size_t t = count; t-- > 1;) left[t - 1] = left[t] + (corpus.empty[first + t] ? 0 : 1);
    for (size_t t = 0; t < count; ++t)
      gold_depth[t + 1] = gold_depth[t] + 1 - events::reductions_of(corpus.gold[first + t]);
    stack.clear();
    if (task.options_.masked) work_out();
    if (by_bleu()) refer();
  }

  // The target sentence, of all items' words.
  void refer() {
    std::vector<size_t> order(count);
    std::iota(order.begin(), order.end(), first);
    std::stable_sort(order.begin(), order.end(),
                     [&](size_t a, size_t b) { return corpus.places[a] < corpus.places[b]; });
    words.clear();
    for (const size_t item : order) {
      const auto own = corpus.words_of(item);
      words.insert(words.end(), own.begin(), own.end());
    }
    const std::span<const uint32_t> whole(words);
    reference = metrics::BleuReference(std::span(&whole, 1));
  }

  void advance(events::LabelStack& on, size_t t, uint32_t label) const {
    if (!follows()) return;
    const size_t item = first + t;
    on.take(static_cast<uint32_t>(item), corpus.words_of(item), label, corpus.forced[item] != 0);
  }

  metrics::BleuStats statistics(const events::LabelStack& end) {
    words.clear();
    end.each_item([&](uint32_t item) {
      const auto own = corpus.words_of(item);
      words.insert(words.end(), own.begin(), own.end());
    });
    return reference.stats(words, scratch);
  }

  uint32_t bleu_loss(const events::LabelStack& end) {
    const double found = metrics::bleu(statistics(end), {}) / 100.0;
    return static_cast<uint32_t>(std::lround(200.0 * (1.0 - std::clamp(found, 0.0, 1.0))));
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
    if (!task.options_.masked) return true;
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
    if (!task.options_.masked) return wrong;
    const uint32_t rest = value(t + 1, depth + 1 - events::reductions_of(label));
    return rest == kNever ? kNever : wrong + rest;
  }

  // Of least cost; of equals the right one, then the one whose depth is nearest to the right one,
  // then the lowest.
  uint32_t expert(size_t t, uint32_t depth) {
    const uint32_t gold = corpus.gold[first + t];
    if (!task.options_.masked) return gold;
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

  void score(size_t t, uint32_t depth, const events::LabelStack& on, const LabelPolicy& policy) {
    if (policy.trees != nullptr) {
      features::TreeAsker& ask = asker(*policy.trees);
      ask.clear();
      each_row(t, depth, on, [&](uint32_t row) { ask.add(row); });
      ask.score_all(scores);
      return;
    }
    std::fill(scores.begin(), scores.end(), 0.0f);
    each_row(t, depth, on, [&](uint32_t row) {
      if (row == events::kNoRow) return;
      const float* const values = policy.weights.data() + size_t{row} * scores.size();
      for (size_t i = 0; i < scores.size(); ++i) scores[i] += values[i];
    });
  }
  features::TreeAsker& asker(const features::TreesView& trees) {
    for (Asked& each : asked)
      if (each.trees == &trees) return each.ask;
    return asked.emplace_back(trees, task.rows()).ask;
  }
  // All rows that are active there; kNoRow among them.
  template <class Visit>
  void each_row(size_t t, uint32_t depth, const events::LabelStack& on, Visit&& visit) const {
    for (const uint32_t row : corpus.rows_of(first + t)) visit(row);
    if (task.options_.depth_rows > 0) visit(depth_row(depth));
    if (task.options_.stack) each_state_row(t, on, visit);
  }
  template <class Visit>
  void each_state_row(size_t t, const events::LabelStack& on, Visit&& visit) const {
    const auto own = corpus.words_of(first + t);
    events::StateKeys keys;
    events::state_keys(on.state(), corpus.sides[first + t], own.front(), own.back(), keys);
    for (const uint64_t key : keys) visit((*corpus.state_rows)(key));
  }
  uint32_t depth_row(uint32_t depth) const {
    return corpus.features + std::min(depth, task.options_.depth_rows - 1);
  }

  // On a stack that is too small for it, the best label that fits; that is how decoders choose.
  uint32_t predict(size_t t, uint32_t depth, const events::LabelStack& on,
                   const LabelPolicy& policy) {
    score(t, depth, on, policy);
    uint32_t best = kNoLabel;
    each_choice(t, depth, [&](uint32_t label) {
      if (events::reductions_of(label) > depth) return;
      if (best == kNoLabel || scores[label] > scores[best]) best = label;
    });
    return best == kNoLabel ? events::kShift : best;
  }

  uint32_t choose(size_t t, uint32_t depth, const events::LabelStack& on,
                  const LabelMixture& policy, double drawn) {
    for (size_t i = 0; i < policy.policies.size(); ++i) {
      if (drawn < policy.shares[i]) return predict(t, depth, on, policy.policies[i]);
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
      const bool forced = corpus.forced[first + t] != 0;
      const double drawn = policy.for_rollout ? whole : draw(seed, t + 1);
      const uint32_t label =
          forced ? uint32_t{corpus.gold[first + t]} : choose(t, depth, stack, policy, drawn);
      visit(t, depth, label);
      depth = forced ? forced_depth(depth) : take(depth, label);
      advance(stack, t, label);
    }
  }

  // The loss of one way from there to the end; `tried` is the stack.
  uint32_t roll_out(size_t t, uint32_t depth, const LabelMixture& policy, uint64_t seed) {
    const double whole = draw(seed, 0, 1);
    uint32_t loss = 0;
    for (; t < count; ++t) {
      const bool forced = corpus.forced[first + t] != 0;
      const double drawn = policy.for_rollout ? whole : draw(seed, t + 1);
      const uint32_t gold = corpus.gold[first + t];
      const uint32_t label = forced ? gold : choose(t, depth, tried, policy, drawn);
      loss += label == gold ? 0 : 1;
      depth = forced ? forced_depth(depth) : take(depth, label);
      advance(tried, t, label);
    }
    return by_bleu() ? bleu_loss(tried) : loss;
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
      } else if (!by_bleu() && (kind == RollOut::expert || !(task.options_.masked || follows()))) {
        cost = cost_of(t, depth, label);
      } else {
        // The expert of the other loss follows the right labels as far as they fit.
        static const LabelMixture kExpert;
        const LabelMixture& goes_on = kind == RollOut::expert ? kExpert : mixture;
        const uint64_t own = io::mix64(seed + t + 1) + (options.shared ? 0 : label + 1);
        if (follows()) tried = stack;
        advance(tried, t, label);
        cost = roll_out(t + 1, take(depth, label), goes_on, own);
        // Under BLEU, too: of labels that come to the same, the right one is the cheapest.
        cost += label == corpus.gold[first + t] ? 0 : 1;
      }
      costs[label] = cost;
      least = std::min(least, cost);
    });
    each_row(t, depth, stack, [&](uint32_t row) { made.rows.push_back(row); });
    for (const uint32_t cost : costs)
      made.costs.push_back(cost == kNever ? CostExamples::kForbidden
                                          : static_cast<uint8_t>(std::min(cost - least, 254u)));
  }
};

}  // namespace demotic::learn
