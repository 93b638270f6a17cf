// How nonterminals and numbers look in the rule texts of other systems; see grammar/rule_text.h.
#pragma once

#include <charconv>
#include <cstdint>
#include <string>
#include <string_view>

namespace demotic::grammar {

inline bool is_bracketed(std::string_view token) {
  return token.size() > 2 && token.front() == '[' && token.back() == ']';
}

// A token in a message, cut where it is very long.
inline std::string quoted(std::string_view token) {
  std::string text(1, '\'');
  text += token.substr(0, 60);
  text += '\'';
  return text;
}

// The whole of a text as a number that is not negative.
inline bool read_index(std::string_view text, uint32_t& value) {
  const char* end = text.data() + text.size();
  const auto [stop, failure] = std::from_chars(text.data(), end, value);
  return !text.empty() && failure == std::errc() && stop == end;
}

inline bool is_number(std::string_view text) {
  double value;
  const char* end = text.data() + text.size();
  const auto [stop, failure] = std::from_chars(text.data(), end, value);
  return stop == end && failure != std::errc::invalid_argument;
}

// "[NP,1]" into NP and 1; number 0 where there is none.
struct Label {
  std::string_view name;
  uint32_t number = 0;
};
inline Label label_of(std::string_view token) {
  const std::string_view inside = token.substr(1, token.size() - 2);
  Label label{inside};
  const size_t comma = inside.rfind(',');
  if (comma != std::string_view::npos && read_index(inside.substr(comma + 1), label.number))
    label.name = inside.substr(0, comma);
  else if (read_index(inside, label.number))
    label.name = {};
  return label;
}

// "[X][NP]" is a nonterminal of Moses; its second label is the chart's.
inline std::string_view moses_label(std::string_view token) {
  const size_t middle = token.find("][");
  if (!is_bracketed(token) || middle == std::string_view::npos) return {};
  return token.substr(middle + 2, token.size() - middle - 3);
}

}  // namespace demotic::grammar
