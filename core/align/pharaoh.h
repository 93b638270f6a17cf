// Word alignments as text, one sentence pair a line: "0-0 1-2 2?1".  `i-j` links source word i with
// target word j; hand-made references also hold possible links, `i?j` or `ipj`.
//
//   Gold gold;
//   parse_pharaoh(text, {.first_line = 1}, gold);   appends the lines of a text; throws with the
//   line gold.sure[3], gold.possible[3]                  sorted, each link once; possible includes
//   sure print_pharaoh(links, begin, end, base, text);   lines begin .. end-1 as text
//   check_links(links, source, target);             positions inside their sentences, line counts
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "align/links.h"
#include "text/token_lines.h"

namespace demotic::align {

// No sentence is longer; a larger position is a typing error or an attempt to fill the memory.
inline constexpr uint32_t kMaxPosition = 1u << 20;

struct Gold {
  Links sure;
  Links possible;
};

struct PharaohOptions {
  uint32_t base = 0;           // the number of the first word
  bool allow_possible = true;  // whether `?` and `p` may stand for `-`
  uint64_t first_line = 1;     // for messages
};

void parse_pharaoh(std::string_view text, const PharaohOptions& options, Gold& out);

void print_pharaoh(const Links& links, size_t begin, size_t end, uint32_t base, std::string& out);

// Throws Error(format) naming the first line where the links do not fit the two texts.
void check_links(const Links& links, const text::TokenLines& source, const text::TokenLines& target,
                 uint32_t base);

}  // namespace demotic::align
