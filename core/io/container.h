// The binary form of every model part (lm.bin, vocab.bin, ...): named sections behind one header,
// memory-mapped, each with a checksum.
//
//   1. ContainerWriter out(path, "lm", 1);       the caller passes a temporary name and renames
//   2. out.begin("probs"); out.write(p, n); ...  or out.section("probs", span)
//   3. out.finish();
//   4. Container in(path, "lm", 1);              header, lengths and offsets are validated;
//                                                Container(path) takes any kind and version
//   5. in.section<float>("probs")                a typed view into the mapped file
//   6. in.verify();                              reads everything once and compares checksums,
//                                                so that a change of any byte is found
//
// Layout, little-endian: Header (64 bytes), then `sections` entries of 48 bytes, then the sections,
// each on a 64-byte boundary.  A hostile header cannot make a view leave the file.
#pragma once

#include <cstdint>
#include <cstdio>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "io/error.h"
#include "io/mapped_file.h"

namespace demotic::io {

struct ContainerHeader {
  char magic[8];          // "DEMOTIC\0"
  char kind[16];          // what the file is, e.g. "lm"
  uint32_t version;       // of the kind's layout
  uint32_t sections;      // number of entries in the table
  uint64_t file_size;     // bytes
  uint64_t table_check;   // checksum64 of the section table
  uint64_t header_check;  // checksum64 of the 48 bytes before this field
  uint64_t unused;
};
static_assert(sizeof(ContainerHeader) == 64);

struct ContainerEntry {
  char name[24];
  uint64_t offset;
  uint64_t size;  // bytes
  uint64_t check;
};
static_assert(sizeof(ContainerEntry) == 48);

class ContainerWriter {
 public:
  static constexpr uint32_t kMaxSections = 80;  // the table's room is reserved up front

  ContainerWriter(const std::string& path, std::string_view kind, uint32_t version);
  ~ContainerWriter();
  ContainerWriter(const ContainerWriter&) = delete;
  ContainerWriter& operator=(const ContainerWriter&) = delete;

  void begin(std::string_view name);
  void write(const void* data, size_t size);

  template <class T>
  void section(std::string_view name, std::span<const T> values) {
    static_assert(std::is_trivially_copyable_v<T>);
    begin(name);
    write(values.data(), values.size_bytes());
  }

  void finish();

 private:
  void end_section();
  void put(const void* data, size_t size);

  std::FILE* file_ = nullptr;
  ContainerHeader header_{};
  std::vector<ContainerEntry> entries_;
  std::vector<unsigned char> pending_;  // bytes of the open section not yet hashed in whole blocks
  uint64_t section_hash_ = 0;
  uint64_t position_ = 0;
  bool open_ = false;
};

class Container {
 public:
  struct Section {
    std::string_view name;
    size_t size;  // bytes
  };

  Container() = default;
  explicit Container(const std::string& path);
  Container(const std::string& path, std::string_view kind, uint32_t version);

  template <class T>
  std::span<const T> section(std::string_view name) const {
    std::span<const std::byte> raw = bytes(name);
    if (raw.size() % sizeof(T) != 0)
      throw Error(Fault::corrupt, "section '" + std::string(name) + "' has a torn last element");
    return {reinterpret_cast<const T*>(raw.data()), raw.size() / sizeof(T)};
  }

  std::string_view kind() const;
  uint32_t version() const { return header_.version; }
  std::vector<Section> sections() const;  // in the order of the file
  bool has(std::string_view name) const;
  void verify() const;  // throws Error(corrupt) naming the damaged section
  size_t file_size() const { return file_.bytes().size(); }

 private:
  std::span<const std::byte> bytes(std::string_view name) const;

  MappedFile file_;
  ContainerHeader header_{};
  std::vector<ContainerEntry> entries_;
};

}  // namespace demotic::io
