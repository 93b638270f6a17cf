#include "grammar/rule_trie.h"

#include <algorithm>
#include <cstring>

#include "hash_index.h"
#include "io/error.h"

namespace demotic::grammar {

void require_sound(bool holds) {
  if (!holds)
    throw io::Error(io::Fault::corrupt, "damaged rule table", 0,
                    "copy the file again or rebuild it");
}

RuleTrie::RuleTrie(const io::Container& container)
    : steps_(container.section<Step>("steps")),
      parents_(container.section<uint32_t>("parents")),
      symbols_(container.section<text::Symbol>("symbols")) {
  require_sound(nodes() > 0 && symbols_.size() == nodes() && std::has_single_bit(steps_.size()));
}

RuleTrie::RuleTrie(const io::Container& container, const Packing& packing)
    : slots_(container.section<uint32_t>("slots")),
      parents_(container.section<std::byte>("parents"), packing.parent_width, 0),
      symbols_(container.section<std::byte>("symbols"), packing.symbol_width, packing.symbol_bias) {
  require_sound(nodes() > 0 && symbols_.size() == nodes() && slots_.size() == slots_for(nodes()));
}

uint32_t RuleTrie::step_of_version_1(uint32_t node, text::Symbol symbol, uint64_t hash) const {
  const size_t at = probe(steps_.size(), hash, [&](size_t place) {
    const Step& step = steps_[place];
    return step.child == kNone || (step.node == node && step.symbol == symbol);
  });
  return at < steps_.size() && leads_to(node, symbol, steps_[at].child) ? steps_[at].child : kNone;
}

bool RuleTrie::is_sound() const {
  const auto used =
      std::count_if(slots_.begin(), slots_.end(), [](uint32_t slot) { return slot != kFree; }) +
      std::count_if(steps_.begin(), steps_.end(),
                    [](const Step& step) { return step.child != kNone; });
  if (used + 1 != nodes()) return false;
  for (uint32_t node = 1; node < nodes(); ++node)
    if (parents_[node] >= node || step(parents_[node], symbols_[node]) != node) return false;
  return true;
}

std::vector<text::Symbol> RuleTrie::source_of(uint32_t node) const {
  std::vector<text::Symbol> source;
  while (node != kRoot && node < nodes()) {
    source.push_back(symbols_[node]);
    if (parents_[node] >= node) break;  // damaged: parents stand before their children
    node = parents_[node];
  }
  std::reverse(source.begin(), source.end());
  return source;
}

RuleTrieBuilder::RuleTrieBuilder(uint32_t symbol_bias)
    : symbol_bias_(symbol_bias), symbols_(symbol_bias) {
  add_node(0, 0);
}

void RuleTrieBuilder::add_node(uint32_t parent, text::Symbol symbol) {
  const uint64_t hash = RuleTrie::hash_of_step(parent, symbol);
  parents_.add(std::span<const uint32_t>(&parent, 1));
  symbols_.add(std::span<const text::Symbol>(&symbol, 1));
  hashes_.append(&hash, sizeof hash);
  ++nodes_;
}

uint32_t RuleTrieBuilder::descend(std::span<const text::Symbol> source) {
  size_t shared = 0;
  while (shared < source.size() && shared < source_.size() && source[shared] == source_[shared])
    ++shared;
  source_.assign(source.begin(), source.end());
  path_.resize(shared + 1);
  for (size_t i = shared; i < source.size(); ++i) {
    const uint32_t node = nodes_;
    add_node(path_.back(), source[i]);
    path_.push_back(node);
  }
  return static_cast<uint32_t>(source.size() - shared);
}

// `size` slots from `begin` on, round the end of the table, with the nodes whose places are among
// them, in the order of nodes.  If the slot before `begin` is free, they are as they would be had
// all slots been filled, up to the last free one: who finds no place beyond it belongs behind it.
std::vector<uint32_t> RuleTrieBuilder::fill(uint64_t begin, uint64_t size) {
  const uint64_t slots = RuleTrie::slots_for(nodes_);
  const uint32_t number = RuleTrie::number_mask(nodes_);
  std::vector<uint32_t> window(size, RuleTrie::kFree);
  uint32_t node = 0;
  hashes_.each_block(sizeof(uint64_t), [&](std::span<const std::byte> block) {
    for (size_t at = 0; at < block.size(); at += sizeof(uint64_t), ++node) {
      uint64_t hash;
      std::memcpy(&hash, block.data() + at, sizeof hash);
      const uint64_t home = (hash & UINT32_MAX) * slots >> 32;
      uint64_t place = home >= begin ? home - begin : home + slots - begin;
      if (node == RuleTrie::kRoot || place >= size) continue;
      while (place < size && window[place] != RuleTrie::kFree)
        if (++place == size && size == slots) place = 0;
      if (place < size) window[place] = (static_cast<uint32_t>(hash >> 32) & ~number) | node;
    }
  });
  return window;
}

// At most about `most` slots at a time.  Whoever comes first has a place, so that only nodes of
// one stretch of taken slots have to do with each other: windows begin and end behind free slots.
void RuleTrieBuilder::save_slots(io::ContainerWriter& out, uint64_t most) {
  const uint64_t slots = RuleTrie::slots_for(nodes_);
  const auto write = [&](std::span<const uint32_t> some) {
    out.write(some.data(), some.size_bytes());
  };
  out.begin("slots");
  if (slots <= most) {
    write(fill(0, slots));
    return;
  }
  // The stretch that goes round the end begins somewhere behind the last free slot; half of all
  // slots are free, so that what comes into this window from before it has long found its place.
  std::vector<uint32_t> window;
  const auto last_free = [&] {  // of the window, from its beginning; its size if there is none
    const auto free = std::find(window.rbegin(), window.rend(), RuleTrie::kFree);
    return free == window.rend() ? window.size() : static_cast<size_t>(window.rend() - free) - 1;
  };
  const auto fill_to_free = [&](uint64_t begin, uint64_t size) {
    for (;; size *= 2) {
      window = fill(begin, std::min(size, slots));
      if (const size_t free = last_free(); free < window.size()) {
        window.resize(free + 1);
        return;
      }
    }
  };
  window = fill(slots - most, most);
  const size_t end = slots - most + last_free() + 1;  // a slot behind which a window begins
  std::vector<uint32_t> last;                         // the slots from there to the end
  uint64_t taken = 0;
  for (uint64_t begin = end, done = 0; done < slots;) {
    fill_to_free(begin % slots, std::min(most, slots - done));
    taken += window.size() - std::count(window.begin(), window.end(), RuleTrie::kFree);
    const size_t behind = begin < slots ? std::min<uint64_t>(slots - begin, window.size()) : 0;
    last.insert(last.end(), window.begin(), window.begin() + static_cast<ptrdiff_t>(behind));
    write(std::span(window).subspan(behind));
    begin += window.size();
    done += window.size();
  }
  write(last);
  require_sound(taken + 1 == nodes_);
}

RuleTrie::Packing RuleTrieBuilder::save(io::ContainerWriter& out, size_t memory) {
  save_slots(out, std::max<size_t>(1, memory / sizeof(uint32_t)));
  parents_.save(out, "parents");
  symbols_.save(out, "symbols");
  return {parents_.width(), symbols_.width(), symbol_bias_};
}

}  // namespace demotic::grammar
