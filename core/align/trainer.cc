#include "align/trainer.h"

#include <algorithm>
#include <cmath>

#include "align/digamma.h"
#include "align/spelling.h"
#include "io/error.h"
#include "parallel.h"

namespace demotic::align {

namespace {

constexpr size_t kPairsPerChunk = 64;
constexpr size_t kRowsPerChunk = 512;
constexpr double kLikelihoodScale = 1.0 / 65536;  // keeps a whole corpus inside 64 bits
constexpr float kPruned = 1e-7f;  // weights below this in both directions are as good as none

const text::TokenLines kElsewhere;  // the text of a trainer that has none

// exp(digamma(count + alpha)), or the count itself when there is no prior.
double softened(double count, double alpha) {
  return alpha > 0 ? exp_digamma(count + alpha) : count;
}

float clamped(double numerator, double denominator) {
  if (!(denominator > 0)) return kFloor;
  const double p = numerator / denominator;
  return p > kFloor ? static_cast<float>(std::min(p, 1.0)) : kFloor;
}

}  // namespace

// A thread's scratch space and its share of the small counts.
struct AlignerTrainer::Worker {
  explicit Worker(uint32_t max_length) : forward_jumps(max_length), backward_jumps(max_length) {}

  std::vector<uint32_t> cells;  // of the pairs at hand, if they come from a file
  std::vector<float> forward_emissions, backward_emissions;
  std::vector<float> forward_null, backward_null;
  HmmSentence forward, backward;
  JumpCounts forward_jumps, backward_jumps;
  Fixed log_likelihood = 0;
};

AlignerTrainer::AlignerTrainer(const text::TokenLines& source, const text::TokenLines& target,
                               Cooccurrence cells, const text::Vocab& vocab,
                               const AlignerOptions& options)
    : source_(source),
      target_(target),
      options_(options),
      cells_(std::move(cells)),
      weights_(size_t{cells_.size()} + 1, DirectedWeights{1, 1}),
      counts_(size_t{cells_.size()} + 1),
      null_weights_(vocab.size(), DirectedWeights{1, 1}),
      null_counts_(vocab.size()),
      forward_jumps_(options.max_length),
      backward_jumps_(options.max_length),
      forward_jump_counts_(options.max_length),
      backward_jump_counts_(options.max_length) {
  for (size_t pair = 0; pair < source.size(); ++pair)
    skipped_ += std::max(source[pair].size(), target[pair].size()) > options.max_length;
  if (options.spelling_prior > 0) find_alike(vocab);
}

AlignerTrainer::AlignerTrainer(const text::TokenLines& source, const text::TokenLines& target,
                               const text::Vocab& vocab, const AlignerOptions& options,
                               std::string folder, uint64_t memory, unsigned threads)
    : AlignerTrainer(
          source, target,
          Cooccurrence(source, target, vocab.size(), (options.check(), options.max_length),
                       std::move(folder), memory, threads),
          vocab, options) {}

AlignerTrainer::AlignerTrainer(std::vector<uint32_t> row_ends, std::vector<uint32_t> targets,
                               const text::Vocab& vocab, const AlignerOptions& options)
    : AlignerTrainer(kElsewhere, kElsewhere,
                     Cooccurrence((options.check(), std::move(row_ends)), std::move(targets)),
                     vocab, options) {
  if (cells_.words() != vocab.size()) throw io::Error(io::Fault::argument, "as many rows as words");
}

void AlignerTrainer::find_alike(const text::Vocab& vocab) {
  for (uint32_t word = 0, cell = 0; word < cells_.words(); ++word) {
    const std::string_view spelt = vocab.word(word);
    for (; cell < cells_.row_end(word); ++cell) {
      const float likeness = spelling_likeness(spelt, vocab.word(cells_.target(cell)));
      if (likeness > 0)
        alike_.push_back({cell, likeness * static_cast<float>(options_.spelling_prior)});
    }
  }
}

void AlignerTrainer::expect(Stage stage, size_t begin, size_t end, unsigned threads) {
  end = std::min(end, pairs());
  if (begin >= end) return;
  threads = std::max(threads, 1u);
  std::vector<Worker> workers(threads, Worker(options_.max_length));
  const size_t chunks = (end - begin + kPairsPerChunk - 1) / kPairsPerChunk;
  parallel_for(chunks, threads, [&](size_t chunk, unsigned number) {
    Worker& worker = workers[number];
    const size_t first = begin + chunk * kPairsPerChunk;
    const size_t last = std::min(end, first + kPairsPerChunk);
    std::span<const uint32_t> rest = cells_.of(first, last, worker.cells);
    for (size_t pair = first; pair < last; ++pair) {
      const auto cells = rest.first(cells_.word_pairs(pair));
      rest = rest.subspan(cells.size());
      if (cells.empty()) continue;
      if (stage == Stage::model1) {
        threads > 1 ? expect_model1<true>(pair, cells, worker)
                    : expect_model1<false>(pair, cells, worker);
      } else {
        threads > 1 ? expect_hmm<true>(pair, cells, worker)
                    : expect_hmm<false>(pair, cells, worker);
      }
    }
  });
  jumps_counted_ |= stage == Stage::hmm;
  for (const Worker& worker : workers) {
    forward_jump_counts_.add(worker.forward_jumps);
    backward_jump_counts_.add(worker.backward_jumps);
    log_likelihood_ += worker.log_likelihood;
  }
}

template <bool shared>
void AlignerTrainer::expect_model1(size_t pair, std::span<const uint32_t> cells, Worker& worker) {
  const auto source = source_[pair];
  const auto target = target_[pair];
  const size_t rows = source.size();
  const size_t columns = target.size();
  const auto link_forward = static_cast<float>((1 - options_.null_probability) / rows);
  const auto link_backward = static_cast<float>((1 - options_.null_probability) / columns);
  const auto null = static_cast<float>(options_.null_probability);

  std::vector<float>& by_target = worker.forward_null;  // first the total, then its inverse
  by_target.assign(columns, 0.0f);
  std::vector<float>& by_source = worker.backward_null;
  by_source.assign(rows, 0.0f);
  for (size_t i = 0, at = 0; i < rows; ++i) {
    for (size_t j = 0; j < columns; ++j, ++at) {
      const DirectedWeights& weight = weights_[cells[at]];
      by_target[j] += weight.forward;
      by_source[i] += weight.backward;
    }
  }
  double log_likelihood = 0;
  for (size_t j = 0; j < columns; ++j) {
    const float from_null = null * null_weights_[target[j]].forward;
    const float total = link_forward * by_target[j] + from_null;
    log_likelihood += std::log(total);
    by_target[j] = link_forward / total;
    add<shared>(null_counts_[target[j]].forward, to_fixed(from_null / total));
  }
  for (size_t i = 0; i < rows; ++i) {
    const float from_null = null * null_weights_[source[i]].backward;
    const float total = link_backward * by_source[i] + from_null;
    log_likelihood += std::log(total);
    by_source[i] = link_backward / total;
    add<shared>(null_counts_[source[i]].backward, to_fixed(from_null / total));
  }
  worker.log_likelihood += to_fixed(log_likelihood * kLikelihoodScale);
  for (size_t i = 0, at = 0; i < rows; ++i) {
    for (size_t j = 0; j < columns; ++j, ++at) {
      const DirectedWeights& weight = weights_[cells[at]];
      DirectedCounts& count = counts_[cells[at]];
      add<shared>(count.forward, to_fixed(weight.forward * by_target[j]));
      add<shared>(count.backward, to_fixed(weight.backward * by_source[i]));
    }
  }
}

template <bool shared>
void AlignerTrainer::expect_hmm(size_t pair, std::span<const uint32_t> cells, Worker& worker) {
  const auto source = source_[pair];
  const auto target = target_[pair];
  const size_t rows = source.size();
  const size_t columns = target.size();
  worker.forward_emissions.resize(rows * columns);
  worker.backward_emissions.resize(rows * columns);
  for (size_t i = 0, at = 0; i < rows; ++i) {
    for (size_t j = 0; j < columns; ++j, ++at) {
      const DirectedWeights& weight = weights_[cells[at]];
      worker.forward_emissions[j * rows + i] = weight.forward;
      worker.backward_emissions[at] = weight.backward;
    }
  }
  worker.forward_null.resize(columns);
  for (size_t j = 0; j < columns; ++j) worker.forward_null[j] = null_weights_[target[j]].forward;
  worker.backward_null.resize(rows);
  for (size_t i = 0; i < rows; ++i) worker.backward_null[i] = null_weights_[source[i]].backward;

  const auto null = static_cast<float>(options_.null_probability);
  const HmmInput forward{static_cast<uint32_t>(columns),
                         static_cast<uint32_t>(rows),
                         worker.forward_emissions.data(),
                         worker.forward_null.data(),
                         null,
                         &forward_jumps_};
  const HmmInput backward{static_cast<uint32_t>(rows),
                          static_cast<uint32_t>(columns),
                          worker.backward_emissions.data(),
                          worker.backward_null.data(),
                          null,
                          &backward_jumps_};
  const double log_likelihood = worker.forward.run(forward) + worker.backward.run(backward);
  worker.log_likelihood += to_fixed(log_likelihood * kLikelihoodScale);
  worker.forward.count_jumps(forward, worker.forward_jumps);
  worker.backward.count_jumps(backward, worker.backward_jumps);
  for (size_t j = 0; j < columns; ++j)
    add<shared>(null_counts_[target[j]].forward, to_fixed(worker.forward.null_posterior(j)));
  for (size_t i = 0; i < rows; ++i)
    add<shared>(null_counts_[source[i]].backward, to_fixed(worker.backward.null_posterior(i)));
  for (size_t i = 0, at = 0; i < rows; ++i) {
    for (size_t j = 0; j < columns; ++j, ++at) {
      float forward_link = worker.forward.posterior(j, i);
      float backward_link = worker.backward.posterior(i, j);
      if (options_.agreement) forward_link = backward_link = forward_link * backward_link;
      const Fixed f = to_fixed(forward_link);
      const Fixed b = to_fixed(backward_link);
      if ((f | b) == 0) continue;
      DirectedCounts& count = counts_[cells[at]];
      add<shared>(count.forward, f);
      add<shared>(count.backward, b);
    }
  }
}

double AlignerTrainer::maximise(unsigned threads) {
  // Model 1 spreads a rare word over all that it meets; a prior that discounts small counts would
  // lose it there.
  maximise_cells(jumps_counted_ ? options_.lexical_prior : 0, threads);
  maximise_null();
  if (jumps_counted_) {
    forward_jumps_.reestimate(forward_jump_counts_, options_.jump_smoothing);
    backward_jumps_.reestimate(backward_jump_counts_, options_.jump_smoothing);
    forward_jump_counts_ = JumpCounts(options_.max_length);
    backward_jump_counts_ = JumpCounts(options_.max_length);
    jumps_counted_ = false;
  }
  const double log_likelihood = from_fixed(log_likelihood_) / kLikelihoodScale;
  log_likelihood_ = 0;
  return log_likelihood;
}

void AlignerTrainer::maximise_cells(double alpha, unsigned threads) {
  for (const PriorCount& prior : alike_) {
    counts_[prior.cell].forward += to_fixed(prior.count);
    counts_[prior.cell].backward += to_fixed(prior.count);
  }
  // What each target word generates backward lies scattered over the rows.
  const uint32_t words = cells_.words();
  std::vector<Fixed> column_counts(words);
  std::vector<uint32_t> column_sizes(words);
  for (uint32_t cell = 0; cell < cells_.size(); ++cell) {
    column_counts[cells_.target(cell)] += counts_[cell].backward;
    ++column_sizes[cells_.target(cell)];
  }
  std::vector<double> column_totals(words);
  for (uint32_t word = 0; word < words; ++word)
    column_totals[word] = softened(from_fixed(column_counts[word]), alpha * column_sizes[word]);

  parallel_for((words + kRowsPerChunk - 1) / kRowsPerChunk, threads, [&](size_t chunk, unsigned) {
    const size_t end = std::min<size_t>(words, (chunk + 1) * kRowsPerChunk);
    for (auto word = static_cast<uint32_t>(chunk * kRowsPerChunk); word < end; ++word) {
      const uint32_t row_begin = cells_.row_begin(word);
      const uint32_t row_end = cells_.row_end(word);
      Fixed row_count = 0;
      for (uint32_t cell = row_begin; cell < row_end; ++cell) row_count += counts_[cell].forward;
      const double row_total = softened(from_fixed(row_count), alpha * (row_end - row_begin));
      for (uint32_t cell = row_begin; cell < row_end; ++cell) {
        const DirectedCounts& count = counts_[cell];
        weights_[cell] = {clamped(softened(from_fixed(count.forward), alpha), row_total),
                          clamped(softened(from_fixed(count.backward), alpha),
                                  column_totals[cells_.target(cell)])};
      }
    }
  });
  weights_[cells_.size()] = {kFloor, kFloor};
  std::fill(counts_.begin(), counts_.end(), DirectedCounts{});
}

void AlignerTrainer::maximise_null() {
  DirectedCounts total;
  for (const DirectedCounts& count : null_counts_) {
    total.forward += count.forward;
    total.backward += count.backward;
  }
  for (size_t word = 0; word < null_counts_.size(); ++word) {
    const DirectedCounts& count = null_counts_[word];
    null_weights_[word] = {clamped(from_fixed(count.forward), from_fixed(total.forward)),
                           clamped(from_fixed(count.backward), from_fixed(total.backward))};
  }
  std::fill(null_counts_.begin(), null_counts_.end(), DirectedCounts{});
}

void AlignerTrainer::prune(unsigned threads) {
  std::vector<bool> kept(cells_.size());
  uint32_t next = 0;
  size_t prior = 0;
  size_t next_prior = 0;
  for (uint32_t cell = 0; cell < cells_.size(); ++cell) {
    kept[cell] = weights_[cell].forward >= kPruned || weights_[cell].backward >= kPruned;
    if (prior < alike_.size() && alike_[prior].cell == cell) {
      if (kept[cell]) alike_[next_prior++] = {next, alike_[prior].count};
      ++prior;
    }
    if (kept[cell]) weights_[next++] = weights_[cell];
  }
  alike_.resize(next_prior);
  weights_.resize(next);
  weights_.push_back({kFloor, kFloor});
  weights_.shrink_to_fit();
  counts_ = std::vector<DirectedCounts>(size_t{next} + 1);
  cells_.keep(kept, threads);
}

TrainerWeights AlignerTrainer::weights() const {
  const auto numbers = [](const Jumps& jumps) {
    return std::vector<float>(jumps.parameters().begin(), jumps.parameters().end());
  };
  return {weights_, null_weights_, numbers(forward_jumps_), numbers(backward_jumps_)};
}

void AlignerTrainer::take(TrainerWeights weights) {
  if (weights.cells.size() != weights_.size() || weights.null.size() != null_weights_.size() ||
      weights.forward_jumps.size() != Jumps::kParameters ||
      weights.backward_jumps.size() != Jumps::kParameters)
    throw io::Error(io::Fault::argument, "weights of another text");
  weights_ = std::move(weights.cells);
  null_weights_ = std::move(weights.null);
  forward_jumps_ = Jumps(options_.max_length, weights.forward_jumps);
  backward_jumps_ = Jumps(options_.max_length, weights.backward_jumps);
}

TrainerCounts AlignerTrainer::counts() const {
  return {counts_, null_counts_, forward_jump_counts_, backward_jump_counts_, log_likelihood_};
}

void AlignerTrainer::add_counts(Stage stage, const TrainerCounts& counts) {
  const auto sum = [](std::vector<DirectedCounts>& all, const std::vector<DirectedCounts>& some) {
    if (all.size() != some.size()) throw io::Error(io::Fault::argument, "counts of another text");
    for (size_t at = 0; at < all.size(); ++at) {
      all[at].forward += some[at].forward;
      all[at].backward += some[at].backward;
    }
  };
  if (!counts.cells.empty()) sum(counts_, counts.cells);
  sum(null_counts_, counts.null);
  forward_jump_counts_.add(counts.forward_jumps);
  backward_jump_counts_.add(counts.backward_jumps);
  log_likelihood_ += counts.log_likelihood;
  jumps_counted_ |= stage == Stage::hmm;
}

std::vector<DirectedWeights> AlignerTrainer::weights_of(std::span<const uint32_t> cells) const {
  std::vector<DirectedWeights> out;
  out.reserve(cells.size());
  for (const uint32_t cell : cells) {
    if (cell > cells_.size()) throw io::Error(io::Fault::argument, "no such cell");
    out.push_back(weights_[cell]);
  }
  return out;
}

void AlignerTrainer::add_counts_of(std::span<const uint32_t> cells,
                                   std::span<const int64_t> counts) {
  if (counts.size() != 2 * cells.size() ||
      std::ranges::any_of(cells, [&](uint32_t cell) { return cell > cells_.size(); }))
    throw io::Error(io::Fault::argument, "counts of no such cells");
  for (size_t at = 0; at < cells.size(); ++at) {
    DirectedCounts& sum = counts_[cells[at]];
    sum.forward += counts[2 * at];
    sum.backward += counts[2 * at + 1];
  }
}

AlignerModel AlignerTrainer::model(const text::Vocab& vocab) const {
  // Most cells that EM has let go to nothing need not be kept.
  AlignerArrays arrays;
  for (uint32_t word = 0, cell = 0; word < cells_.words(); ++word) {
    for (; cell < cells_.row_end(word); ++cell) {
      if (weights_[cell].forward < kPruned && weights_[cell].backward < kPruned) continue;
      arrays.targets.push_back(cells_.target(cell));
      arrays.weights.push_back(weights_[cell]);
    }
    arrays.row_ends.push_back(static_cast<uint32_t>(arrays.targets.size()));
  }
  arrays.null_weights = null_weights_;
  return {options_, vocab, std::move(arrays), forward_jumps_, backward_jumps_};
}

}  // namespace demotic::align
