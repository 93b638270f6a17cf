// What a label (events/stack_labels.h) goes by: an item and the words around it.
//
//   LabelKeys keys;
//   place_keys(sentence, begin, end, templates, classes, keys);     all but the target side's
//   keys[LabelTemplate::target] = target_key(target);
//
// A key is 64 bits of the template and of the words it looks at; 0 where a template is not asked
// for.  A side of several words is one symbol.  "Previous" and "next" are words of the sentence,
// however it is cut into items.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>

#include "events/label_state.h"

namespace demotic::grammar {

using events::kNoWord;
using events::LabelKey;

// The first four are the paper's, with a bias.
enum LabelTemplate : uint32_t {
  kBias,
  kSourceSide,
  kPreviousWord,
  kTargetSide,
  kNextWord,
  kSourceAndNext,
  kSecondNext,
  kNextTwo,
  kPreviousAndSource,
  kSecondPrevious,
  kClassOfSide,
  kClassOfPrevious,
  kClassOfNext,
  kClassWindow,
  kClassesAhead,
};
// How many of them there are in each set of features.
inline constexpr uint32_t kPaperTemplates = 4;
inline constexpr uint32_t kContextTemplates = 9;
inline constexpr uint32_t kClassTemplates = 15;
inline bool is_template_set(uint32_t templates) {
  return templates == kPaperTemplates || templates == kContextTemplates ||
         templates == kClassTemplates;
}

// Classes of source words by their ids; those beyond have none.
struct WordClassView {
  std::span<const uint16_t> by_word;
  uint32_t operator()(uint32_t word) const {
    if (word < by_word.size()) return by_word[word];
    return word == kNoWord ? kNoWord : events::kForeignWord;
  }
};

using LabelKeys = std::array<uint64_t, kClassTemplates>;

template <class Words>
uint64_t target_key(const Words& target) {
  return LabelKey(kTargetSide).all(target).value();
}

inline void place_keys(std::span<const uint32_t> sentence, size_t begin, size_t end,
                       uint32_t templates, WordClassView classes, LabelKeys& keys) {
  keys.fill(0);
  const auto word = [&](size_t at) { return at < sentence.size() ? sentence[at] : kNoWord; };
  const std::span<const uint32_t> side = sentence.subspan(begin, end - begin);
  const uint32_t previous = begin == 0 ? kNoWord : sentence[begin - 1];
  keys[kBias] = LabelKey(kBias).value();
  keys[kSourceSide] = LabelKey(kSourceSide).all(side).value();
  keys[kPreviousWord] = LabelKey(kPreviousWord)(previous).value();
  if (templates <= kPaperTemplates) return;
  keys[kNextWord] = LabelKey(kNextWord)(word(end)).value();
  keys[kSourceAndNext] = LabelKey(kSourceAndNext).all(side)(word(end)).value();
  keys[kSecondNext] = LabelKey(kSecondNext)(word(end + 1)).value();
  keys[kNextTwo] = LabelKey(kNextTwo)(word(end))(word(end + 1)).value();
  keys[kPreviousAndSource] = LabelKey(kPreviousAndSource).all(side)(previous).value();
  if (templates <= kContextTemplates) return;
  const uint32_t first = classes(side.front()), last = classes(side.back());
  const uint32_t before = classes(previous);
  const uint32_t next = classes(word(end)), second = classes(word(end + 1));
  keys[kSecondPrevious] =
      LabelKey(kSecondPrevious)(begin < 2 ? kNoWord : sentence[begin - 2]).value();
  keys[kClassOfSide] = LabelKey(kClassOfSide)(first)(last).value();
  keys[kClassOfPrevious] = LabelKey(kClassOfPrevious)(before).value();
  keys[kClassOfNext] = LabelKey(kClassOfNext)(next).value();
  keys[kClassWindow] = LabelKey(kClassWindow)(before)(first)(last)(next).value();
  keys[kClassesAhead] = LabelKey(kClassesAhead)(first)(last)(next)(second).value();
}

}  // namespace demotic::grammar
