#include "learn/label_task.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "io/checksum.h"
#include "io/error.h"
#include "learn/label_worker.h"
#include "parallel.h"

namespace demotic::learn {

namespace {

constexpr size_t kChunk = 256;  // sentences that a thread takes at once

}  // namespace

LabelTask::LabelTask(const events::LabelCorpus& corpus, const LabelTaskOptions& options)
    : corpus_(corpus),
      options_(options),
      most_(events::reductions_of(corpus.labels() - 1)),
      order_(corpus.labels()) {
  if (corpus.labels() < 3) throw io::Error(io::Fault::argument, "no labels to learn");
  if ((options.stack && corpus.state_rows == nullptr) ||
      (options.loss == LabelLoss::bleu && !corpus.has_words()))
    throw io::Error(io::Fault::argument, "a corpus without what labels are to look at");
  std::iota(order_.begin(), order_.end(), 0u);
  std::stable_sort(order_.begin(), order_.end(), [&](uint32_t a, uint32_t b) {
    return corpus.label_counts[a] > corpus.label_counts[b];
  });
}

void LabelTask::check(const LabelPolicy& policy) const {
  if (policy.trees != nullptr
          ? policy.trees->classifiers() != order_.size()
          : policy.weights.size() != size_t{rows()} * Worker::order_stride(*this))
    throw io::Error(io::Fault::argument, "a policy of other features or labels");
}

CostExamples LabelTask::examples(const LabelMixture& roll_in, RollOut kind,
                                 const LabelMixture& roll_out, const RollOptions& options,
                                 unsigned threads) const {
  for (const LabelMixture* mixture : {&roll_in, &roll_out})
    for (const LabelPolicy& policy : mixture->policies) check(policy);
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
  for (const LabelPolicy& each : policy.policies) check(each);
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

double LabelTask::order_bleu(const LabelMixture& policy, uint64_t seed) const {
  if (!corpus_.has_words())
    throw io::Error(io::Fault::argument, "a corpus without what labels are to look at");
  for (const LabelPolicy& each : policy.policies) check(each);
  LabelTask judge(*this);  // that follows the stack
  judge.options_.loss = LabelLoss::bleu;
  Worker worker(judge);
  metrics::BleuStats sum;
  for (size_t s = 0; s < corpus_.sentences(); ++s) {
    worker.begin(s);
    worker.walk(policy, io::mix64(seed + s), [](size_t, uint32_t, uint32_t) {});
    sum += worker.statistics(worker.stack);
  }
  return metrics::bleu(sum, {.smoothing = metrics::BleuSmoothing::exp, .effective_order = false});
}

std::vector<uint8_t> LabelTask::labels(size_t sentence, const LabelMixture& policy,
                                       uint64_t seed) const {
  for (const LabelPolicy& each : policy.policies) check(each);
  Worker worker(*this);
  worker.begin(sentence);
  std::vector<uint8_t> found;
  worker.walk(policy, seed, [&](size_t, uint32_t, uint32_t label) {
    found.push_back(static_cast<uint8_t>(label));
  });
  return found;
}

std::vector<std::vector<uint32_t>> LabelTask::costs_to_go(size_t sentence) const {
  if (!options_.masked)
    throw io::Error(io::Fault::argument, "without a mask there is nothing to work out");
  Worker worker(*this);
  worker.begin(sentence);
  std::vector<std::vector<uint32_t>> rows;
  for (size_t t = 0; t <= worker.count; ++t) {
    rows.emplace_back();
    for (uint32_t depth = 0; depth <= t; ++depth) rows.back().push_back(worker.value(t, depth));
  }
  return rows;
}

double LabelTask::log_likelihood(const LabelPolicy& policy, double temperature) const {
  check(policy);
  Worker worker(*this);
  double sum = 0;
  for (size_t s = 0; s < corpus_.sentences(); ++s) {
    worker.begin(s);
    for (size_t t = 0; t < worker.count; ++t) {
      const uint32_t depth = worker.gold_depth[t];
      const uint32_t gold = corpus_.gold[worker.first + t];
      if (t > 0) worker.advance(worker.stack, t - 1, corpus_.gold[worker.first + t - 1]);
      if (depth == 0 || gold >= corpus_.labels() || !worker.is_choice(t, depth)) continue;
      if (!worker.seen(gold)) continue;
      worker.score(t, depth, worker.stack, policy);
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
