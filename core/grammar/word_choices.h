// Which target word a source word becomes, by classifiers that see its sentence; memory-mapped.
//
//   WordChoices::save(path, content);             Container of kind "words"
//   WordChoices model(path);                      small files are verified
//   model.source().find(token)                    ids of a sentence's words
//   model.candidates(word)                        target words seen with it, the most frequent
//   first model.score(sentence, tags, others, at, set, h)   h of each of them at that place
//
// Target word 0 is none at all: NULL.  A source word with one candidate has no classifiers, and h
// is 0.  Tags are those of a tagger, or classes of words that the model knows itself (`tag_of`).
// Other atoms than those of features/source_atoms.h have names of their own.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "features/binary_rows.h"
#include "features/source_atoms.h"
#include "features/tree_ensembles.h"
#include "io/container.h"
#include "text/vocab.h"

namespace demotic::grammar {

class WordChoices {
 public:
  static constexpr uint32_t kVersion = 1;
  static constexpr size_t kSmallFile = size_t{64} << 20;

  struct Content {
    bool window, cooccurrence;
    double lambda;  // what the trees were cut at
    text::VocabView source, target, tags, others;
    std::span<const uint32_t> tag_of;             // by source word; empty: tags come from outside
    std::span<const uint64_t> candidate_ends;     // by source word
    std::span<const uint32_t> candidates;         // target words
    std::span<const uint32_t> counts;             // in training
    std::span<const uint64_t> first_classifiers;  // by source word
    features::TreesView trees;
  };
  static void save(const std::string& path, const Content& content);

  explicit WordChoices(const std::string& path, std::optional<bool> verify = {});

  text::VocabView source() const { return source_; }
  text::VocabView target() const { return target_; }
  text::VocabView tags() const { return tags_; }
  text::VocabView others() const { return others_; }
  const features::SourceAtoms& atoms() const { return atoms_; }
  double lambda() const { return header_.lambda; }
  bool knows_tags() const { return !tag_of_.empty(); }
  uint32_t tag_of(uint32_t word) const { return word < tag_of_.size() ? tag_of_[word] : 0; }
  const std::shared_ptr<const features::TreeEnsembles>& trees() const { return trees_; }

  struct Candidates {
    std::span<const uint32_t> targets;
    std::span<const uint32_t> counts;
    uint64_t first_classifier;
  };
  Candidates candidates(uint32_t word) const;

  // An empty set of atoms, large enough.
  size_t features() const { return features_; }
  features::AtomSet atom_set() const { return features::AtomSet(features_); }
  void score(std::span<const uint32_t> sentence, std::span<const uint32_t> tags,
             std::span<const uint32_t> others, size_t at, features::AtomSet& set,
             std::vector<double>& h) const;

 private:
  struct Header {
    uint32_t window, cooccurrence;
    double lambda;
  };

  std::shared_ptr<const io::Container> container_;
  Header header_{};
  text::VocabView source_, target_, tags_, others_;
  features::SourceAtoms atoms_;
  size_t features_ = 0;
  std::span<const uint32_t> tag_of_;
  std::span<const uint64_t> candidate_ends_;
  std::span<const uint32_t> candidates_;
  std::span<const uint32_t> counts_;
  std::span<const uint64_t> first_classifiers_;
  std::shared_ptr<const features::TreeEnsembles> trees_;
};

}  // namespace demotic::grammar
