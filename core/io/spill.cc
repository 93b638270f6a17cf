#include "io/spill.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string>
#include <vector>

#include "io/error.h"

namespace demotic::io {

namespace {

[[noreturn]] void fail(const char* what, const char* remedy) {
  throw Error(Fault::io, std::string(what) + std::strerror(errno), 0, remedy);
}

constexpr const char* kRemedy = "free some disk space or set TMPDIR";

}  // namespace

Spill::Spill() : file_(std::tmpfile()) {
  if (!file_) fail("no temporary file: ", "");
}

void Spill::append(const void* data, size_t size) {
  if (size > 0 && std::fwrite(data, 1, size, file_.get()) != size)
    fail("temporary file: ", kRemedy);
}

void Spill::each_block(size_t unit, const std::function<void(std::span<const std::byte>)>& visit) {
  if (std::fflush(file_.get()) != 0) fail("temporary file: ", kRemedy);
  std::rewind(file_.get());
  std::vector<std::byte> buffer(std::max(unit, (size_t{1} << 20) / unit * unit));
  for (size_t got; (got = std::fread(buffer.data(), 1, buffer.size(), file_.get())) > 0;)
    visit(std::span(buffer).first(got));
  if (std::ferror(file_.get()) != 0) fail("temporary file: ", kRemedy);
}

void Spill::copy_to(ContainerWriter& out, std::string_view name) {
  out.begin(name);
  each_block(1, [&](std::span<const std::byte> block) { out.write(block.data(), block.size()); });
}

}  // namespace demotic::io
