// The learners of local_model.h, apart from local_model.cc, which has what they are measured by.
#include <algorithm>
#include <atomic>
#include <cmath>
#include <string>

#include "features/sparse_sum.h"
#include "io/error.h"
#include "learn/group_scores.h"
#include "learn/local_model.h"
#include "learn/softmax.h"
#include "learn/visit_order.h"
#include "parallel.h"

namespace demotic::learn {

namespace {

constexpr uint64_t kShard = 256;  // visits of a minibatch that one thread sums at a time
constexpr uint64_t kAhead = 16;   // visits whose memory is asked for ahead of their turn

// Other threads may change the weight meanwhile.
float read(const float& weight) {
  return std::atomic_ref(const_cast<float&>(weight)).load(std::memory_order_relaxed);
}

}  // namespace

struct LocalLearner::Step {
  std::vector<double> p;     // scratch: scores, then probabilities
  std::vector<double> mean;  // scratch: of each feature
  std::vector<double> dense;
  std::vector<SparseStep> sparse;

  void clear(uint32_t width) {
    mean.resize(width);
    dense.assign(width, 0.0);
    sparse.clear();
  }
};

LocalLearner::LocalLearner(const events::EventGroups& events, LocalOptions options,
                           LocalWeights initial)
    : events_(events), options_(std::move(options)), weights_(std::move(initial)) {
  const auto require = [](bool holds, const char* message) {
    if (!holds) throw io::Error(io::Fault::argument, message);
  };
  require(weights_.dense.size() == events.width && weights_.sparse.size() == events.sparse_size,
          "a weight is needed per feature");
  require(options_.train_dense.empty() || options_.train_dense.size() == events.width,
          "train_dense: a value is needed per feature");
  require(std::isfinite(options_.eta_dense) && std::isfinite(options_.eta_sparse) &&
              options_.eta_dense >= 0 && options_.eta_sparse >= 0,
          "the step size is a finite number, 0 or more");
  require(std::isfinite(options_.l2) && options_.l2 >= 0, "l2 is a finite number, 0 or more");
  require_costs(events, options_.loss);
  require(options_.minibatch == 0 || options_.rule == LearningRule::sgd,
          "a perceptron sees one event at a time");
  require(!options_.hogwild ||
              (options_.rule == LearningRule::sgd && !options_.adagrad && options_.minibatch == 0),
          "hogwild goes with plain stochastic gradient descent");
  if (options_.rule == LearningRule::averaged_perceptron)
    sums_ = {std::vector<double>(events.width, 0.0), std::vector<double>(events.sparse_size, 0.0)};
  if (options_.adagrad) {
    dense_squares_.assign(events.width, 0.0);
    sparse_squares_.assign(events.sparse_size, 0.0f);
  }
}

uint64_t LocalLearner::visits() const {
  return options_.by_group ? events_.groups() : events_.events();
}

LocalLearner::Visit LocalLearner::visit(uint64_t number) const {
  if (options_.by_group) return {number, events_.event_ptr[number], events_.labels(number)};
  return {events_.group[number], number, events_.label.view().subspan(number, 1)};
}

// Memory is asked for ahead of its turn, in the order in which one address leads to the next: the
// borders of a visit, those of its group, its features.
void LocalLearner::fetch_borders(uint64_t number) const {
  if (options_.by_group) {
    __builtin_prefetch(events_.event_ptr.data() + number);
    __builtin_prefetch(events_.group_ptr.data() + number);
  } else {
    __builtin_prefetch(events_.group.data() + number);
    __builtin_prefetch(events_.label.data() + number);
  }
}

void LocalLearner::fetch_group(uint64_t number) const {
  if (options_.by_group)
    __builtin_prefetch(events_.label.data() + events_.event_ptr[number]);
  else
    __builtin_prefetch(events_.group_ptr.data() + events_.group[number]);
}

void LocalLearner::fetch_features(uint64_t number) const {
  const size_t group = options_.by_group ? number : events_.group[number];
  const size_t rows = events_.rows(group);
  const auto fetch = [](const void* data, size_t size) {
    for (size_t at = 0; at < size; at += 64)
      __builtin_prefetch(static_cast<const char*>(data) + at);
  };
  fetch(events_.column(group, 0), rows * events_.width * sizeof(float));
  if (const uint32_t* const b = events_.binary_of(group)) fetch(b, rows * sizeof(uint32_t));
  if (events_.sparse_ends.empty()) return;
  const uint64_t first = events_.sparse_ends[events_.group_ptr[group]];
  const uint64_t last = events_.sparse_ends[events_.group_ptr[group + 1]];
  fetch(events_.sparse_ids.data() + first, (last - first) * sizeof(uint32_t));
  fetch(events_.sparse_values.data() + first, (last - first) * sizeof(float));
}

// Adds minus the derivative of the loss by the weights; for the likelihood that is the sum of
// p_j (x_y - x_j) for each label y: equation 9 without the step size.
void LocalLearner::add_direction(const Visit& visit, std::span<const double> dense, bool shared,
                                 Step& step, Objective& sum) const {
  const uint32_t n = events_.rows(visit.group);
  if (visit.labels.empty()) return;  // a group that no event has chosen from
  const auto labels = static_cast<double>(visit.labels.size());
  if (is_trivial(events_, visit.group)) {
    sum.events += visit.labels.size();
    sum.trivial += visit.labels.size();
    sum.right += visit.labels.size();
    return;
  }
  std::vector<double>& p = step.p;
  p.resize(std::max(p.size(), softmax_room(n)));
  const auto weight = [&](uint32_t id) {
    return shared ? read(weights_.sparse[id]) : weights_.sparse[id];
  };
  score_group(events_, visit.group, dense.data(), weight, p.data());
  measure(events_, visit.group, visit.labels, visit.event, options_.loss, p.data(), sum);
  const float* const x = events_.column(visit.group, 0);
  const bool by_cost = options_.loss == EventLoss::expected_cost;
  if (by_cost) to_cost_direction(events_.costs(visit.group), labels, p.data());
  expectations(p.data(), events_.width, x, n, step.mean.data());
  for (uint32_t f = 0; f < events_.width; ++f) {
    if (by_cost) {
      step.dense[f] += step.mean[f];
      continue;
    }
    double truth = 0.0;
    for (const uint32_t y : visit.labels) truth += static_cast<double>(x[size_t{f} * n + y]);
    step.dense[f] += truth - labels * step.mean[f];
  }
  if (!events_.has_sparse() || !options_.train_sparse) return;
  if (!by_cost) {
    for (uint32_t j = 0; j < n; ++j) p[j] *= -labels;
    for (const uint32_t y : visit.labels) p[y] += 1.0;
  }
  events_.for_each_sparse(visit.group, [&](uint32_t j, uint32_t id, float value) {
    step.sparse.push_back({id, p[j] * static_cast<double>(value)});
  });
}

void LocalLearner::add_dense(size_t f, double direction) {
  double step = options_.eta_dense * direction;
  if (options_.adagrad) {
    dense_squares_[f] += direction * direction;
    if (dense_squares_[f] > 0) step /= std::sqrt(dense_squares_[f]);
  }
  weights_.dense[f] += step;
}

void LocalLearner::add_sparse(uint32_t id, double direction) {
  double step = options_.eta_sparse * direction;
  if (options_.adagrad) {
    sparse_squares_[id] += static_cast<float>(direction * direction);
    if (sparse_squares_[id] > 0) step /= std::sqrt(static_cast<double>(sparse_squares_[id]));
  }
  weights_.sparse[id] += static_cast<float>(step);
}

// Where candidates have many features each, they have many in common, and AdaGrad is to see one
// direction for each feature.
void LocalLearner::apply(const Step& step) {
  for (uint32_t f = 0; f < events_.width; ++f)
    if (trains(f)) add_dense(f, step.dense[f]);
  if (!options_.adagrad || events_.sparse_ends.empty()) {
    for (const SparseStep& each : step.sparse) add_sparse(each.feature, each.step);
    return;
  }
  features::SparseSum sum;
  for (const SparseStep& each : step.sparse) sum.add(each.feature, each.step);
  const features::SparseVector total = sum.take();
  for (size_t i = 0; i < total.ids.size(); ++i) add_sparse(total.ids[i], total.values[i]);
}

Objective LocalLearner::run(uint64_t pass, uint64_t begin, uint64_t end, unsigned threads) {
  end = std::min<uint64_t>(end, visits());
  if (begin >= end) return {};
  if (options_.minibatch > 0) return run_minibatch(pass, begin, end, threads);
  if (options_.hogwild) return run_hogwild(pass, begin, end, std::max(1u, threads));
  return run_sequential(pass, begin, end);
}

Objective LocalLearner::run_sequential(uint64_t pass, uint64_t begin, uint64_t end) {
  const VisitOrder order(visits(), options_.seed, pass);
  Step step;
  Objective sum;
  uint64_t next[kAhead];
  for (uint64_t i = 0; i < kAhead && begin + i < end; ++i)
    next[(begin + i) % kAhead] = order(begin + i);
  for (uint64_t i = begin; i < end; ++i) {
    uint64_t& slot = next[i % kAhead];
    const Visit now = visit(slot);
    if (i + kAhead < end) fetch_borders(slot = order(i + kAhead));
    if (i + kAhead / 2 < end) fetch_group(next[(i + kAhead / 2) % kAhead]);
    if (i + kAhead / 4 < end) fetch_features(next[(i + kAhead / 4) % kAhead]);
    if (options_.rule == LearningRule::sgd) {
      step.clear(events_.width);
      add_direction(now, weights_.dense, false, step, sum);
      apply(step);
    } else {
      for (size_t k = 0; k < now.labels.size(); ++k)
        perceptron_event(now.group, now.event + k, step.p, sum);
    }
  }
  return sum;
}

Objective LocalLearner::run_minibatch(uint64_t pass, uint64_t begin, uint64_t end,
                                      unsigned threads) {
  const VisitOrder order(visits(), options_.seed, pass);
  Objective total;
  for (uint64_t first = begin; first < end; first += options_.minibatch) {
    const uint64_t last = std::min<uint64_t>(end, first + options_.minibatch);
    const size_t shards = (last - first + kShard - 1) / kShard;
    std::vector<Step> parts(shards);
    std::vector<Objective> sums(shards);
    parallel_for(shards, threads, [&](size_t shard, unsigned) {
      parts[shard].clear(events_.width);
      const uint64_t stop = std::min(last, first + (shard + 1) * kShard);
      for (uint64_t i = first + shard * kShard; i < stop; ++i)
        add_direction(visit(order(i)), weights_.dense, false, parts[shard], sums[shard]);
    });
    Step& whole = parts[0];
    for (size_t shard = 1; shard < shards; ++shard) {
      for (uint32_t f = 0; f < events_.width; ++f) whole.dense[f] += parts[shard].dense[f];
      whole.sparse.insert(whole.sparse.end(), parts[shard].sparse.begin(),
                          parts[shard].sparse.end());
    }
    apply(whole);
    for (const Objective& sum : sums) total += sum;
  }
  return total;
}

// Niu et al. (2011).  Each thread has dense weights of its own, averaged at the end of the slice.
Objective LocalLearner::run_hogwild(uint64_t pass, uint64_t begin, uint64_t end, unsigned threads) {
  const VisitOrder order(visits(), options_.seed, pass);
  std::vector<std::vector<double>> dense(threads, weights_.dense);
  std::vector<Objective> sums(threads);
  parallel_for(threads, threads, [&](size_t part, unsigned) {
    std::vector<double>& w = dense[part];
    Step step;
    for (uint64_t i = begin + part; i < end; i += threads) {
      step.clear(events_.width);
      add_direction(visit(order(i)), w, true, step, sums[part]);
      for (uint32_t f = 0; f < events_.width; ++f)
        if (trains(f)) w[f] += options_.eta_dense * step.dense[f];
      for (const SparseStep& each : step.sparse) {
        const std::atomic_ref weight(weights_.sparse[each.feature]);
        weight.store(weight.load(std::memory_order_relaxed) +
                         static_cast<float>(options_.eta_sparse * each.step),
                     std::memory_order_relaxed);
      }
    }
  });
  Objective total;
  for (uint32_t f = 0; f < events_.width; ++f) {
    if (!trains(f)) continue;  // an average of equal numbers may differ in its last bit
    double sum = 0.0;
    for (const std::vector<double>& w : dense) sum += w[f];
    weights_.dense[f] = sum / threads;
  }
  for (const Objective& sum : sums) total += sum;
  return total;
}

// The best of the cheapest candidates, a, against the best of the others, b: w += (c_b - c_a)
// (x_a - x_b) if b scores as high.  Without costs a is the label, and c_b - c_a is 1.
void LocalLearner::perceptron_event(size_t group, size_t event, std::vector<double>& s,
                                    Objective& sum) {
  const uint32_t n = events_.rows(group);
  const uint32_t y = events_.label[event];
  ++sum.events;
  if (is_trivial(events_, group)) {
    ++sum.trivial;
    ++sum.right;
    return;
  }
  s.resize(std::max(s.size(), softmax_room(n)));
  score_group(
      events_, group, weights_.dense.data(), [&](uint32_t id) { return weights_.sparse[id]; },
      s.data());
  const std::span<const float> costs = events_.costs(group);
  const auto cheap = [&](uint32_t j) { return costs.empty() ? j == y : costs[j] == costs[y]; };
  uint32_t a = y;
  uint32_t b = n;
  for (uint32_t j = 0; j < n; ++j) {
    if (cheap(j)) {
      if (s[j] > s[a]) a = j;
    } else if (b == n || s[j] > s[b]) {
      b = j;
    }
  }
  if (!std::isfinite(s[b]) || !std::isfinite(s[a])) overflow(event);
  const double number = steps_;
  steps_ += 1;
  if (s[a] > s[b]) {
    ++sum.right;
    return;
  }
  const double times =
      costs.empty() ? 1.0 : static_cast<double>(costs[b]) - static_cast<double>(costs[a]);
  sum.loss += times * (s[b] - s[a]);
  if (!costs.empty()) sum.cost += times;
  move(group, a, b, times, number);
}

void LocalLearner::move(size_t group, uint32_t better, uint32_t worse, double times,
                        double number) {
  const bool averaged = options_.rule == LearningRule::averaged_perceptron;
  for (uint32_t f = 0; f < events_.width; ++f) {
    if (!trains(f)) continue;
    const float* const x = events_.column(group, f);
    const double step = times * (static_cast<double>(x[better]) - static_cast<double>(x[worse]));
    weights_.dense[f] += step;
    if (averaged) sums_.dense[f] += number * step;
  }
  if (!events_.has_sparse() || !options_.train_sparse) return;
  if (!events_.sparse_ends.empty()) {
    move_rows(group, better, worse, times, number);
    return;
  }
  const uint32_t* const binary = events_.binary_of(group);
  if (binary[better] == binary[worse]) return;
  if (binary[better] != events::kNoBinary) move_sparse(binary[better], times, number);
  if (binary[worse] != events::kNoBinary) move_sparse(binary[worse], -times, number);
}

// What both have in common stays as it is, to the bit.
void LocalLearner::move_rows(size_t group, uint32_t better, uint32_t worse, double times,
                             double number) {
  std::vector<SparseStep> terms;
  const auto collect = [&](uint32_t candidate, double sign) {
    events_.for_each_sparse_of(group, candidate, [&](uint32_t id, float value) {
      terms.push_back({id, sign * static_cast<double>(value)});
    });
  };
  collect(better, times);
  collect(worse, -times);
  std::stable_sort(terms.begin(), terms.end(),
                   [](const SparseStep& a, const SparseStep& b) { return a.feature < b.feature; });
  for (size_t i = 0; i < terms.size();) {
    const uint32_t id = terms[i].feature;
    double step = 0.0;
    for (; i < terms.size() && terms[i].feature == id; ++i) step += terms[i].step;
    if (step != 0.0) move_sparse(id, step, number);
  }
}

void LocalLearner::move_sparse(uint32_t id, double step, double number) {
  weights_.sparse[id] += static_cast<float>(step);
  if (options_.rule == LearningRule::averaged_perceptron) sums_.sparse[id] += number * step;
}

void LocalLearner::end_pass(uint64_t visited) {
  if (options_.l2 == 0.0) return;
  const auto shrink = [&](double eta, double square) {
    const double step = options_.adagrad ? eta / std::sqrt(std::max(square, 1e-12)) : eta;
    return 1.0 / (1.0 + step * options_.l2 * static_cast<double>(visited));
  };
  for (size_t f = 0; f < weights_.dense.size(); ++f)
    if (trains(f))
      weights_.dense[f] *= shrink(options_.eta_dense, options_.adagrad ? dense_squares_[f] : 0.0);
  if (!options_.train_sparse) return;
  for (size_t id = 0; id < weights_.sparse.size(); ++id) {
    const double square = options_.adagrad ? static_cast<double>(sparse_squares_[id]) : 0.0;
    weights_.sparse[id] *= static_cast<float>(shrink(options_.eta_sparse, square));
  }
}

LocalWeights LocalLearner::weights() const {
  if (options_.rule != LearningRule::averaged_perceptron) return weights_;
  LocalWeights average = weights_;
  for (size_t f = 0; f < average.dense.size(); ++f) average.dense[f] -= sums_.dense[f] / steps_;
  for (size_t id = 0; id < average.sparse.size(); ++id)
    average.sparse[id] -= static_cast<float>(sums_.sparse[id] / steps_);
  return average;
}

}  // namespace demotic::learn
