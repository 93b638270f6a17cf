// Labelling items from left to right (events/label_corpus.h) as a task to learn by search: roll-ins
// by a mixture of policies, and what each label would cost from there on.
//
//   LabelTask task(corpus, {.masked = true});
//   CostExamples examples = task.examples(roll_in, RollOut::policy, roll_out, {.seed = 1},
//   threads); task.accuracy(mixture, seed)
//
// The state is the place in the sentence and the stack; a policy takes the label of the highest
// score, and the expert knows the right labels.  The loss of a sentence
// is the number of wrong labels; or what its items' target words, in the order that the labels put
// them in, lack of BLEU against the order that they had.
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
#include "events/label_state.h"
#include "events/stack_labels.h"
#include "features/tree_ensembles.h"
#include "learn/cost_perceptron.h"

namespace demotic::learn {

// Takes the label of the highest score: by weights of rows, or by trees over them.
struct LabelPolicy {
  std::span<const float> weights;
  const features::TreesView* trees = nullptr;  // a classifier for each label
};

// Policies by their shares; what is missing from 1 is the expert's.
struct LabelMixture {
  std::vector<LabelPolicy> policies;
  std::vector<double> shares;
  bool for_rollout = false;  // drawn once for each sentence or roll-out, not at each step
};

// Who goes on after each label that is tried.
enum class RollOut : uint8_t {
  expert,  // by V
  policy,  // a mixture, once
  none,    // nobody: labels other than the expert's cost 1
};

enum class LabelLoss : uint8_t {
  hamming,  // wrong labels
  bleu,     // 200 (1 - BLEU of the sentence), rounded; one more for the wrong label at hand
};

struct LabelTaskOptions {
  bool masked = false;
  uint32_t depth_rows = 0;  // rows behind those of the corpus that look at the stack's depth
  bool stack = false;       // labels look at the stack (events/label_state.h)
  LabelLoss loss = LabelLoss::hamming;
};

struct RollOptions {
  uint64_t seed = 1;
  bool shared = true;  // all labels of a state are rolled out with the same random numbers
};

class LabelTask {
 public:
  // The corpus must outlive the task, and hold words and rows of the stack where these are asked
  // for.
  LabelTask(const events::LabelCorpus& corpus, const LabelTaskOptions& options);

  uint32_t rows() const { return corpus_.features + options_.depth_rows; }
  uint32_t width() const {
    return corpus_.width + (options_.depth_rows > 0 ? 1 : 0) +
           (options_.stack ? events::kStateTemplates : 0);
  }
  std::span<const uint32_t> order() const { return order_; }  // labels, the most frequent first

  CostExamples examples(const LabelMixture& roll_in, RollOut kind, const LabelMixture& roll_out,
                        const RollOptions& options, unsigned threads) const;

  struct Accuracy {
    uint64_t labels = 0;  // that were a choice
    uint64_t right = 0;
  };
  Accuracy accuracy(const LabelMixture& policy, uint64_t seed) const;
  // BLEU (of the whole corpus) of the items' target words in the order that the labels give them;
  // of a corpus with words.
  double order_bleu(const LabelMixture& policy, uint64_t seed) const;
  // The labels of one sentence.
  std::vector<uint8_t> labels(size_t sentence, const LabelMixture& policy, uint64_t seed) const;
  // V(t, d) of a sentence, a row for each item and one for the end; kNever where the stack cannot
  // close.
  std::vector<std::vector<uint32_t>> costs_to_go(size_t sentence) const;
  // Of the right labels where there is a choice, given softmax(scores / temperature).
  double log_likelihood(const LabelPolicy& policy, double temperature) const;

  static constexpr uint32_t kNever = UINT32_MAX;

 private:
  struct Worker;
  friend struct Worker;

  void check(const LabelPolicy& policy) const;

  const events::LabelCorpus& corpus_;
  LabelTaskOptions options_;
  uint32_t most_;  // reductions
  std::vector<uint32_t> order_;
};

}  // namespace demotic::learn
