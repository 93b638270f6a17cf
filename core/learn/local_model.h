// The local log-linear model of Tillmann and Zhang (2005) and the learners that they compare:
// softmax over the candidates of each event.
//
//   LocalWeights w(events);
//   Objective o = objective(events, w, loss, threads);    their equation 8, or with costs
//   Gradient g = gradient(events, w, loss, threads);
//   LocalLearner learner(events, options, w);             stochastic gradient descent, equation 9,
//   Objective o = learner.run(pass, begin, end, threads)  or a perceptron; a slice of a pass
//   learner.end_pass(visited);  learner.weights();
//
// p(j | group) = exp(w.x_j) / sum_k exp(w.x_k).  Dense weights are doubles, sparse ones floats.
// Events with one candidate have no gradient: they are skipped and counted.
//
// What is minimised (EventLoss), y being the label and c the costs above that of the label:
//
//   likelihood      -ln p(y)
//   softmax_margin  ln sum_j exp(w.x_j + c_j) - w.x_y            (Gimpel and Smith 2010)
//   expected_cost   sum_j p(j) c_j
//
// A perceptron compares the best of the cheapest candidates, a, with the best of the others, b: if
// b scores as high, w moves by (c_b - c_a) (x_a - x_b).  Without costs, all but the label cost 1.
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
  std::vector<float> sparse;

  LocalWeights() = default;
  explicit LocalWeights(const events::EventGroups& events)
      : dense(events.width, 0.0), sparse(events.sparse_size, 0.0f) {}
};

enum class EventLoss : uint8_t { likelihood, softmax_margin, expected_cost };

struct Objective {
  double loss = 0;       // sum over the events
  double cost = 0;       // of the best candidates, above the cheapest; 0 without costs
  uint64_t events = 0;   // looked at
  uint64_t right = 0;    // no candidate scores higher than the label, or than the best cheapest
  uint64_t trivial = 0;  // events with a single candidate, or all of one cost

  Objective& operator+=(const Objective& other) {
    loss += other.loss;
    cost += other.cost;
    events += other.events;
    right += other.right;
    trivial += other.trivial;
    return *this;
  }
};

struct Gradient {
  std::vector<double> dense, sparse;
};

Objective objective(const events::EventGroups& events, const LocalWeights& weights, EventLoss loss,
                    unsigned threads);
Gradient gradient(const events::EventGroups& events, const LocalWeights& weights, EventLoss loss,
                  unsigned threads);
// p(j | group) for the candidates of one group.
std::vector<double> probabilities(const events::EventGroups& events, const LocalWeights& weights,
                                  size_t g);

enum class LearningRule : uint8_t { sgd, perceptron, averaged_perceptron };

struct LocalOptions {
  LearningRule rule = LearningRule::sgd;
  EventLoss loss = EventLoss::likelihood;  // what stochastic gradient descent minimises
  double eta_dense = 1e-5;
  double eta_sparse = 1e-5;
  bool adagrad = false;           // Duchi et al. (2011): steps shrink by weight
  double l2 = 0.0;                // strength, per event; applied at the end of each pass
  std::vector<char> train_dense;  // by feature: may its weight change?  Empty: all may
  bool train_sparse = true;
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
    options_.eta_sparse *= factor;
  }

  LocalWeights weights() const;  // averaged, if so asked for

 private:
  // What is visited at once: a group and some of its events' labels.
  struct Visit {
    size_t group;
    size_t event;  // the first
    std::span<const uint32_t> labels;
  };
  struct SparseStep {
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
  void move(size_t group, uint32_t better, uint32_t worse, double times, double number);
  void move_rows(size_t group, uint32_t better, uint32_t worse, double times, double number);
  void move_sparse(uint32_t id, double step, double number);
  void add_dense(size_t f, double direction);
  void add_sparse(uint32_t id, double direction);
  bool trains(size_t f) const { return options_.train_dense.empty() || options_.train_dense[f]; }

  const events::EventGroups& events_;
  LocalOptions options_;
  LocalWeights weights_;
  Gradient sums_;                      // of updates times the step's number, for averages
  double steps_ = 1;                   // of the perceptron
  std::vector<double> dense_squares_;  // of gradients, for AdaGrad
  std::vector<float> sparse_squares_;
};

}  // namespace demotic::learn
