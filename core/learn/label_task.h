// Labelling items from left to right (events/label_corpus.h) as a task to learn by search: roll-ins
// by a mixture of policies, and what each label would cost from there on.
//
//   LabelTask task(corpus, masked);
//   CostExamples examples = task.examples(roll_in, RollOut::policy, roll_out, {.seed = 1},
//   threads); task.accuracy(mixture, seed)
//
// The state is the place in the sentence and the depth of the stack; a policy is a matrix of
// weights, the label of the highest score being taken, and the expert knows the right labels.  The
// loss of a sentence is the number of wrong labels.
//
// Unmasked, every label of training is a choice everywhere, and the right one is the only one that
// costs nothing.  Masked, the stack must close, so that the right label may be forbidden after a
// mistake; the expert's way to the end of least loss is V(t, d), worked out backwards:
//
//   V(t, d) = min over labels l that are allowed of [l != right] + V(t + 1, d + 1 - r(l))
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "events/label_corpus.h"
#include "events/stack_labels.h"
#include "learn/cost_perceptron.h"

namespace demotic::learn {

// Policies by their shares; what is missing from 1 is the expert's.
struct LabelMixture {
  std::vector<std::span<const float>> weights;
  std::vector<double> shares;
  bool for_rollout = false;  // drawn once for each sentence or roll-out, not at each step
};

// Who goes on after each label that is tried.
enum class RollOut : uint8_t {
  expert,  // by V
  policy,  // a mixture, once
  none,    // nobody: labels other than the expert's cost 1
};

struct RollOptions {
  uint64_t seed = 1;
  bool shared = true;  // all labels of a state are rolled out with the same random numbers
};

class LabelTask {
 public:
  // `depth_rows`: how many rows behind those of the corpus look at the depth of the stack, 0 if
  // none do.  The corpus must outlive the task.
  LabelTask(const events::LabelCorpus& corpus, bool masked, uint32_t depth_rows);

  uint32_t rows() const { return corpus_.features + depth_rows_; }
  uint32_t width() const { return corpus_.width + (depth_rows_ > 0 ? 1 : 0); }
  std::span<const uint32_t> order() const { return order_; }  // labels, the most frequent first

  CostExamples examples(const LabelMixture& roll_in, RollOut kind, const LabelMixture& roll_out,
                        const RollOptions& options, unsigned threads) const;

  struct Accuracy {
    uint64_t labels = 0;  // that were a choice
    uint64_t right = 0;
  };
  Accuracy accuracy(const LabelMixture& policy, uint64_t seed) const;
  // The labels of one sentence.
  std::vector<uint8_t> labels(size_t sentence, const LabelMixture& policy, uint64_t seed) const;
  // V(t, d) of a sentence, a row for each item and one for the end; kNever where the stack cannot
  // close.
  std::vector<std::vector<uint32_t>> costs_to_go(size_t sentence) const;
  // Of the right labels where there is a choice, given softmax(scores / temperature).
  double log_likelihood(std::span<const float> weights, double temperature) const;

  static constexpr uint32_t kNever = UINT32_MAX;

 private:
  struct Worker;
  friend struct Worker;

  const events::LabelCorpus& corpus_;
  bool masked_;
  uint32_t depth_rows_;
  uint32_t most_;  // reductions
  std::vector<uint32_t> order_;
};

}  // namespace demotic::learn
