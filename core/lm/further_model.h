// A language model beside the first one, and how it sees a word: as it is, or as its class.
//
//   FurtherModel model("LanguageModel2", lm);                     words are the model's own
//   FurtherModel model("ClassModel", lm, {{"house", 17}, ...});   a word is its class: "17"
//   model.find("house")                                           the id that lm has for it
//
// A model of classes is an ordinary one, of a text whose words are numbers of classes.
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

class FurtherModel {
 public:
  using Classes = std::unordered_map<std::string, uint32_t>;

  FurtherModel(std::string name, const Model& lm) : name_(std::move(name)), lm_(lm) {}
  FurtherModel(std::string name, const Model& lm, Classes classes)
      : FurtherModel(std::move(name), lm) {
    for (auto& [word, number] : classes) number = lm_.find(std::to_string(number));
    ids_ = std::make_shared<const Classes>(std::move(classes));
  }

  const std::string& name() const { return name_; }
  const Model& lm() const { return lm_; }

  uint32_t find(std::string_view word) const {
    if (ids_ == nullptr) return lm_.find_in_text(word);
    const auto found = ids_->find(std::string(word));
    return found == ids_->end() ? text::kUnknown : found->second;
  }

 private:
  std::string name_;  // of its feature
  Model lm_;          // the same tables: nothing is copied
  std::shared_ptr<const Classes> ids_;
};

inline std::vector<std::string> names_of(std::span<const FurtherModel> models) {
  std::vector<std::string> names;
  for (const FurtherModel& each : models) names.push_back(each.name());
  return names;
}

}  // namespace demotic::lm
