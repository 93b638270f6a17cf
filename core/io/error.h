// Errors of the core.  Throw one where input is wrong; the binding turns it into the matching class
// of demotic.errors, adding the file's name where the caller knows it.
//
//   throw Error(Fault::format, "n-gram of order 3 has 2 words", line);
//   throw Error(Fault::format, "no \\data\\ section", line, "is this an ARPA file?");
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>

namespace demotic::io {

enum class Fault : uint8_t {
  format,    // text that does not follow its format
  corrupt,   // a binary file of ours that was truncated, swapped or changed
  io,        // the operating system refused: unreadable, unwritable, disk full
  argument,  // a call that makes no sense
};

class Error : public std::runtime_error {
 public:
  Error(Fault fault, const std::string& message, uint64_t line = 0, std::string remedy = {})
      : std::runtime_error(message), fault(fault), line(line), remedy(std::move(remedy)) {}

  Fault fault;
  uint64_t line;  // 1-based; 0 when there is no line
  std::string remedy;
};

}  // namespace demotic::io
