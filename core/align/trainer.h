// Expectation-maximisation of the word aligner, both directions side by side: IBM Model 1 (Brown et
// al. 1993), then the HMM.
//
//   AlignerTrainer trainer(source, target, vocab, options, folder, memory, threads);
//   trainer.expect(Stage::model1, begin, end, threads);   slices of the sentence pairs, any order
//   double log_likelihood = trainer.maximise(threads);    when all pairs were seen once
//   trainer.prune(threads);                               once, between Model 1 and the HMM
//   ...
//   AlignerModel model = trainer.model(vocab);
//
// Where the text is in pieces elsewhere, one trainer has the cells of all of it, and each piece one
// of its own, which is told the weights and says what it counted:
//
//   AlignerTrainer whole(row_ends, targets, vocab, options);
//   piece.take(weights);  piece.expect(...);  whole.add_counts(stage, piece.counts());
//   whole.maximise(threads);
//
// The direction `forward` lets each target word pick its source word, `backward` the reverse.  With
// options.agreement the E-step of the HMM multiplies the link posteriors of the two directions
// (Liang, Taskar and Klein 2006).  Lexical rows have Dirichlet priors: counts for words that are
// spelt alike, and in the HMM a symmetric one under variational Bayes (options.lexical_prior).
//
// Counts are fixed-point: results do not depend on the number of threads.  Time grows with the sum
// over sentence pairs of I J (I + J).  Memory: 28 bytes per different word pair of the corpus until
// prune(), and 4 per word pair of a sentence pair, in a temporary file in `folder` where these
// would take more than half of `memory`.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "align/aligner.h"
#include "align/cooccurrence.h"
#include "align/fixed_point.h"
#include "align/hmm.h"
#include "align/jumps.h"
#include "text/token_lines.h"
#include "text/vocab.h"

namespace demotic::align {

enum class Stage : uint8_t { model1, hmm };

struct DirectedCounts {
  Fixed forward = 0;
  Fixed backward = 0;
};

// All that a round counts; integers, so that sums of parts are those of the whole.
struct TrainerCounts {
  std::vector<DirectedCounts> cells;  // the spare cell last
  std::vector<DirectedCounts> null;   // by word
  JumpCounts forward_jumps, backward_jumps;
  Fixed log_likelihood = 0;
};

// What a round goes by.
struct TrainerWeights {
  std::vector<DirectedWeights> cells;  // the spare cell last
  std::vector<DirectedWeights> null;   // by word
  std::vector<float> forward_jumps, backward_jumps;
};

class AlignerTrainer {
 public:
  // The lines outlive the trainer; `vocab` numbers the words of both sides.
  AlignerTrainer(const text::TokenLines& source, const text::TokenLines& target,
                 const text::Vocab& vocab, const AlignerOptions& options, std::string folder,
                 uint64_t memory, unsigned threads);

  // For cells of a text that is elsewhere.
  AlignerTrainer(std::vector<uint32_t> row_ends, std::vector<uint32_t> targets,
                 const text::Vocab& vocab, const AlignerOptions& options);

  size_t pairs() const { return source_.size(); }
  size_t skipped() const { return skipped_; }  // pairs with a side over options.max_length
  uint32_t cells() const { return cells_.size(); }
  std::span<const uint32_t> row_ends() const { return cells_.row_ends(); }
  std::span<const uint32_t> targets() const { return cells_.targets(); }

  void expect(Stage stage, size_t begin, size_t end, unsigned threads);
  // Sets the parameters from the counts, clears them, and gives the log-likelihood of both
  // directions under the parameters that made the counts.
  double maximise(unsigned threads);
  // Drops the cells that hardly took part in the last maximise().
  void prune(unsigned threads);

  TrainerWeights weights() const;
  // These have to fit the cells and words; throws Error(argument).
  void take(TrainerWeights weights);
  // Of all pairs that were expected since maximise().
  TrainerCounts counts() const;
  // Of pairs elsewhere; `stage` is the one that they were counted in.  Those of cells may be left
  // out, and added by themselves.
  void add_counts(Stage stage, const TrainerCounts& counts);
  // Of some cells, which are numbers up to cells(), that of the spare one.
  std::vector<DirectedWeights> weights_of(std::span<const uint32_t> cells) const;
  void add_counts_of(std::span<const uint32_t> cells, std::span<const int64_t> counts);

  AlignerModel model(const text::Vocab& vocab) const;

 private:
  struct Worker;
  struct PriorCount {
    uint32_t cell;
    float count;
  };

  // The text, where it is here.
  AlignerTrainer(const text::TokenLines& source, const text::TokenLines& target, Cooccurrence cells,
                 const text::Vocab& vocab, const AlignerOptions& options);

  void find_alike(const text::Vocab& vocab);
  template <bool shared>
  void expect_model1(size_t pair, std::span<const uint32_t> cells, Worker& worker);
  template <bool shared>
  void expect_hmm(size_t pair, std::span<const uint32_t> cells, Worker& worker);
  void maximise_cells(double alpha, unsigned threads);
  void maximise_null();

  const text::TokenLines& source_;
  const text::TokenLines& target_;
  AlignerOptions options_;
  size_t skipped_ = 0;
  Cooccurrence cells_;
  std::vector<PriorCount> alike_;         // of words that are spelt alike, by cell
  std::vector<DirectedWeights> weights_;  // by cell, the spare cell last
  std::vector<DirectedCounts> counts_;
  std::vector<DirectedWeights> null_weights_;  // by word generated by the empty word
  std::vector<DirectedCounts> null_counts_;
  Jumps forward_jumps_, backward_jumps_;
  JumpCounts forward_jump_counts_, backward_jump_counts_;
  Fixed log_likelihood_ = 0;
  bool jumps_counted_ = false;
};

}  // namespace demotic::align
