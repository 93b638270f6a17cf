#include "io/container.h"

#include <algorithm>
#include <cerrno>
#include <utility>

#include "io/checksum.h"

namespace demotic {

namespace {

constexpr char kMagic[8] = {'D', 'E', 'M', 'O', 'T', 'I', 'C', '\0'};
constexpr size_t kHeaderChecked = 48;
constexpr size_t kBlock = size_t{1} << 20;  // checksums chain over blocks, so writing can stream

std::string_view trimmed(const char* text, size_t room) { return {text, ::strnlen(text, room)}; }

void copy_name(char* to, size_t room, std::string_view name) {
  if (name.empty() || name.size() >= room)
    throw Error(Fault::argument, "bad section name '" + std::string(name) + "'");
  std::memset(to, 0, room);
  std::memcpy(to, name.data(), name.size());
}

uint64_t chain(uint64_t hash, const void* block, size_t size) {
  return mix64(hash ^ checksum64(block, size)) + 1;
}

[[noreturn]] void damaged(const std::string& what) {
  throw Error(Fault::corrupt, what, 0, "copy the file again or rebuild it");
}

}  // namespace

ContainerWriter::ContainerWriter(const std::string& path, std::string_view kind, uint32_t version) {
  file_ = std::fopen(path.c_str(), "wb");
  if (file_ == nullptr)
    throw Error(Fault::io, std::string("cannot write: ") + std::strerror(errno));
  std::memcpy(header_.magic, kMagic, sizeof kMagic);
  copy_name(header_.kind, sizeof header_.kind, kind);
  header_.version = version;
  const std::vector<char> room(sizeof(ContainerHeader) + kMaxSections * sizeof(ContainerEntry), 0);
  put(room.data(), room.size());
}

ContainerWriter::~ContainerWriter() {
  if (file_ != nullptr) std::fclose(file_);
}

void ContainerWriter::put(const void* data, size_t size) {
  if (size > 0 && std::fwrite(data, 1, size, file_) != size)
    throw Error(Fault::io, std::string("cannot write: ") + std::strerror(errno), 0,
                "free some disk space");
  position_ += size;
}

void ContainerWriter::begin(std::string_view name) {
  end_section();
  if (entries_.size() == kMaxSections) throw Error(Fault::argument, "too many sections");
  const char zeros[64] = {};
  put(zeros, (64 - position_ % 64) % 64);
  ContainerEntry entry{};
  copy_name(entry.name, sizeof entry.name, name);
  entry.offset = position_;
  entries_.push_back(entry);
  open_ = true;
  section_hash_ = 0;
}

void ContainerWriter::write(const void* data, size_t size) {
  const auto* p = static_cast<const unsigned char*>(data);
  put(p, size);
  while (size > 0) {
    if (pending_.empty() && size >= kBlock) {
      section_hash_ = chain(section_hash_, p, kBlock);
      p += kBlock;
      size -= kBlock;
      continue;
    }
    const size_t take = std::min(size, kBlock - pending_.size());
    pending_.insert(pending_.end(), p, p + take);
    p += take;
    size -= take;
    if (pending_.size() == kBlock) {
      section_hash_ = chain(section_hash_, pending_.data(), kBlock);
      pending_.clear();
    }
  }
}

void ContainerWriter::end_section() {
  if (!open_) return;
  ContainerEntry& entry = entries_.back();
  entry.size = position_ - entry.offset;
  entry.check = chain(section_hash_, pending_.data(), pending_.size());
  pending_.clear();
  open_ = false;
}

void ContainerWriter::finish() {
  end_section();
  header_.sections = static_cast<uint32_t>(entries_.size());
  header_.file_size = position_;
  header_.table_check = checksum64(entries_.data(), entries_.size() * sizeof(ContainerEntry));
  header_.header_check = checksum64(&header_, kHeaderChecked);
  if (std::fseek(file_, 0, SEEK_SET) != 0)
    throw Error(Fault::io, std::string("cannot write: ") + std::strerror(errno));
  put(&header_, sizeof header_);
  put(entries_.data(), entries_.size() * sizeof(ContainerEntry));
  std::FILE* file = std::exchange(file_, nullptr);
  const bool flushed = std::fflush(file) == 0;
  if (std::fclose(file) != 0 || !flushed)
    throw Error(Fault::io, std::string("cannot write: ") + std::strerror(errno), 0,
                "free some disk space");
}

Container::Container(const std::string& path, std::string_view kind, uint32_t version)
    : file_(path) {
  const std::span<const std::byte> all = file_.bytes();
  ContainerHeader header{};
  if (all.size() < sizeof header) damaged("too short for a Demotic binary file");
  std::memcpy(&header, all.data(), sizeof header);
  if (std::memcmp(header.magic, kMagic, sizeof kMagic) != 0)
    throw Error(Fault::format, "not a Demotic binary file");
  if (header.header_check != checksum64(&header, kHeaderChecked)) damaged("damaged header");
  if (trimmed(header.kind, sizeof header.kind) != kind)
    throw Error(Fault::format, "holds '" + std::string(trimmed(header.kind, sizeof header.kind)) +
                                   "', expected '" + std::string(kind) + "'");
  if (header.version > version)
    throw Error(Fault::format,
                "layout version " + std::to_string(header.version) + " is newer than this Demotic",
                0, "upgrade Demotic or rebuild the file");
  if (header.version < version)
    throw Error(Fault::format,
                "layout version " + std::to_string(header.version) + " is no longer read", 0,
                "rebuild the file");
  if (header.file_size != all.size()) damaged("truncated");
  const size_t table = sizeof(ContainerEntry) * size_t{header.sections};
  if (header.sections > ContainerWriter::kMaxSections || sizeof header + table > all.size())
    damaged("damaged section table");
  entries_.resize(header.sections);
  std::memcpy(entries_.data(), all.data() + sizeof header, table);
  if (checksum64(entries_.data(), table) != header.table_check) damaged("damaged section table");
  for (const ContainerEntry& entry : entries_)
    if (entry.offset % 64 != 0 || entry.offset > all.size() ||
        entry.size > all.size() - entry.offset)
      damaged("section outside the file");
}

bool Container::has(std::string_view name) const {
  for (const ContainerEntry& entry : entries_)
    if (trimmed(entry.name, sizeof entry.name) == name) return true;
  return false;
}

std::span<const std::byte> Container::bytes(std::string_view name) const {
  for (const ContainerEntry& entry : entries_)
    if (trimmed(entry.name, sizeof entry.name) == name)
      return file_.bytes().subspan(entry.offset, entry.size);
  damaged("section '" + std::string(name) + "' is missing");
}

void Container::verify() const {
  for (const ContainerEntry& entry : entries_) {
    const std::span<const std::byte> part = file_.bytes().subspan(entry.offset, entry.size);
    uint64_t hash = 0;
    size_t at = 0;
    for (; part.size() - at >= kBlock; at += kBlock) hash = chain(hash, part.data() + at, kBlock);
    if (chain(hash, part.data() + at, part.size() - at) != entry.check)
      damaged("section '" + std::string(trimmed(entry.name, sizeof entry.name)) + "' is damaged");
  }
}

}  // namespace demotic
