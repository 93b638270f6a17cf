// How alike two words of different languages are spelt: names, numbers, punctuation and cognates.
//
//   spelling_likeness("2004", "2004") == 1     spelling_likeness("nation", "naţiune") == 0
//   spelling_likeness("parlament", "parlamento") == 0.9f
//
// The share of the longer word that a common beginning covers; 0 below half or four characters.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string_view>

namespace demotic::align {

inline size_t count_characters(std::string_view utf8) {
  return static_cast<size_t>(
      std::count_if(utf8.begin(), utf8.end(), [](char byte) { return (byte & 0xc0) != 0x80; }));
}

inline float spelling_likeness(std::string_view a, std::string_view b) {
  if (a == b) return 1.0f;
  constexpr size_t kLeastBeginning = 4;
  const size_t shorter = std::min(a.size(), b.size());
  size_t same = 0;
  while (same < shorter && a[same] == b[same]) ++same;
  // A beginning must not end inside a character.
  while (same > 0 && same < a.size() && (a[same] & 0xc0) == 0x80) --same;
  while (same > 0 && same < b.size() && (b[same] & 0xc0) == 0x80) --same;
  if (same < kLeastBeginning) return 0.0f;
  const size_t beginning = count_characters(a.substr(0, same));
  const size_t longer = std::max(count_characters(a), count_characters(b));
  if (beginning < kLeastBeginning || 2 * beginning < longer) return 0.0f;
  return static_cast<float>(beginning) / static_cast<float>(longer);
}

}  // namespace demotic::align
