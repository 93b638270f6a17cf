#include "io/temp_file.h"

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "io/error.h"

namespace demotic::io {
namespace {

[[noreturn]] void fail(const char* verb, const std::string& folder, int error) {
  throw Error(Fault::io,
              std::string("cannot ") + verb + " a temporary file in " + folder + ": " +
                  std::strerror(error),
              0, "free some space, or name another folder for temporary files");
}

}  // namespace

TempFile::TempFile(const std::string& folder) : folder_(folder) {
  std::string name = folder + "/demotic-XXXXXX";
  file_ = mkostemp(name.data(), O_CLOEXEC);
  if (file_ < 0) fail("create", folder, errno);
  unlink(name.c_str());
}

TempFile::~TempFile() {
  if (file_ >= 0) close(file_);
}

void TempFile::append(const void* data, size_t size) {
  const char* from = static_cast<const char*>(data);
  while (size > 0) {
    const ssize_t done = write(file_, from, size);
    if (done < 0) {
      if (errno == EINTR) continue;
      fail("write", folder_, errno);
    }
    from += done;
    size -= static_cast<size_t>(done);
    size_ += static_cast<uint64_t>(done);
  }
}

void TempFile::read(uint64_t offset, void* data, size_t size) const {
  char* to = static_cast<char*>(data);
  while (size > 0) {
    const ssize_t done = pread(file_, to, size, static_cast<off_t>(offset));
    if (done < 0 && errno == EINTR) continue;
    if (done <= 0) fail("read", folder_, done < 0 ? errno : EIO);
    to += done;
    size -= static_cast<size_t>(done);
    offset += static_cast<uint64_t>(done);
  }
}

}  // namespace demotic::io
