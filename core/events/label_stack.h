// The stack that labels build of items with target words: what a learner of labels walks with.
//
//   LabelStack stack;
//   stack.state()                                what the next label can see (label_state.h)
//   stack.take(item, words, label, forced);      the next item, with its label
//   stack.depth()
//   stack.each_item(visit)                       items in the order of their translations, what is
//                                                left on the stack joined in its order
//
// A forced item joins what is there.  A label that asks for more than there is takes what there is.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "events/label_state.h"
#include "events/stack_labels.h"

namespace demotic::events {

class LabelStack {
 public:
  void clear() {
    elements_.clear();
    next_.clear();
    first_item_ = kNoItem;
    state_ = {};
  }
  uint32_t depth() const { return static_cast<uint32_t>(elements_.size()); }

  LabelState state() const {
    LabelState seen = state_;
    if (!elements_.empty()) {
      seen.top_first = elements_.back().first_word;
      seen.top_last = elements_.back().last_word;
    }
    if (elements_.size() > 1) seen.below_last = elements_[elements_.size() - 2].last_word;
    return seen;
  }

  // Items come one after the other, numbered without gaps.
  void take(uint32_t item, std::span<const uint32_t> words, uint32_t label, bool forced) {
    if (first_item_ == kNoItem) first_item_ = item;
    next_.push_back(kNoItem);
    if (forced) {
      label = kShiftReduce;
    } else {
      state_.taken(label);
    }
    elements_.push_back(words.empty() ? Element{}
                                      : Element{item, item, words.front(), words.back()});
    const auto fitting = static_cast<uint32_t>(elements_.size()) - 1;
    const uint32_t reductions = std::min(reductions_of(label), fitting);
    for (uint32_t k = 0; k < reductions; ++k) {
      const Element upper = elements_.back();
      elements_.pop_back();
      elements_.back() =
          inverted(label, k) ? join(upper, elements_.back()) : join(elements_.back(), upper);
    }
  }

  template <class Visit>
  void each_item(Visit&& visit) const {
    for (const Element& element : elements_)
      for (uint32_t item = element.first; item != kNoItem; item = next_[item - first_item_])
        visit(item);
  }

 private:
  static constexpr uint32_t kNoItem = UINT32_MAX;
  struct Element {
    uint32_t first = kNoItem, last = kNoItem;
    uint32_t first_word = kNoWord, last_word = kNoWord;
  };

  Element join(const Element& left, const Element& right) {
    if (left.first == kNoItem) return right;
    if (right.first == kNoItem) return left;
    next_[left.last - first_item_] = right.first;
    return {left.first, right.last, left.first_word, right.last_word};
  }

  std::vector<Element> elements_;
  std::vector<uint32_t> next_;  // by item: the one behind it in its element
  uint32_t first_item_ = kNoItem;
  LabelState state_;
};

}  // namespace demotic::events
