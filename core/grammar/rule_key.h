// Rules as byte strings, for a database to compare, group and sort: bytes compare as the symbols
// do.
//
//   std::vector<char> key;  for (Symbol s : source) put_symbol(s, key);
//   char* end = put_symbol(s, begin);                      where there is room for kSymbolBytes
//   for_each_symbol(bytes, [&](Symbol s) { ... });
//
// A symbol takes one to five bytes, small ids few; the first byte tells how many, as in UTF-8.
#pragma once

#include <bit>
#include <cstdint>
#include <string_view>
#include <vector>

#include "grammar/rule.h"
#include "io/error.h"

namespace demotic::grammar {

inline constexpr text::Symbol kLowestSymbol =
    -8;  // room for the categories and slots of extracted rules

inline constexpr size_t kSymbolBytes = 5;  // at most

inline char* put_symbol(text::Symbol symbol, char* out) {
  const auto value = static_cast<uint32_t>(symbol - kLowestSymbol);
  const auto byte = [&](unsigned shift) { *out++ = static_cast<char>(value >> shift); };
  if (value < 0x80) {
    byte(0);
  } else if (value < 0x4000) {
    *out++ = static_cast<char>(0x80 | value >> 8);
    byte(0);
  } else if (value < 0x200000) {
    *out++ = static_cast<char>(0xC0 | value >> 16);
    byte(8);
    byte(0);
  } else if (value < 0x10000000) {
    *out++ = static_cast<char>(0xE0 | value >> 24);
    byte(16);
    byte(8);
    byte(0);
  } else {
    *out++ = static_cast<char>(0xF0);
    for (const unsigned shift : {24u, 16u, 8u, 0u}) byte(shift);
  }
  return out;
}

inline void put_symbol(text::Symbol symbol, std::vector<char>& out) {
  char bytes[kSymbolBytes];
  out.insert(out.end(), bytes, put_symbol(symbol, bytes));
}

template <class Each>
void for_each_symbol(std::string_view bytes, Each&& each) {
  for (size_t at = 0; at < bytes.size();) {
    const auto first = static_cast<unsigned char>(bytes[at++]);
    const auto more = static_cast<unsigned>(std::countl_one(first));
    if (more > 4 || bytes.size() - at < more)
      throw io::Error(io::Fault::argument, "no key of a rule");
    uint32_t value = more == 4 ? 0 : first & (0x7Fu >> more);
    for (unsigned i = 0; i < more; ++i)
      value = value << 8 | static_cast<unsigned char>(bytes[at++]);
    each(static_cast<text::Symbol>(value) + kLowestSymbol);
  }
}

}  // namespace demotic::grammar
