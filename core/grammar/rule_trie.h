// The trie over the source sides of a rule table: nodes in preorder, children in ascending order of
// symbols.
//
//   uint32_t node = trie.step(RuleTrie::kRoot, symbol);    kNone when nothing goes on that way
//   trie.parent(node), trie.symbol(node)                   the way back
//
//   RuleTrieBuilder out(symbol_bias);                      source sides ascend
//   for (...) out.descend(source);                         where it ends: the last node made
//   out.save(writer, memory);
//
// A step is a look at a hash table of nodes, by parent and symbol.  A slot holds a node, and the
// bits that it leaves free are those of the hash: hardly any other node is looked at.  In tables of
// version 1 a slot is a Step.
//
// An accessor stays inside its section whatever the bytes say; a path of steps always is what
// source_of() says of its last node.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <span>
#include <vector>

#include "io/checksum.h"
#include "io/container.h"
#include "io/packed_ints.h"
#include "io/spill.h"
#include "text/symbol.h"

namespace demotic::grammar {

// Throws Error(corrupt): what the sections of a table say does not fit together.
void require_sound(bool holds);

class RuleTrie {
 public:
  static constexpr uint32_t kRoot = 0;
  static constexpr uint32_t kNone = UINT32_MAX;

  // One way onward in tables of version 1: open addressing, child kNone marks a free slot.
  struct Step {
    uint32_t node;
    text::Symbol symbol;
    uint32_t child;
  };
  // How the sections are packed in those of version 2.
  struct Packing {
    uint32_t parent_width;
    uint32_t symbol_width;
    uint32_t symbol_bias;
  };

  RuleTrie() = default;
  // Throws Error(corrupt) where the sections do not fit each other.
  explicit RuleTrie(const io::Container& container);  // of version 1
  RuleTrie(const io::Container& container, const Packing& packing);

  uint32_t nodes() const { return static_cast<uint32_t>(parents_.size()); }
  uint32_t parent(uint32_t node) const { return parents_[node]; }
  text::Symbol symbol(uint32_t node) const { return symbols_[node]; }
  std::vector<text::Symbol> source_of(uint32_t node) const;  // walks up; not for inner loops

  uint32_t step(uint32_t node, text::Symbol symbol) const {
    const uint64_t hash = hash_of_step(node, symbol);
    if (!steps_.empty()) return step_of_version_1(node, symbol, hash);
    const uint32_t number = number_mask(nodes());
    const uint32_t mark = static_cast<uint32_t>(hash >> 32) & ~number;
    uint32_t child = kNone;
    probe_slots(slots_.size(), hash, [&](size_t place) {
      const uint32_t slot = slots_[place];
      if (slot == kFree) return true;
      if ((slot & ~number) != mark || !leads_to(node, symbol, slot & number)) return false;
      child = slot & number;
      return true;
    });
    return child;
  }

  // Is every node found from its parent, and nothing else?
  bool is_sound() const;

 private:
  friend class RuleTrieBuilder;
  static constexpr uint32_t kFree = 0;  // no step leads to the root

  // The first slot from that of `hash` on at which stop(place) is true: the loop of hash_index.h
  // for any number of slots below 2^32, so that there are no more than it takes.  The place is that
  // of the low half of the hash.
  template <class Stop>
  static size_t probe_slots(size_t slots, uint64_t hash, Stop&& stop) {
    const size_t home = (hash & UINT32_MAX) * slots >> 32;
    for (size_t at = home; at < slots;) {
      if (stop(at)) return at;
      if (++at == slots) at = 0;
      if (at == home) break;
    }
    return slots;
  }

  static uint64_t hash_of_step(uint32_t node, text::Symbol symbol) {
    return io::mix64((uint64_t{node} << 32) | static_cast<uint32_t>(symbol));
  }
  // Half of them stay free.
  static size_t slots_for(uint32_t nodes) {
    return std::min<uint64_t>(uint64_t{2} * nodes, UINT32_MAX);
  }
  // The bits of a slot that hold a node.
  static uint32_t number_mask(uint32_t nodes) {
    return static_cast<uint32_t>((uint64_t{1} << std::bit_width(nodes)) - 1);
  }
  uint32_t step_of_version_1(uint32_t node, text::Symbol symbol, uint64_t hash) const;
  // Children stand after their parents, so that paths are no longer than the table.
  bool leads_to(uint32_t node, text::Symbol symbol, uint32_t child) const {
    return child < nodes() && node < child && parents_[child] == node && symbols_[child] == symbol;
  }

  std::span<const uint32_t> slots_;
  std::span<const Step> steps_;           // where there are no slots
  io::PackedInts<uint32_t> parents_;      // by node
  io::PackedInts<text::Symbol> symbols_;  // by node: the symbol that leads to it
};

// Nodes go to temporary files: what is in memory is one path, and a part of the slots while they
// are written.
class RuleTrieBuilder {
 public:
  explicit RuleTrieBuilder(uint32_t symbol_bias);

  uint32_t nodes() const { return nodes_; }
  // Makes what is missing of the path to `source`; says how many nodes that were.
  uint32_t descend(std::span<const text::Symbol> source);
  std::span<const text::Symbol> source() const { return source_; }  // the last one
  // The bytes are the same for any memory.
  RuleTrie::Packing save(io::ContainerWriter& out, size_t memory);

 private:
  void add_node(uint32_t parent, text::Symbol symbol);
  std::vector<uint32_t> fill(uint64_t begin, uint64_t size);
  void save_slots(io::ContainerWriter& out, uint64_t most);

  uint32_t symbol_bias_;
  uint32_t nodes_ = 0;
  io::PackedIntsWriter parents_, symbols_;
  io::Spill hashes_;  // of steps, by node
  std::vector<text::Symbol> source_;
  std::vector<uint32_t> path_{RuleTrie::kRoot};  // nodes along it
};

}  // namespace demotic::grammar
