// Finds things that are kept elsewhere, in a vector for instance, by their content: an index of
// their numbers by hash, open addressing.
//
//   HashIndex index;
//   const auto next = static_cast<uint32_t>(things.size());
//   const auto same = [&](uint32_t i) { return things[i] == x; };
//   const uint32_t number = index.find_or_add(hash, next, same);
//   if (number == next) things.push_back(x);              it was new
//   index.find(hash, same)                                its number, or HashIndex::kNone
//   index.clear();                                        costs nothing: made for many short lives
//
// Hashes must be mixed well in their low 32 bits (io::mix64), which the index keeps: what differs
// there is never compared, and growing asks for no hash again.  Nothing depends on addresses, and
// nothing walks through the slots but what no order can change.
//
// Tables in files are vectors of numbers + 1, with 0 where a slot is free:
//
//   std::vector<uint32_t> slots(std::bit_ceil(2 * things.size()), 0);
//   put_number(slots, hash, number);
//   find_number(slots, hash, things.size(), same)         its number, or HashIndex::kNone
//
// `probe` is the loop by itself, for slots that hold something else.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace demotic {

// The first place from that of `hash` on, of `slots` (a power of two, or 0), at which stop(place)
// is true; `slots` if there is none, as in a damaged file.
template <class Stop>
size_t probe(size_t slots, uint64_t hash, Stop&& stop) {
  if (slots == 0) return slots;
  const size_t mask = slots - 1;
  const size_t home = hash & mask;
  size_t at = home;
  do {
    if (stop(at)) return at;
    at = (at + 1) & mask;
  } while (at != home);
  return slots;
}

class HashIndex {
 public:
  static constexpr uint32_t kNone = UINT32_MAX;

  size_t size() const { return used_; }

  // The number of the thing with this hash for which same(number) is true.
  template <class Same>
  uint32_t find(uint64_t hash, Same&& same) const {
    if (used_ == 0) return kNone;
    const Slot slot = slots_[place(hash, same)];
    return is_free(slot) ? kNone : number_of(slot);
  }

  // The memory that find() and find_or_add() look at first: asked for ahead, it need not be waited
  // for.
  void prefetch(uint64_t hash) const {
    if (!slots_.empty()) __builtin_prefetch(&slots_[hash & (slots_.size() - 1)]);
  }
  // The number that they compare first; kNone if there is none.
  uint32_t first_guess(uint64_t hash) const {
    return find(hash, [](uint32_t) { return true; });
  }

  // The same; a thing that is not there is added as `number`, which is below kNone.
  template <class Same>
  uint32_t find_or_add(uint64_t hash, uint32_t number, Same&& same) {
    make_room(number);
    Slot& slot = slots_[place(hash, same)];
    if (is_free(slot)) occupy(slot, hash, number);
    return number_of(slot);
  }

  // For a thing that is known not to be there.
  void add(uint64_t hash, uint32_t number) {
    make_room(number);
    occupy(slots_[place(hash, [](uint32_t) { return false; })], hash, number);
  }

  // Room for `things` in all, so that adding them moves nothing.
  void reserve(size_t things) {
    if (fitting(things) > slots_.size()) resize(fitting(things));
  }

  // Slots of earlier lives hold numbers at or below `base_` and count as free.  A table that is
  // much larger than what was in it shrinks: the caches thank for it.
  void clear() {
    if (const size_t fit = fitting(used_); slots_.size() > kSpacious * fit) {
      slots_.assign(fit, Slot{});
      base_ = 0;
    } else {
      base_ += top_;
    }
    used_ = 0;
    top_ = 0;
  }

 private:
  struct Slot {
    uint32_t hash = 0;   // its low half
    uint32_t entry = 0;  // base_ + number + 1; free at or below base_
  };
  static constexpr size_t kLeast = 64;  // slots
  static constexpr size_t kSpacious = 8;

  // At most two slots of three are taken.
  static bool crowded(size_t things, size_t slots) { return things * 3 > slots * 2; }
  static size_t fitting(size_t things) {
    const size_t slots = std::bit_ceil(std::max(things, kLeast));
    return crowded(things, slots) ? slots * 2 : slots;
  }

  bool is_free(Slot slot) const { return slot.entry <= base_; }
  uint32_t number_of(Slot slot) const { return slot.entry - base_ - 1; }

  template <class Same>
  size_t place(uint64_t whole_hash, Same&& same) const {
    const auto hash = static_cast<uint32_t>(whole_hash);
    return probe(slots_.size(), hash, [&](size_t at) {
      const Slot slot = slots_[at];
      return is_free(slot) || (slot.hash == hash && same(number_of(slot)));
    });
  }

  void occupy(Slot& slot, uint64_t hash, uint32_t number) {
    slot = {static_cast<uint32_t>(hash), base_ + number + 1};
    top_ = std::max(top_, number + 1);
    ++used_;
  }

  void make_room(uint32_t number) {
    if (crowded(used_ + 1, slots_.size())) resize(fitting(used_ + 1));
    if (number >= kNone - base_) forget_earlier_lives();
  }

  void resize(size_t slots) {
    std::vector<Slot> old(slots);
    old.swap(slots_);
    for (const Slot slot : old)
      if (!is_free(slot)) slots_[place(slot.hash, [](uint32_t) { return false; })] = slot;
  }

  void forget_earlier_lives() {
    for (Slot& slot : slots_) slot.entry = is_free(slot) ? 0 : slot.entry - base_;
    base_ = 0;
  }

  std::vector<Slot> slots_;  // a power of two, or none
  size_t used_ = 0;
  uint32_t base_ = 0;
  uint32_t top_ = 0;  // the largest number + 1
};

// A slot that names none of the `things`, in a damaged file, ends the search as a free one does.
template <class Same>
uint32_t find_number(std::span<const uint32_t> slots, uint64_t hash, size_t things, Same&& same) {
  uint32_t found = HashIndex::kNone;
  probe(slots.size(), hash, [&](size_t at) {
    const uint32_t number = slots[at] - 1;  // of a free slot: the largest there is
    if (number >= things) return true;
    if (!same(number)) return false;
    found = number;
    return true;
  });
  return found;
}

inline void put_number(std::span<uint32_t> slots, uint64_t hash, uint32_t number) {
  slots[probe(slots.size(), hash, [&](size_t at) { return slots[at] == 0; })] = number + 1;
}

}  // namespace demotic
