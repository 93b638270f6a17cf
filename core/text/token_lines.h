// Many tokenised sentences as one flat array of word ids with line borders.
//
//   TokenLines lines;  encode("the house\nis small\n", vocab, lines);
//   lines[1] -> span of the ids of "is small"
//
// Tokens are separated by ASCII spaces (runs count once); lines by '\n'.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "text/vocab.h"

namespace demotic::text {

struct TokenLines {
  std::vector<uint32_t> ids;
  std::vector<uint64_t> ends;  // ends[i] = one past the last id of line i

  size_t size() const { return ends.size(); }
  std::span<const uint32_t> operator[](size_t line) const {
    const uint64_t begin = line == 0 ? 0 : ends[line - 1];
    return {ids.data() + begin, ends[line] - begin};
  }
};

// Calls `each(token)` for the tokens of one line.
template <class Each>
void for_each_token(std::string_view line, Each&& each) {
  for (size_t at = 0; at < line.size();) {
    if (line[at] == ' ') {
      ++at;
      continue;
    }
    size_t end = line.find(' ', at);
    if (end == std::string_view::npos) end = line.size();
    each(line.substr(at, end - at));
    at = end;
  }
}

// Calls `each(line)` for the lines of a text; a last line without '\n' counts.
template <class Each>
void for_each_line(std::string_view text, Each&& each) {
  for (size_t at = 0; at < text.size();) {
    size_t end = text.find('\n', at);
    if (end == std::string_view::npos) end = text.size();
    each(text.substr(at, end - at));
    at = end + 1;
  }
}

// Appends the lines of `text`, adding unseen words to `vocab`.
inline void encode(std::string_view text, Vocab& vocab, TokenLines& out) {
  for_each_line(text, [&](std::string_view line) {
    for_each_token(line, [&](std::string_view token) { out.ids.push_back(vocab.add(token)); });
    out.ends.push_back(out.ids.size());
  });
}

// Appends the lines of `text`; unseen words become kUnknown.
inline void encode(std::string_view text, VocabView vocab, TokenLines& out) {
  for_each_line(text, [&](std::string_view line) {
    for_each_token(line, [&](std::string_view token) { out.ids.push_back(vocab.find(token)); });
    out.ends.push_back(out.ids.size());
  });
}

}  // namespace demotic::text
