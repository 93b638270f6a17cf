// A trained word aligner: lexical weights, jumps and vocabulary, in memory or mapped from a file.
//
//   AlignerModel model = trainer.model(vocab);    model.save(path, config);
//   AlignerModel model = AlignerModel::load(path);
//   DirectedLinks links = model.align(source_text, target_text, threads);
//
// Text is lines of tokens separated by spaces; the two texts have the same number of lines.  Each
// word takes the link with the highest posterior of the HMM; with options.agreement, the link with
// the highest product of both directions' posteriors.  Words that the model has not seen link by
// position and to words that are spelt alike.  A pair with an empty side has no links.  A pair with
// a side over options.max_length is linked near the diagonal without the HMM, in linear time and
// memory.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "align/jumps.h"
#include "align/links.h"
#include "io/container.h"
#include "text/token_lines.h"
#include "text/vocab.h"

namespace demotic::align {

inline constexpr float kFloor = 1e-9f;  // the least that a lexical weight can be

// What the arithmetic depends on; src/demotic/align/aligner.py explains the choices.
struct AlignerOptions {
  static constexpr uint32_t kLongest = 1000;

  uint32_t max_length = 200;      // words of a side that the HMM takes, at most kLongest
  bool agreement = true;          // multiply the posteriors of the two directions
  double null_probability = 0.2;  // of a word that has no counterpart
  double lexical_prior = 0;       // Dirichlet concentration of a cell in the HMM; 0: none
  double spelling_prior = 0;      // counts added to a pair of words that are spelt alike
  double jump_smoothing = 1;      // jumps, and chances to make one, added to each distance

  void check() const;  // throws Error(argument)
};

struct DirectedWeights {
  float forward;   // p(target word | source word)
  float backward;  // p(source word | target word)
};

// Both have `source` and `target` in the same sense; in `forward` each target word has at most one
// link, in `backward` each source word.
struct DirectedLinks {
  Links forward;
  Links backward;
};

struct AlignerArrays {
  std::vector<uint32_t> row_ends;             // by source word: its cells' end
  std::vector<uint32_t> targets;              // by cell, sorted within a row
  std::vector<DirectedWeights> weights;       // by cell
  std::vector<DirectedWeights> null_weights;  // by word
};

class AlignerModel {
 public:
  AlignerModel(const AlignerOptions& options, const text::Vocab& vocab, AlignerArrays arrays,
               const Jumps& forward_jumps, const Jumps& backward_jumps);

  // `config` is text of the caller's that travels with the file.
  void save(const std::string& path, std::string_view config) const;
  static AlignerModel load(const std::string& path);

  DirectedLinks align(std::string_view source, std::string_view target, unsigned threads) const;

  const AlignerOptions& options() const { return options_; }
  std::string_view config() const { return {config_.data(), config_.size()}; }
  uint32_t words() const { return vocab_.size(); }
  size_t cells() const { return targets_.size(); }
  // p(target | source) and p(source | target).
  DirectedWeights weights(std::string_view source, std::string_view target) const;
  // p(word | empty word), were it on the target (forward) or the source (backward) side.
  DirectedWeights null_weights(std::string_view word) const;
  const Jumps& forward_jumps() const { return forward_jumps_; }
  const Jumps& backward_jumps() const { return backward_jumps_; }

 private:
  struct Scratch;
  struct Text;

  AlignerModel(std::shared_ptr<const io::Container> file, const AlignerOptions& options,
               std::span<const float> jumps);
  void check_sizes() const;
  DirectedWeights cell(uint32_t source, uint32_t target) const;
  DirectedWeights null_cell(uint32_t word) const;
  void align_pair(std::span<const uint32_t> source, std::span<const uint32_t> target,
                  Scratch& scratch) const;
  void align_diagonally(std::span<const uint32_t> source, std::span<const uint32_t> target,
                        Scratch& scratch) const;

  AlignerOptions options_;
  Jumps forward_jumps_, backward_jumps_;
  // What the views below look into: a file, or arrays and a vocabulary.
  std::shared_ptr<const io::Container> file_;
  std::shared_ptr<const AlignerArrays> arrays_;
  std::shared_ptr<const text::Vocab> own_vocab_;
  text::VocabView vocab_;
  std::span<const uint32_t> row_ends_, targets_;
  std::span<const DirectedWeights> weights_, null_weights_;
  std::span<const char> config_;
};

}  // namespace demotic::align
