// A language model beside the first one, and how it sees a word: as it is, as its class, or
// together with the source words that it translates.
//
//   FurtherModel model("LanguageModel2", lm);                     words are the model's own
//   FurtherModel model("ClassModel", lm, {{"house", 17}, ...});   a word is its class: "17"
//   model.find("house")                                           the id that lm has for it
//   FurtherModel model("BilingualModel", lm, Sight::units);       a word is its unit: "house|haus"
//   unit_of("at", {"in", "dem"})                                  "at|in|dem"
//
// A model of classes is an ordinary one, of a text whose words are numbers of classes; one of units
// is of a text whose words are units (Niehues et al. 2011), or classes of these.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "lm/model.h"

namespace demotic::lm {

// What a model is asked about: a target word, or one with the source words it is linked to.
enum class Sight : uint8_t { words, units };

// A target word, and the source words that it is linked to in their order; none: "word|".
inline std::string unit_of(std::string_view word, std::span<const std::string_view> linked) {
  std::string unit(word);
  if (linked.empty()) unit += '|';
  for (const std::string_view each : linked) (unit += '|') += each;
  return unit;
}

class FurtherModel {
 public:
  using Classes = std::unordered_map<std::string, uint32_t>;

  FurtherModel(std::string name, const Model& lm, Sight sight = Sight::words)
      : name_(std::move(name)), lm_(lm), sight_(sight) {}
  FurtherModel(std::string name, const Model& lm, Classes classes, Sight sight = Sight::words)
      : FurtherModel(std::move(name), lm, sight) {
    for (auto& [word, number] : classes) number = lm_.find(std::to_string(number));
    ids_ = std::make_shared<const Classes>(std::move(classes));
  }

  const std::string& name() const { return name_; }
  const Model& lm() const { return lm_; }
  bool sees_units() const { return sight_ == Sight::units; }

  // A word, or a unit where the model sees these.
  uint32_t find(std::string_view word) const {
    if (ids_ == nullptr) return lm_.find_in_text(word);
    const auto found = ids_->find(std::string(word));
    return found == ids_->end() ? text::kUnknown : found->second;
  }
  // A word that translates itself.
  uint32_t find_passed(std::string_view word) const {
    return find(sees_units() ? unit_of(word, {&word, 1}) : std::string(word));
  }

 private:
  std::string name_;  // of its feature
  Model lm_;          // the same tables: nothing is copied
  Sight sight_;
  std::shared_ptr<const Classes> ids_;
};

inline std::vector<std::string> names_of(std::span<const FurtherModel> models) {
  std::vector<std::string> names;
  for (const FurtherModel& each : models) names.push_back(each.name());
  return names;
}

}  // namespace demotic::lm
