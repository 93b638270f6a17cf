// Learned weights of labels (events/stack_labels.h), memory-mapped.
//
//   LabelModel::save(path, content)              Container of kind "labels"
//   LabelModel model(path);                      small files are verified
//   model.check(table.source_vocab(), table.target_vocab());
//   uint32_t row = model.row(key);               of label_features.h; kNoRow: never or seldom seen
//   model.add(row, scores);                      scores of all labels, stride() of them
//   model.by_frequency()                         labels, the most frequent in training first
//   LabelAtoms atoms(model);                     where model.trees() choose: a row is an atom, and
//   atoms.clear(); atoms.add(row); atoms.score(scores);     all of them together have scores
//   atoms.keep(known), atoms.start_from(rows, known)        (features/tree_index.h)
//
// Each row is a multiple of 16 floats.  Whatever the bytes say, scores are numbers.
#pragma once

#include <cmath>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "events/label_corpus.h"
#include "events/stack_labels.h"
#include "features/tree_ensembles.h"
#include "features/tree_index.h"
#include "grammar/label_features.h"
#include "hash_index.h"
#include "io/container.h"
#include "text/vocab.h"

namespace demotic::grammar {

// How the labels were learned, and must be chosen.
enum class Mask : uint32_t {
  none,  // among all labels; on a stack too small for it, the best that fits
  full,  // among those that lead to one element in the end
};

inline constexpr uint32_t kDepthRows = 4;  // stacks of 0, 1, 2 and more elements

constexpr uint32_t label_stride(uint32_t labels) { return (labels + 15) / 16 * 16; }

class LabelModel {
 public:
  static constexpr uint32_t kVersion = 1;
  static constexpr size_t kSmallFile = size_t{64} << 20;

  struct Content {
    uint32_t templates;
    Mask mask;
    bool depth;                         // the last kDepthRows rows look at the stack's depth
    bool stack;                         // some keys are those of label_state.h
    std::span<const uint16_t> classes;  // of source words, for kClassTemplates
    double temperature;
    std::span<const uint64_t> keys;
    std::span<const uint64_t> label_counts;
    std::span<const float> weights;  // stride for each key, and for each depth
    text::VocabView source, target;
    const features::TreesView* trees = nullptr;  // instead of weights: a classifier for each label
  };
  static void save(const std::string& path, const Content& content);

  explicit LabelModel(const std::string& path, std::optional<bool> verify = {});

  // Throws Error(corrupt) unless these are the vocabularies that labels were learned with.
  void check(text::VocabView source, text::VocabView target) const;

  uint32_t templates() const { return header_.templates; }
  Mask mask() const { return header_.mask == 0 ? Mask::none : Mask::full; }
  bool sees_depth() const { return header_.depth != 0; }
  bool sees_stack() const { return header_.stack != 0; }
  WordClassView classes() const { return {classes_}; }
  double temperature() const { return header_.temperature; }
  uint32_t labels() const { return static_cast<uint32_t>(label_counts_.size()); }
  uint32_t most_reductions() const { return events::reductions_of(labels() - 1); }
  uint32_t stride() const { return label_stride(labels()); }
  uint32_t features() const { return static_cast<uint32_t>(keys_.size()); }
  uint64_t count(uint32_t label) const { return label_counts_[label]; }
  bool seen(uint32_t label) const { return label_counts_[label] > 0; }
  std::span<const uint32_t> by_frequency() const { return by_frequency_; }

  uint32_t rows() const { return features() + (sees_depth() ? kDepthRows : 0); }
  // Null where weights choose.
  const features::TreesView* trees() const { return trees_ ? &trees_->view() : nullptr; }
  const features::TreeIndex& tree_index() const { return *tree_index_; }  // where they choose

  uint32_t row(uint64_t key) const {
    return find_number(slots_, key, keys_.size(), [&](uint32_t i) { return keys_[i] == key; });
  }
  uint32_t depth_row(uint32_t depth) const { return features() + std::min(depth, kDepthRows - 1); }
  void add(uint32_t row, std::span<float> scores) const {
    if (row == HashIndex::kNone) return;
    const std::span<const float> weights = weights_.subspan(size_t{row} * stride(), stride());
    for (size_t i = 0; i < scores.size(); ++i) scores[i] += weights[i];
  }
  static float finite(float score) { return std::abs(score) < 1e30f ? score : 0.0f; }

 private:
  struct Header {
    uint32_t templates;
    uint32_t mask;
    uint32_t depth;
    uint32_t stack;
    double temperature;
    uint64_t source_words;  // fingerprints of the vocabularies
    uint64_t target_words;
  };

  std::shared_ptr<const io::Container> container_;
  Header header_{};
  std::span<const uint64_t> keys_;
  std::span<const uint32_t> slots_;
  std::span<const uint64_t> label_counts_;
  std::span<const float> weights_;
  std::span<const uint16_t> classes_;
  std::optional<features::TreeEnsembles> trees_;
  std::optional<features::TreeIndex> tree_index_;
  std::vector<uint32_t> by_frequency_;
};

// What trees look at, collected row by row.  The model must outlive it.
class LabelAtoms {
 public:
  explicit LabelAtoms(const LabelModel& model) : atoms_(model.tree_index()) {}

  void clear() { atoms_.clear(); }
  void add(uint32_t row) { atoms_.add(row); }  // HashIndex::kNone is none
  void score(std::span<float> scores) { atoms_.score_all(scores); }
  using Known = features::TreeAsker::Known;
  void keep(std::vector<Known>& known) { atoms_.keep(known); }
  void start_from(std::span<const uint32_t> rows, std::span<const Known> known) {
    atoms_.clear();
    atoms_.start_from(rows, known);
  }

 private:
  features::TreeAsker atoms_;
};

}  // namespace demotic::grammar
