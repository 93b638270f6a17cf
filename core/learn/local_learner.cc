// The learners of local_model.h, apart from local_model.cc, which has what they are measured by.
#include <algorithm>
#include <atomic>
#include <cmath>
#include <string>

#include "io/error.h"
#include "learn/local_model.h"
#include "learn/softmax.h"
#include "learn/visit_order.h"
#include "parallel.h"

namespace demotic::learn {

namespace {

constexpr uint64_t kShard = 256;  // visits of a minibatch that one thread sums at a time
constexpr uint64_t kAhead = 16;   // visits whose memory is asked for ahead of their turn

[[noreturn]] void overflow(size_t event) {
  throw io::Error(io::Fault::argument,
                  "the score of event " + std::to_string(event + 1) + " is not finite", 0,
                  "lower the step size");
}

// Other threads may change the weight meanwhile.
float read(const float& weight) {
  return std::atomic_ref(const_cast<float&>(weight)).load(std::memory_order_relaxed);
}

}  // namespace

struct LocalLearner::Step {
  std::vector<double> p;     // scratch: scores, then probabilities
  std::vector<double> mean;  // scratch: of each feature
  std::vector<double> dense;
  std::vector<BinaryStep> binary;

  void clear(uint32_t width) {
    mean.resize(width);
    dense.assign(width, 0.0);
    binary.clear();
  }
};

LocalLearner::LocalLearner(const events::EventGroups& events, LocalOptions options,
                           LocalWeights initial)
    : events_(events), options_(std::move(options)), weights_(std::move(initial)) {
  const auto require = [](bool holds, const char* message) {
    if (!holds) throw io::Error(io::Fault::argument, message);
  };
  require(weights_.dense.size() == events.width && weights_.binary.size() == events.binaries,
          "a weight is needed per feature");
  require(options_.train_dense.empty() || options_.train_dense.size() == events.width,
          "train_dense: a value is needed per feature");
  require(std::isfinite(options_.eta_dense) && std::isfinite(options_.eta_binary) &&
              options_.eta_dense >= 0 && options_.eta_binary >= 0,
          "the step size is a finite number, 0 or more");
  require(std::isfinite(options_.l2) && options_.l2 >= 0, "l2 is a finite number, 0 or more");
  require(options_.minibatch == 0 || options_.rule == LearningRule::sgd,
          "a perceptron sees one event at a time");
  require(!options_.hogwild ||
              (options_.rule == LearningRule::sgd && !options_.adagrad && options_.minibatch == 0),
          "hogwild goes with plain stochastic gradient descent");
  if (options_.rule == LearningRule::averaged_perceptron)
    sums_ = {std::vector<double>(events.width, 0.0), std::vector<double>(events.binaries, 0.0)};
  if (options_.adagrad) {
    dense_squares_.assign(events.width, 0.0);
    binary_squares_.assign(events.binaries, 0.0f);
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
}

// Adds sum_j p_j (x_y - x_j) for each label y: equation 9 without the step size.
void LocalLearner::add_direction(const Visit& visit, std::span<const double> dense, bool shared,
                                 Step& step, Objective& sum) const {
  const uint32_t n = events_.rows(visit.group);
  const auto labels = static_cast<double>(visit.labels.size());
  sum.events += visit.labels.size();
  if (n == 1) {
    sum.trivial += visit.labels.size();
    sum.right += visit.labels.size();
    return;
  }
  std::vector<double>& p = step.p;
  p.resize(std::max(p.size(), softmax_room(n)));
  const float* const x = events_.column(visit.group, 0);
  dense_scores(dense.data(), events_.width, x, n, p.data());
  const uint32_t* const b = events_.binary_of(visit.group);
  if (b != nullptr)
    for (uint32_t j = 0; j < n; ++j)
      if (b[j] != events::kNoBinary) {
        const float& weight = weights_.binary[b[j]];
        p[j] += static_cast<double>(shared ? read(weight) : weight);
      }
  double own = 0.0;
  for (const uint32_t y : visit.labels) own += p[y];
  const auto [log_z, best] = to_probabilities(p.data(), n);
  if (!std::isfinite(log_z)) overflow(visit.event);
  sum.loss += labels * log_z - own;
  for (const uint32_t y : visit.labels) sum.right += p[y] >= best;
  expectations(p.data(), events_.width, x, n, step.mean.data());
  for (uint32_t f = 0; f < events_.width; ++f) {
    double truth = 0.0;
    for (const uint32_t y : visit.labels) truth += static_cast<double>(x[size_t{f} * n + y]);
    step.dense[f] += truth - labels * step.mean[f];
  }
  if (b == nullptr || !options_.train_binary) return;
  for (uint32_t j = 0; j < n; ++j) p[j] *= -labels;
  for (const uint32_t y : visit.labels) p[y] += 1.0;
  for (uint32_t j = 0; j < n; ++j)
    if (b[j] != events::kNoBinary) step.binary.push_back({b[j], p[j]});
}

void LocalLearner::add_dense(size_t f, double direction) {
  double step = options_.eta_dense * direction;
  if (options_.adagrad) {
    dense_squares_[f] += direction * direction;
    if (dense_squares_[f] > 0) step /= std::sqrt(dense_squares_[f]);
  }
  weights_.dense[f] += step;
}

void LocalLearner::add_binary(uint32_t b, double direction) {
  double step = options_.eta_binary * direction;
  if (options_.adagrad) {
    binary_squares_[b] += static_cast<float>(direction * direction);
    if (binary_squares_[b] > 0) step /= std::sqrt(static_cast<double>(binary_squares_[b]));
  }
  weights_.binary[b] += static_cast<float>(step);
}

void LocalLearner::apply(const Step& step) {
  for (uint32_t f = 0; f < events_.width; ++f)
    if (trains(f)) add_dense(f, step.dense[f]);
  for (const BinaryStep& each : step.binary) add_binary(each.feature, each.step);
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
      whole.binary.insert(whole.binary.end(), parts[shard].binary.begin(),
                          parts[shard].binary.end());
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
      for (const BinaryStep& each : step.binary) {
        const std::atomic_ref weight(weights_.binary[each.feature]);
        weight.store(weight.load(std::memory_order_relaxed) +
                         static_cast<float>(options_.eta_binary * each.step),
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

// The best wrong candidate against the label: w += x_y - x_rival if it scores as high.
void LocalLearner::perceptron_event(size_t group, size_t event, std::vector<double>& s,
                                    Objective& sum) {
  const uint32_t n = events_.rows(group);
  const uint32_t y = events_.label[event];
  ++sum.events;
  if (n == 1) {
    ++sum.trivial;
    ++sum.right;
    return;
  }
  s.resize(std::max(s.size(), softmax_room(n)));
  dense_scores(weights_.dense.data(), events_.width, events_.column(group, 0), n, s.data());
  const uint32_t* const b = events_.binary_of(group);
  if (b != nullptr)
    for (uint32_t j = 0; j < n; ++j)
      if (b[j] != events::kNoBinary) s[j] += static_cast<double>(weights_.binary[b[j]]);
  uint32_t rival = y == 0 ? 1 : 0;
  for (uint32_t j = 0; j < n; ++j)
    if (j != y && s[j] > s[rival]) rival = j;
  if (!std::isfinite(s[rival]) || !std::isfinite(s[y])) overflow(event);
  const double number = steps_;
  steps_ += 1;
  if (s[y] > s[rival]) {
    ++sum.right;
    return;
  }
  sum.loss += s[rival] - s[y];
  const bool averaged = options_.rule == LearningRule::averaged_perceptron;
  for (uint32_t f = 0; f < events_.width; ++f) {
    if (!trains(f)) continue;
    const float* const x = events_.column(group, f);
    const double step = static_cast<double>(x[y]) - static_cast<double>(x[rival]);
    weights_.dense[f] += step;
    if (averaged) sums_.dense[f] += number * step;
  }
  if (b == nullptr || !options_.train_binary || b[y] == b[rival]) return;
  const auto add = [&](uint32_t feature, double step) {
    if (feature == events::kNoBinary) return;
    weights_.binary[feature] += static_cast<float>(step);
    if (averaged) sums_.binary[feature] += number * step;
  };
  add(b[y], 1.0);
  add(b[rival], -1.0);
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
  if (!options_.train_binary) return;
  for (size_t b = 0; b < weights_.binary.size(); ++b) {
    const double square = options_.adagrad ? static_cast<double>(binary_squares_[b]) : 0.0;
    weights_.binary[b] *= static_cast<float>(shrink(options_.eta_binary, square));
  }
}

LocalWeights LocalLearner::weights() const {
  if (options_.rule != LearningRule::averaged_perceptron) return weights_;
  LocalWeights average = weights_;
  for (size_t f = 0; f < average.dense.size(); ++f) average.dense[f] -= sums_.dense[f] / steps_;
  for (size_t b = 0; b < average.binary.size(); ++b)
    average.binary[b] -= static_cast<float>(sums_.binary[b] / steps_);
  return average;
}

}  // namespace demotic::learn
