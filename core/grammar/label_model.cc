#include "grammar/label_model.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <numeric>

#include "io/error.h"

namespace demotic::grammar {

namespace {

constexpr const char* kTreesSection = "atoms";  // of features::TreesView, beside others

// Of its size and of some words: another vocabulary hardly has the same ones in the same places.
uint64_t fingerprint(text::VocabView words) {
  uint64_t hash = io::mix64(words.size());
  const uint32_t step = std::max(1u, words.size() / 256);
  for (uint32_t id = 0; id < words.size(); id += step)
    hash = io::mix64(hash ^ text::hash_word(words.word(id)));
  return hash;
}

void require(bool holds) {
  if (!holds)
    throw io::Error(io::Fault::corrupt, "damaged label model", 0,
                    "copy the file again or rebuild it");
}

}  // namespace

void LabelModel::save(const std::string& path, const Content& content) {
  const auto labels = static_cast<uint32_t>(content.label_counts.size());
  const size_t rows = content.keys.size() + (content.depth ? kDepthRows : 0);
  const features::TreesView* const trees = content.trees;
  if (labels < 3 || labels % 2 == 0 ||
      content.weights.size() != (trees != nullptr ? 0 : rows * label_stride(labels)) ||
      (trees != nullptr && trees->classifiers() != labels))
    throw io::Error(io::Fault::argument, "weights that do not fit their labels");
  if (!is_template_set(content.templates) ||
      (content.templates == kClassTemplates) == content.classes.empty())
    throw io::Error(io::Fault::argument, "features and classes of words that do not fit");
  for (const float weight : content.weights)
    if (!std::isfinite(weight))
      throw io::Error(io::Fault::argument, "the weight of a label is no number");
  std::vector<uint32_t> slots(std::bit_ceil(2 * content.keys.size() + 1), 0);
  for (uint32_t i = 0; i < content.keys.size(); ++i) put_number(slots, content.keys[i], i);
  const Header header{content.templates,          static_cast<uint32_t>(content.mask),
                      content.depth ? 1u : 0u,    content.stack ? 1u : 0u,
                      content.temperature,        fingerprint(content.source),
                      fingerprint(content.target)};
  io::ContainerWriter out(path, "labels", kVersion);
  out.section<Header>("header", std::span(&header, 1));
  out.section("keys", content.keys);
  out.section<uint32_t>("slots", slots);
  out.section("counts", content.label_counts);
  out.section("weights", content.weights);
  if (!content.classes.empty()) out.section("classes", content.classes);
  if (trees != nullptr) trees->save(out);
  out.finish();
}

LabelModel::LabelModel(const std::string& path, std::optional<bool> verify)
    : container_(std::make_shared<const io::Container>(path, "labels", kVersion)),
      keys_(container_->section<uint64_t>("keys")),
      slots_(container_->section<uint32_t>("slots")),
      label_counts_(container_->section<uint64_t>("counts")),
      weights_(container_->section<float>("weights")) {
  const bool check = verify.value_or(container_->file_size() <= kSmallFile);
  if (check) container_->verify();
  const std::span<const Header> header = container_->section<Header>("header");
  require(header.size() == 1);
  std::memcpy(&header_, header.data(), sizeof header_);
  require(is_template_set(header_.templates));
  require(header_.mask <= 1 && header_.depth <= 1 && header_.stack <= 1);
  if (header_.templates == kClassTemplates) classes_ = container_->section<uint16_t>("classes");
  require(header_.temperature > 1e-6 && header_.temperature < 1e6);
  require(label_counts_.size() >= 3 && label_counts_.size() % 2 == 1 && label_counts_.size() < 256);
  require(!slots_.empty() && (slots_.size() & (slots_.size() - 1)) == 0);
  require(keys_.size() < HashIndex::kNone);
  if (container_->has(kTreesSection)) {
    trees_.emplace(container_, rows(), check);
    require(weights_.empty() && trees_->view().classifiers() == labels());
    tree_index_.emplace(trees_->view(), rows());
  } else {
    require(weights_.size() == size_t{rows()} * stride());
  }
  if (check) {
    for (const float weight : weights_) require(std::isfinite(weight));
    for (uint32_t i = 0; i < keys_.size(); ++i) require(row(keys_[i]) == i);
  }
  by_frequency_.resize(labels());
  std::iota(by_frequency_.begin(), by_frequency_.end(), 0u);
  std::stable_sort(by_frequency_.begin(), by_frequency_.end(),
                   [&](uint32_t a, uint32_t b) { return label_counts_[a] > label_counts_[b]; });
}

void LabelModel::check(text::VocabView source, text::VocabView target) const {
  if (header_.source_words != fingerprint(source) || header_.target_words != fingerprint(target))
    throw io::Error(io::Fault::corrupt, "the labels were learned with other words than the table's",
                    0, "take table and labels of one training");
}

}  // namespace demotic::grammar
