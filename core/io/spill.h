// A growing array on disk: bytes are appended to a temporary file without a name, and read again
// from its beginning when it is complete.
//
//   Spill spill;
//   spill.append(data, size);  ...
//   spill.each_block(sizeof(Record), [&](std::span<const std::byte> records) { ... });
//   spill.copy_to(writer, "section");
#pragma once

#include <cstddef>
#include <cstdio>
#include <functional>
#include <memory>
#include <span>
#include <string_view>

#include "io/container.h"

namespace demotic::io {

class Spill {
 public:
  Spill();
  void append(const void* data, size_t size);
  // All bytes in pieces of whole units, which divide them.
  void each_block(size_t unit, const std::function<void(std::span<const std::byte>)>& visit);
  void copy_to(ContainerWriter& out, std::string_view name);

 private:
  struct Closer {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };

  std::unique_ptr<std::FILE, Closer> file_;
};

}  // namespace demotic::io
