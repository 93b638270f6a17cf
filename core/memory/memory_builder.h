// Makes the file of a translation memory (memory.h).
//
//   MemoryBuilder made;
//   made.add({.source = ..., .target = ..., ...});     pairs in their order, the newest last
//   made.save(path);                                   the caller passes a temporary name
//
// Equal pairs are one translation that was seen several times; it keeps the place where it was seen
// first.  Translations of a segment stand by how often they were seen, those seen last before
// others of the same number.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "hash_index.h"
#include "memory/groups.h"
#include "memory/texts.h"
#include "text/vocab.h"

namespace demotic::memory {

struct Entry {
  std::string_view source, target;
  std::string_view masked, folded;  // keys that it shares with segments like it; empty: none
  std::string_view file, unit;
  std::string_view words;   // of the source, separated by spaces
  std::string_view tokens;  // of the target
  std::string_view links;   // between both, in Pharaoh format
};

class MemoryBuilder {
 public:
  void add(const Entry& entry);
  void save(const std::string& path);

 private:
  struct Seen {
    uint32_t segment, count, last, file;
  };

  uint32_t segment_of(const Entry& entry);

  TextsBuilder sources_, targets_, units_, tokens_, links_;
  text::Vocab files_, vocab_;
  HashIndex segments_, pairs_;
  GroupsBuilder masked_, folded_;
  std::vector<Seen> seen_;
  std::vector<uint32_t> words_;
  std::vector<uint64_t> word_ends_;
  uint32_t rows_ = 0;
};

}  // namespace demotic::memory
