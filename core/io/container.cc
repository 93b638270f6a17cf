#include "io/container.h"

#include <algorithm>
#include <cerrno>
#include <utility>

#include "io/checksum.h"

namespace demotic::io {

namespace {

constexpr char kMagic[8] = {'D', 'E', 'M', 'O', 'T', 'I', 'C', '\0'};
constexpr size_t kHeaderChecked = 48;
constexpr size_t kBlock = size_t{1} << 20;  // checksums chain over blocks, so writing can stream

std::string_view trimmed(const char* text, size_t room) { return {text, ::strnlen(text, room)}; }

// Names are printable ASCII with a terminating zero, so that they can be shown as they are.
bool is_name(const char* text, size_t room) {
  const std::string_view name = trimmed(text, room);
  return !name.empty() && name.size() < room &&
         std::all_of(name.begin(), name.end(), [](char c) { return c > ' ' && c < 0x7f; });
}

void copy_name(char* to, size_t room, std::string_view name) {
  if (name.empty() || name.size() >= room)
    throw Error(Fault::argument, "bad section name '" + std::string(name) + "'");
  std::memset(to, 0, room);
  std::memcpy(to, name.data(), name.size());
  if (!is_name(to, room) || trimmed(to, room) != name)
    throw Error(Fault::argument, "bad section name");
}

uint64_t chain(uint64_t hash, const void* block, size_t size) {
  return mix64(hash ^ checksum64(block, size)) + 1;
}

[[noreturn]] void damaged(const std::string& what) {
  throw Error(Fault::corrupt, what, 0, "copy the file again or rebuild it");
}

}  // namespace

ContainerWriter::ContainerWriter(const std::string& path, std::string_view kind, uint32_t version) {
  std::memcpy(header_.magic, kMagic, sizeof kMagic);
  copy_name(header_.kind, sizeof header_.kind, kind);
  header_.version = version;
  file_ = std::fopen(path.c_str(), "wb");
  if (file_ == nullptr)
    throw Error(Fault::io, std::string("cannot write: ") + std::strerror(errno));
  const std::vector<char> room(sizeof(ContainerHeader) + kMaxSections * sizeof(ContainerEntry), 0);
  put(room.data(), room.size());
}

ContainerWriter::~ContainerWriter() {
  if (file_ != nullptr) std::fclose(file_);
}

void ContainerWriter::put(const void* data, size_t size) {
  if (file_ == nullptr) throw Error(Fault::argument, "the file is already complete");
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
  if (!open_) throw Error(Fault::argument, "no section was begun");
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
  put(nullptr, 0);
  header_.sections = static_cast<uint32_t>(entries_.size());
  header_.file_size = position_;
  header_.table_check = checksum64(entries_.data(), entries_.size() * sizeof(ContainerEntry));
  header_.header_check = checksum64(&header_, kHeaderChecked);
  if (std::fseek(file_, 0, SEEK_SET) != 0)
    throw Error(Fault::io, std::string("cannot write: ") + std::strerror(errno), 0,
                "binary files need a regular file, not a pipe");
  put(&header_, sizeof header_);
  put(entries_.data(), entries_.size() * sizeof(ContainerEntry));
  std::FILE* file = std::exchange(file_, nullptr);
  const bool flushed = std::fflush(file) == 0;
  if (std::fclose(file) != 0 || !flushed)
    throw Error(Fault::io, std::string("cannot write: ") + std::strerror(errno), 0,
                "free some disk space");
}

Container::Container(const std::string& path) : file_(path) {
  const std::span<const std::byte> all = file_.bytes();
  if (all.size() < sizeof kMagic || std::memcmp(all.data(), kMagic, sizeof kMagic) != 0)
    throw Error(Fault::format, "not a Demotic binary file", 0, "give a file that Demotic wrote");
  if (all.size() < sizeof header_) damaged("truncated");
  std::memcpy(&header_, all.data(), sizeof header_);
  if (header_.header_check != checksum64(&header_, kHeaderChecked) || header_.unused != 0 ||
      !is_name(header_.kind, sizeof header_.kind))
    damaged("damaged header");
  if (header_.file_size != all.size())
    damaged(header_.file_size > all.size() ? "truncated" : "longer than its header says");
  const size_t table = sizeof(ContainerEntry) * size_t{header_.sections};
  if (header_.sections > ContainerWriter::kMaxSections || sizeof header_ + table > all.size())
    damaged("damaged section table");
  entries_.resize(header_.sections);
  if (table > 0) std::memcpy(entries_.data(), all.data() + sizeof header_, table);
  if (checksum64(entries_.data(), table) != header_.table_check) damaged("damaged section table");
  size_t end = sizeof header_ + table;
  for (const ContainerEntry& entry : entries_) {
    if (!is_name(entry.name, sizeof entry.name)) damaged("damaged section table");
    if (entry.offset % 64 != 0 || entry.offset < end || entry.offset > all.size() ||
        entry.size > all.size() - entry.offset)
      damaged("section outside its place in the file");
    end = entry.offset + entry.size;
  }
}

Container::Container(const std::string& path, std::string_view kind, uint32_t version)
    : Container(path) {
  if (this->kind() != kind)
    throw Error(Fault::format,
                "holds '" + std::string(this->kind()) + "', expected '" + std::string(kind) + "'",
                0, "give a file of the other kind");
  if (header_.version > version)
    throw Error(Fault::format,
                "layout version " + std::to_string(header_.version) + " is newer than this Demotic",
                0, "upgrade Demotic or rebuild the file");
  if (header_.version < version)
    throw Error(Fault::format,
                "layout version " + std::to_string(header_.version) + " is no longer read", 0,
                "rebuild the file");
}

std::string_view Container::kind() const { return trimmed(header_.kind, sizeof header_.kind); }

std::vector<Container::Section> Container::sections() const {
  std::vector<Section> all;
  for (const ContainerEntry& entry : entries_)
    all.push_back({trimmed(entry.name, sizeof entry.name), entry.size});
  return all;
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
  const std::span<const std::byte> all = file_.bytes();
  const auto padding = [&](size_t begin, size_t end) {
    for (const std::byte byte : all.subspan(begin, end - begin))
      if (byte != std::byte{0}) damaged("damaged between its sections");
  };
  size_t end = sizeof header_ + entries_.size() * sizeof(ContainerEntry);
  for (const ContainerEntry& entry : entries_) {
    padding(end, entry.offset);
    const std::span<const std::byte> part = all.subspan(entry.offset, entry.size);
    uint64_t hash = 0;
    size_t at = 0;
    for (; part.size() - at >= kBlock; at += kBlock) hash = chain(hash, part.data() + at, kBlock);
    if (chain(hash, part.data() + at, part.size() - at) != entry.check)
      damaged("section '" + std::string(trimmed(entry.name, sizeof entry.name)) + "' is damaged");
    end = entry.offset + entry.size;
  }
  padding(end, all.size());
}

}  // namespace demotic::io
