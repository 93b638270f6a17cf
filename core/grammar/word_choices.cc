#include "grammar/word_choices.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "io/error.h"

namespace demotic::grammar {

namespace {

constexpr const char* kKind = "words";

void require(bool holds) {
  if (!holds)
    throw io::Error(io::Fault::corrupt, "damaged classifiers of words", 0,
                    "copy the file again or train anew");
}

}  // namespace

void WordChoices::save(const std::string& path, const Content& content) {
  const size_t words = content.source.size();
  if (content.candidate_ends.size() != words || content.first_classifiers.size() != words ||
      content.candidates.size() != content.counts.size() ||
      !(content.tag_of.empty() || content.tag_of.size() == words))
    throw io::Error(io::Fault::argument, "tables of words that do not fit each other");
  const Header header{content.window ? 1u : 0u, content.cooccurrence ? 1u : 0u, content.lambda};
  io::ContainerWriter out(path, kKind, kVersion);
  out.section<Header>("header", std::span(&header, 1));
  content.source.save(out, "source");
  content.target.save(out, "target");
  content.tags.save(out, "tags");
  content.others.save(out, "others");
  out.section("tag_of", content.tag_of);
  out.section("candidate_ends", content.candidate_ends);
  out.section("candidates", content.candidates);
  out.section("counts", content.counts);
  out.section("firsts", content.first_classifiers);
  content.trees.save(out);
  out.finish();
}

WordChoices::WordChoices(const std::string& path, std::optional<bool> verify)
    : container_(std::make_shared<const io::Container>(path, kKind, kVersion)),
      source_(*container_, "source"),
      target_(*container_, "target"),
      tags_(*container_, "tags"),
      others_(*container_, "others"),
      tag_of_(container_->section<uint32_t>("tag_of")),
      candidate_ends_(container_->section<uint64_t>("candidate_ends")),
      candidates_(container_->section<uint32_t>("candidates")),
      counts_(container_->section<uint32_t>("counts")),
      first_classifiers_(container_->section<uint64_t>("firsts")) {
  const bool all = verify.value_or(container_->file_size() <= kSmallFile);
  if (all) container_->verify();
  const std::span<const Header> header = container_->section<Header>("header");
  require(header.size() == 1);
  std::memcpy(&header_, header.data(), sizeof header_);
  require(header_.window <= 1 && header_.cooccurrence <= 1);
  require(std::isfinite(header_.lambda));
  require(candidate_ends_.size() == source_.size() && first_classifiers_.size() == source_.size());
  require(counts_.size() == candidates_.size());
  require(tag_of_.empty() || tag_of_.size() == source_.size());
  // A vocabulary has the unknown word: with nothing else in it, there are no tags.
  atoms_ = {source_.size(), tags_.size() > 1 ? tags_.size() : 0, header_.window == 1,
            header_.cooccurrence == 1};
  const uint64_t features = atoms_.size() + others_.size();
  require(features < features::kTreeLeaf / 2);
  features_ = features;
  trees_ = std::make_shared<const features::TreeEnsembles>(container_,
                                                           static_cast<uint32_t>(features), all);
  if (!all) return;
  require(source_.is_sound() && target_.is_sound() && tags_.is_sound() && others_.is_sound());
  require(std::is_sorted(candidate_ends_.begin(), candidate_ends_.end()));
  require((candidate_ends_.empty() ? 0 : candidate_ends_.back()) == candidates_.size());
  for (const uint32_t target : candidates_) require(target < target_.size());
  for (const uint32_t tag : tag_of_) require(tag < tags_.size());
  for (uint32_t word = 0; word < source_.size(); ++word) {
    const Candidates own = candidates(word);
    require(own.targets.size() <= 1 ||
            own.first_classifier + own.targets.size() <= trees_->view().classifiers());
  }
}

WordChoices::Candidates WordChoices::candidates(uint32_t word) const {
  if (word >= candidate_ends_.size()) return {};
  const uint64_t begin = word == 0 ? 0 : candidate_ends_[word - 1];
  const uint64_t end = candidate_ends_[word];
  if (begin > end || end > candidates_.size()) return {};
  return {candidates_.subspan(begin, end - begin), counts_.subspan(begin, end - begin),
          first_classifiers_[word]};
}

void WordChoices::score(std::span<const uint32_t> sentence, std::span<const uint32_t> tags,
                        std::span<const uint32_t> others, size_t at, features::AtomSet& set,
                        std::vector<double>& h) const {
  const Candidates own = candidates(sentence[at]);
  h.assign(own.targets.size(), 0.0);
  if (h.size() < 2) return;
  thread_local std::vector<uint32_t> atoms;
  atoms.clear();
  atoms_.add(sentence, tags, at, atoms);
  set.fill(atoms);
  for (const uint32_t other : others) set.add(static_cast<uint32_t>(atoms_.size() + other));
  const features::TreesView& trees = trees_->view();
  for (size_t k = 0; k < h.size(); ++k)
    h[k] = trees.score(own.first_classifier + k, 0.0, [&](uint32_t atom) { return set.has(atom); });
}

}  // namespace demotic::grammar
