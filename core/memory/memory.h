// A translation memory in a mapped file: segments with their translations, found by their text, by
// keys that segments share, and by their words.
//
//   Memory memory(path, verify);
//   memory.find("Delete the file?")           the segment with this text, or Memory::kNone
//   memory.alike(Level::masked, key)          segments whose key has the same hash
//   memory.similar(words, 0.7, 5)             the segments closest to a sentence, best first
//   memory.translations(segment)              their range, the most frequent first
//
// A lookup reads a slot and a segment; nothing depends on the size of the memory.  What a damaged
// file says may be wrong, and leads nowhere else.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "io/container.h"
#include "memory/groups.h"
#include "memory/texts.h"
#include "text/vocab.h"

namespace demotic::memory {

inline constexpr std::string_view kKind = "memory";
inline constexpr uint32_t kVersion = 1;

enum class Level { masked, folded };

// A segment that is like a sentence: `distance` words have to be put in, taken out or replaced.
struct Similar {
  uint32_t segment;
  uint32_t distance;
  uint32_t length;  // words of the longer one
};

class Memory {
 public:
  static constexpr uint32_t kNone = HashIndex::kNone;

  Memory(const std::string& path, bool verify);

  uint32_t size() const { return static_cast<uint32_t>(sources_.size()); }
  uint32_t translations() const { return static_cast<uint32_t>(targets_.size()); }

  uint32_t find(std::string_view source) const {
    return find_number(slots_, text::hash_word(source), sources_.size(),
                       [&](uint32_t other) { return sources_[other] == source; });
  }
  std::span<const uint32_t> alike(Level level, std::string_view key) const {
    return (level == Level::masked ? masked_ : folded_).find(text::hash_word(key));
  }
  // Of equals, those that came later first.
  std::vector<Similar> similar(std::span<const std::string> words, double least, size_t most) const;

  std::string_view source(uint32_t segment) const { return sources_[segment]; }
  std::vector<std::string_view> words(uint32_t segment) const;
  std::pair<uint32_t, uint32_t> translations(uint32_t segment) const;

  std::string_view target(uint32_t translation) const { return targets_[translation]; }
  std::string_view unit(uint32_t translation) const { return units_[translation]; }
  std::string_view tokens(uint32_t translation) const { return tokens_[translation]; }
  std::string_view links(uint32_t translation) const { return links_[translation]; }
  std::string_view file(uint32_t translation) const {
    return translation < files_of_.size() ? files_[files_of_[translation]] : std::string_view();
  }
  uint32_t count(uint32_t translation) const {
    return translation < counts_.size() ? counts_[translation] : 0;
  }

 private:
  std::span<const uint32_t> word_ids(uint32_t segment) const;
  void check() const;

  std::shared_ptr<const io::Container> file_;
  Texts sources_, targets_, units_, tokens_, links_, files_;
  std::span<const uint32_t> slots_, counts_, files_of_, words_, postings_;
  std::span<const uint64_t> choice_ends_, word_ends_, posting_ends_;
  Groups masked_, folded_;
  text::VocabView vocab_;
};

}  // namespace demotic::memory
