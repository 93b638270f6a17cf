#include "grammar/rule_trie.h"

#include <algorithm>

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

uint32_t RuleTrieBuilder::descend(std::span<const text::Symbol> source) {
  size_t shared = 0;
  while (shared < source.size() && shared < source_.size() && source[shared] == source_[shared])
    ++shared;
  source_.assign(source.begin(), source.end());
  path_.resize(shared + 1);
  for (size_t i = shared; i < source.size(); ++i) {
    const uint32_t node = nodes();
    parents_.push_back(path_.back());
    symbols_.push_back(source[i]);
    path_.push_back(node);
  }
  return static_cast<uint32_t>(source.size() - shared);
}

RuleTrie::Packing RuleTrieBuilder::save(io::ContainerWriter& out, uint32_t symbol_bias) const {
  std::vector<uint32_t> slots(RuleTrie::slots_for(nodes()), RuleTrie::kFree);
  const uint32_t number = RuleTrie::number_mask(nodes());
  for (uint32_t node = 1; node < nodes(); ++node) {
    const uint64_t hash = RuleTrie::hash_of_step(parents_[node], symbols_[node]);
    const size_t place = RuleTrie::probe_slots(
        slots.size(), hash, [&](size_t at) { return slots[at] == RuleTrie::kFree; });
    slots[place] = (static_cast<uint32_t>(hash >> 32) & ~number) | node;
  }
  out.section<uint32_t>("slots", slots);
  io::PackedIntsWriter parents, symbols(symbol_bias);
  parents.add(std::span(parents_));
  symbols.add(std::span(symbols_));
  parents.save(out, "parents");
  symbols.save(out, "symbols");
  return {parents.width(), symbols.width(), symbol_bias};
}

}  // namespace demotic::grammar
