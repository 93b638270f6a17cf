#include "align/pharaoh.h"

#include <algorithm>
#include <charconv>

#include "io/error.h"

namespace demotic::align {

namespace {

constexpr const char* kShape = "write source-target pairs such as 0-0 1-2";

[[noreturn]] void bad_token(std::string_view token, uint64_t line) {
  constexpr size_t kShown = 40;
  std::string shown(token.substr(0, kShown));
  if (token.size() > kShown) shown += "...";
  throw io::Error(io::Fault::format, "'" + shown + "' is not a link", line, kShape);
}

// One position, counted from `base`; advances `at`.
uint32_t position(const char*& at, const char* end, std::string_view token, uint32_t base,
                  uint64_t line) {
  uint64_t value = 0;
  const auto [stop, failure] = std::from_chars(at, end, value);
  if (stop == at || failure == std::errc::invalid_argument) bad_token(token, line);
  if (failure == std::errc::result_out_of_range || value > kMaxPosition)
    throw io::Error(io::Fault::format,
                    "'" + std::string(token.substr(0, 40)) + "' is beyond any sentence", line);
  if (value < base)
    throw io::Error(io::Fault::format,
                    "position 0 in '" + std::string(token) + "', but words count from 1", line,
                    "read the file as 0-based");
  at = stop;
  return static_cast<uint32_t>(value) - base;
}

void close_line(Links& links) {
  const auto begin =
      links.pairs.begin() + static_cast<std::ptrdiff_t>(links.ends.empty() ? 0 : links.ends.back());
  std::sort(begin, links.pairs.end());
  links.pairs.erase(std::unique(begin, links.pairs.end()), links.pairs.end());
  links.ends.push_back(links.pairs.size());
}

}  // namespace

void parse_pharaoh(std::string_view text, const PharaohOptions& options, Gold& out) {
  uint64_t line = options.first_line;
  text::for_each_line(text, [&](std::string_view content) {
    text::for_each_token(content, [&](std::string_view token) {
      const char* at = token.data();
      const char* const end = at + token.size();
      const uint32_t source = position(at, end, token, options.base, line);
      const char mark = at == end ? '\0' : *at++;
      const bool sure = mark == '-';
      if (!sure && mark != '?' && mark != 'p') bad_token(token, line);
      if (!sure && !options.allow_possible)
        throw io::Error(io::Fault::format,
                        "possible link '" + std::string(token.substr(0, 40)) + "'", line,
                        "only reference alignments hold possible links");
      const uint32_t target = position(at, end, token, options.base, line);
      if (at != end) bad_token(token, line);
      if (sure) out.sure.pairs.push_back({source, target});
      out.possible.pairs.push_back({source, target});
    });
    close_line(out.sure);
    close_line(out.possible);
    ++line;
  });
}

void print_pharaoh(const Links& links, size_t begin, size_t end, uint32_t base, std::string& out) {
  char digits[16];
  const auto number = [&](uint32_t value) {
    const auto stop = std::to_chars(digits, digits + sizeof digits, uint64_t{value} + base).ptr;
    out.append(digits, stop);
  };
  for (size_t line = begin; line < end; ++line) {
    bool first = true;
    for (const Link& link : links[line]) {
      if (!first) out += ' ';
      first = false;
      number(link.source);
      out += '-';
      number(link.target);
    }
    out += '\n';
  }
}

void check_links(const Links& links, const text::TokenLines& source, const text::TokenLines& target,
                 uint32_t base) {
  if (source.size() != target.size())
    throw io::Error(io::Fault::format, "the source text has " + std::to_string(source.size()) +
                                           " lines, the target text " +
                                           std::to_string(target.size()));
  const size_t lines = std::min(links.size(), source.size());
  const auto inside = [&](size_t line, uint32_t at, size_t length, const char* side) {
    if (at < length) return;
    throw io::Error(io::Fault::format,
                    std::string(side) + " position " + std::to_string(uint64_t{at} + base) +
                        " is outside a sentence of " + std::to_string(length) + " words",
                    line + 1, "are source and target swapped, or do positions count from 1?");
  };
  for (size_t line = 0; line < lines; ++line) {
    for (const Link& link : links[line]) {
      inside(line, link.source, source[line].size(), "source");
      inside(line, link.target, target[line].size(), "target");
    }
  }
  if (links.size() != source.size())
    throw io::Error(io::Fault::format,
                    std::to_string(links.size()) + " lines of links for " +
                        std::to_string(source.size()) + " sentence pairs",
                    lines + 1, "give one line of links for each sentence pair");
}

}  // namespace demotic::align
