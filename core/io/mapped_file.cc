#include "io/mapped_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "io/error.h"

namespace demotic::io {

MappedFile::MappedFile(const std::string& path) {
  int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0)
    throw Error(Fault::io, std::string("cannot open: ") + std::strerror(errno), 0,
                "check the name and the permissions");
  struct stat info{};
  if (::fstat(fd, &info) != 0 || !S_ISREG(info.st_mode)) {
    ::close(fd);
    throw Error(Fault::io, "not a regular file", 0, "name a file");
  }
  size_ = static_cast<size_t>(info.st_size);
  if (size_ > 0) {
    void* where = ::mmap(nullptr, size_, PROT_READ, MAP_SHARED, fd, 0);
    if (where == MAP_FAILED) {
      int code = errno;
      ::close(fd);
      throw Error(Fault::io, std::string("cannot map into memory: ") + std::strerror(code));
    }
    data_ = static_cast<const std::byte*>(where);
  }
  ::close(fd);
}

MappedFile::~MappedFile() {
  if (data_ != nullptr) ::munmap(const_cast<std::byte*>(data_), size_);
}

MappedFile::MappedFile(MappedFile&& other) noexcept
    : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}

MappedFile& MappedFile::operator=(MappedFile&& other) noexcept {
  std::swap(data_, other.data_);
  std::swap(size_, other.size_);
  return *this;
}

}  // namespace demotic::io
