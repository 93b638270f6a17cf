// Words and their ids.  `Vocab` grows; `VocabView` reads a saved one straight from mapped memory.
//
//   Vocab v;  uint32_t id = v.add("house");  v.find("huose") == kUnknown;  v.word(id) == "house"
//   v.save(writer);  VocabView view(container);
//
// Ids count from 0 in order of first appearance; id 0 is always "<unk>".
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "hash_index.h"
#include "io/checksum.h"
#include "io/container.h"

namespace demotic::text {

inline constexpr uint32_t kUnknown = 0;
inline constexpr std::string_view kUnknownWord = "<unk>";

// Words are short: a step per eight bytes, and the last one may overlap the one before.
inline uint64_t hash_word(std::string_view word) {
  constexpr uint64_t kFactor = 0x9e3779b185ebca87ull;
  const char* p = word.data();
  const size_t size = word.size();
  uint64_t hash = size * kFactor;
  uint64_t part = 0;
  if (size >= 8) {
    for (size_t at = 0; at + 8 < size; at += 8) {
      std::memcpy(&part, p + at, 8);
      hash = std::rotl((hash ^ part) * kFactor, 32);
    }
    std::memcpy(&part, p + size - 8, 8);
  } else if (size >= 4) {
    uint32_t first, last;
    std::memcpy(&first, p, 4);
    std::memcpy(&last, p + size - 4, 4);
    part = uint64_t{first} << 32 | last;
  } else if (size > 0) {
    const auto byte = [p](size_t at) { return uint64_t{static_cast<unsigned char>(p[at])}; };
    part = byte(0) << 16 | byte(size / 2) << 8 | byte(size - 1);
  }
  return io::mix64(hash ^ part);
}

// Read-only lookup in three flat arrays: word bytes, their borders, and open-addressing slots that
// hold id + 1 (0 = free).  A damaged array can give a wrong word or a wrong id below size(), never
// a read outside.
class VocabView {
 public:
  VocabView() = default;
  VocabView(std::span<const char> bytes, std::span<const uint64_t> ends,
            std::span<const uint32_t> slots)
      : bytes_(bytes), ends_(ends), slots_(slots) {}
  // Sections "vocab.bytes", "vocab.ends", "vocab.slots" of a container that outlives the view; a
  // file with two vocabularies gives each its own prefix.
  explicit VocabView(const io::Container& container, const std::string& prefix = "vocab");

  void save(io::ContainerWriter& out, const std::string& prefix = "vocab") const;

  uint32_t size() const { return static_cast<uint32_t>(ends_.size()); }

  std::string_view word(uint32_t id) const {
    if (id >= ends_.size()) return kUnknownWord;
    const uint64_t begin = id == 0 ? 0 : ends_[id - 1];
    if (begin > ends_[id] || ends_[id] > bytes_.size()) return kUnknownWord;
    return {bytes_.data() + begin, ends_[id] - begin};
  }

  // Is every word text, and found under its own id?
  bool is_sound() const;

  uint32_t find(std::string_view word) const { return find(word, hash_word(word)); }
  uint32_t find(std::string_view word, uint64_t hash) const {
    const uint32_t id = find_number(slots_, hash, ends_.size(),
                                    [&](uint32_t other) { return this->word(other) == word; });
    return id == HashIndex::kNone ? kUnknown : id;
  }

 private:
  std::span<const char> bytes_;
  std::span<const uint64_t> ends_;
  std::span<const uint32_t> slots_;
};

class Vocab {
 public:
  Vocab();

  uint32_t add(std::string_view word);
  uint32_t find(std::string_view word) const { return view().find(word); }
  std::string_view word(uint32_t id) const { return view().word(id); }
  uint32_t size() const { return static_cast<uint32_t>(ends_.size()); }
  VocabView view() const { return {bytes_, ends_, slots_}; }
  void save(io::ContainerWriter& out, const std::string& prefix = "vocab") const {
    view().save(out, prefix);
  }

 private:
  void grow();

  std::vector<char> bytes_;
  std::vector<uint64_t> ends_;
  std::vector<uint32_t> slots_;
};

}  // namespace demotic::text
