// Segments that look alike: numbers by the hash of a key that several of them may share.
//
//   GroupsBuilder made;  made.add(hash, segment);  made.save(writer, "masked");
//   Groups groups(container, "masked");
//   groups.find(hash)                         their numbers, in increasing order; empty if none
//
// Whoever asks compares the keys: equal hashes are no proof.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "hash_index.h"
#include "io/array.h"
#include "io/container.h"

namespace demotic::memory {

class Groups {
 public:
  Groups() = default;
  Groups(const io::Container& container, const std::string& name)
      : hashes_(container.section<uint64_t>(name + ".hashes")),
        ends_(container.section<uint64_t>(name + ".ends")),
        members_(container.section<uint32_t>(name + ".members")),
        slots_(container.section<uint32_t>(name + ".slots")) {
    if (hashes_.size() != ends_.size() || (slots_.size() & (slots_.size() - 1)) != 0)
      throw io::Error(io::Fault::corrupt, "damaged memory", 0, "copy the file again");
  }

  std::span<const uint32_t> find(uint64_t hash) const {
    const uint32_t group = find_number(slots_, hash, hashes_.size(),
                                       [&](uint32_t other) { return hashes_[other] == hash; });
    if (group == HashIndex::kNone) return {};
    return io::row_until(members_, ends_, group);
  }
  bool fits(size_t segments) const {
    return io::ends_fit(ends_, members_.size()) &&
           std::all_of(members_.begin(), members_.end(),
                       [segments](uint32_t member) { return member < segments; });
  }

 private:
  std::span<const uint64_t> hashes_, ends_;
  std::span<const uint32_t> members_, slots_;
};

class GroupsBuilder {
 public:
  void add(uint64_t hash, uint32_t segment) { pairs_.emplace_back(hash, segment); }

  void save(io::ContainerWriter& out, const std::string& name) {
    std::sort(pairs_.begin(), pairs_.end());
    std::vector<uint64_t> hashes, ends;
    std::vector<uint32_t> members;
    members.reserve(pairs_.size());
    for (size_t i = 0; i < pairs_.size(); ++i) {
      if (i == 0 || pairs_[i].first != pairs_[i - 1].first) {
        hashes.push_back(pairs_[i].first);
        ends.push_back(0);
      }
      members.push_back(pairs_[i].second);
      ends.back() = members.size();
    }
    std::vector<uint32_t> slots(hashes.empty() ? 0 : std::bit_ceil(2 * hashes.size()), 0);
    for (size_t i = 0; i < hashes.size(); ++i)
      put_number(slots, hashes[i], static_cast<uint32_t>(i));
    out.section<uint64_t>(name + ".hashes", hashes);
    out.section<uint64_t>(name + ".ends", ends);
    out.section<uint32_t>(name + ".members", members);
    out.section<uint32_t>(name + ".slots", slots);
  }

 private:
  std::vector<std::pair<uint64_t, uint32_t>> pairs_;
};

}  // namespace demotic::memory
