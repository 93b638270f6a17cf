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

#include "io/checksum.h"
#include "io/container.h"

namespace demotic {

inline constexpr uint32_t kUnknown = 0;
inline constexpr std::string_view kUnknownWord = "<unk>";

inline uint64_t hash_word(std::string_view word) { return checksum64(word.data(), word.size()); }

// Read-only lookup in three flat arrays: word bytes, their borders, and open-addressing slots that
// hold id + 1 (0 = free).  A damaged array can give a wrong word, never a read outside.
class VocabView {
 public:
  VocabView() = default;
  VocabView(std::span<const char> bytes, std::span<const uint64_t> ends,
            std::span<const uint32_t> slots)
      : bytes_(bytes), ends_(ends), slots_(slots) {}
  // Sections "vocab.bytes", "vocab.ends", "vocab.slots" of a container that outlives the view; a
  // file with two vocabularies gives each its own prefix.
  explicit VocabView(const Container& container, const std::string& prefix = "vocab");

  uint32_t size() const { return static_cast<uint32_t>(ends_.size()); }

  std::string_view word(uint32_t id) const {
    if (id >= ends_.size()) return kUnknownWord;
    const uint64_t begin = id == 0 ? 0 : ends_[id - 1];
    if (begin > ends_[id] || ends_[id] > bytes_.size()) return kUnknownWord;
    return {bytes_.data() + begin, ends_[id] - begin};
  }

  uint32_t find(std::string_view word) const { return find(word, hash_word(word)); }
  uint32_t find(std::string_view word, uint64_t hash) const {
    if (slots_.empty()) return kUnknown;
    const size_t mask = slots_.size() - 1;
    size_t at = hash & mask;
    for (size_t tries = 0; tries <= mask; ++tries, at = (at + 1) & mask) {
      if (slots_[at] == 0) return kUnknown;
      if (this->word(slots_[at] - 1) == word) return slots_[at] - 1;
    }
    return kUnknown;
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
  void save(ContainerWriter& out, const std::string& prefix = "vocab") const;

 private:
  void grow();

  std::vector<char> bytes_;
  std::vector<uint64_t> ends_;
  std::vector<uint32_t> slots_;
};

}  // namespace demotic
