// The local log-linear model of Tillmann and Zhang (2005) and the learners that they compare:
// softmax over the candidates of each event.
//
//   LocalWeights w(events);
//   Objective o = objective(events, w, threads);          their equation 8
//   Gradient g = gradient(events, w, threads);
//   LocalLearner learner(events, options, w);             stochastic gradient descent, equation 9,
//   Objective o = learner.run(pass, begin, end, threads)  or a perceptron; a slice of a pass
//   learner.end_pass(visited);  learner.weights();
//
// p(j | group) = exp(w.x_j) / sum_k exp(w.x_k).  Dense weights are doubles, binary ones floats.
// Events with one candidate have no gradient: they are skipped and counted.
//
// A pass visits events one at a time, or groups: the events of a group share their candidates, so
// that one step for all of them costs as much as for one.  The order is that of visit_order.h.
// With `minibatch`, the steps of so many visits are summed in shards of fixed size and in fixed
// order: the same bits for any number of threads.  With `hogwild`, threads share binary weights
// without locks and average dense ones: runs differ.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "events/event_groups.h"

namespace demotic::learn {

struct LocalWeights {
  std::vector<double> dense;
  std::vector<float> binary;

  LocalWeights() = default;
  explicit LocalWeights(const events::EventGroups& events)
      : dense(events.width, 0.0), binary(events.binaries, 0.0f) {}
};

struct Objective {
  double loss = 0;       // sum over the events of -ln p(label)
  uint64_t events = 0;   // looked at
  uint64_t right = 0;    // label among the best: no candidate scores higher
  uint64_t trivial = 0;  // events with a single candidate

  Objective& operator+=(const Objective& other) {
    loss += other.loss;
    events += other.events;
    right += other.right;
    trivial += other.trivial;
    return *this;
  }
};

struct Gradient {
  std::vector<double> dense, binary;
};

Objective objective(const events::EventGroups& events, const LocalWeights& weights,
                    unsigned threads);
Gradient gradient(const events::EventGroups& events, const LocalWeights& weights, unsigned threads);
// p(j | group) for the candidates of one group.
std::vector<double> probabilities(const events::EventGroups& events, const LocalWeights& weights,
                                  size_t g);

enum class LearningRule : uint8_t { sgd, perceptron, averaged_perceptron };

struct LocalOptions {
  LearningRule rule = LearningRule::sgd;
  double eta_dense = 1e-5;
  double eta_binary = 1e-5;
  bool adagrad = false;           // Duchi et al. (2011): steps shrink by weight
  double l2 = 0.0;                // strength, per event; applied at the end of each pass
  std::vector<char> train_dense;  // by feature: may its weight change?  Empty: all may
  bool train_binary = true;
  uint64_t seed = 1;
  bool by_group = false;   // visit groups, else events
  uint32_t minibatch = 0;  // visits summed into one step; 0: one at a time
  bool hogwild = false;
};

class LocalLearner {
 public:
  LocalLearner(const events::EventGroups& events, LocalOptions options, LocalWeights initial);

  uint64_t visits() const;  // of a whole pass: events or groups
  // Make visits begin ... end - 1 of a pass; the loss is that met before each step.  Throws
  // Error(argument) naming the event at which a score is no longer finite.
  Objective run(uint64_t pass, uint64_t begin, uint64_t end, unsigned threads);
  // Regularise after `visited` events.
  void end_pass(uint64_t visited);
  void scale_eta(double factor) {
    options_.eta_dense *= factor;
    options_.eta_binary *= factor;
  }

  LocalWeights weights() const;  // averaged, if so asked for

 private:
  // What is visited at once: a group and some of its events' labels.
  struct Visit {
    size_t group;
    size_t event;  // the first
    std::span<const uint32_t> labels;
  };
  struct BinaryStep {
    uint32_t feature;
    double step;
  };
  struct Step;  // the direction of equation 9 for a visit, or their sum

  Visit visit(uint64_t number) const;
  void fetch_borders(uint64_t number) const;
  void fetch_group(uint64_t number) const;
  void fetch_features(uint64_t number) const;
  void add_direction(const Visit& visit, std::span<const double> dense, bool shared, Step& step,
                     Objective& sum) const;
  void apply(const Step& step);
  Objective run_sequential(uint64_t pass, uint64_t begin, uint64_t end);
  Objective run_minibatch(uint64_t pass, uint64_t begin, uint64_t end, unsigned threads);
  Objective run_hogwild(uint64_t pass, uint64_t begin, uint64_t end, unsigned threads);
  void perceptron_event(size_t group, size_t event, std::vector<double>& scores, Objective& sum);
  void add_dense(size_t f, double direction);
  void add_binary(uint32_t b, double direction);
  bool trains(size_t f) const { return options_.train_dense.empty() || options_.train_dense[f]; }

  const events::EventGroups& events_;
  LocalOptions options_;
  LocalWeights weights_;
  Gradient sums_;                      // of updates times the step's number, for averages
  double steps_ = 1;                   // of the perceptron
  std::vector<double> dense_squares_;  // of gradients, for AdaGrad
  std::vector<float> binary_squares_;
};

}  // namespace demotic::learn
