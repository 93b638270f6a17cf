#include "features/feature_space.h"

#include <algorithm>
#include <bit>
#include <charconv>

#include "hash_index.h"
#include "io/array.h"
#include "io/checksum.h"
#include "text/utf8.h"
#include "text/vocab.h"

namespace demotic::features {

namespace {

constexpr std::string_view kHashed = "hash:";
constexpr size_t kLeastSlots = 64;

[[noreturn]] void damaged() {
  throw io::Error(io::Fault::corrupt, "damaged feature names", 0,
                  "copy the file again or rebuild it");
}

// The place that a name such as "hash:17" stands for, or `places` for any other name.
uint32_t place_named(std::string_view name, uint32_t places) {
  if (!name.starts_with(kHashed)) return places;
  name.remove_prefix(kHashed.size());
  uint32_t place = 0;
  const auto [end, failed] = std::from_chars(name.data(), name.data() + name.size(), place);
  const bool canonical = !name.empty() && (name == "0" || name.front() != '0');
  const bool whole = failed == std::errc() && end == name.data() + name.size();
  return whole && canonical && place < places ? place : places;
}

}  // namespace

// -- reading -------------------------------------------------------------------------------------

std::string_view FeatureSpace::spelling(uint32_t id) const {
  if (id >= ends_.size()) return {};
  const std::span<const char> name = io::row_until(bytes_, ends_, id);
  return {name.data(), name.size()};
}

uint32_t FeatureSpace::find_named(std::string_view name) const {
  const size_t at = probe(slots_.size(), text::hash_word(name), [&](size_t slot) {
    const uint32_t entry = slots_[slot];
    return entry == 0 || (entry <= ends_.size() && spelling(entry - 1) == name);
  });
  return at == slots_.size() || slots_[at] == 0 ? kNoFeature : slots_[at] - 1;
}

uint32_t FeatureSpace::find(std::string_view name) const {
  if (const uint32_t id = find_named(name); id != kNoFeature || bits_ == 0) return id;
  if (const uint32_t place = place_named(name, places()); place < places()) return named() + place;
  return named() + (static_cast<uint32_t>(text::hash_word(name)) & (places() - 1));
}

std::string FeatureSpace::name(uint32_t id) const {
  if (id >= size())
    throw io::Error(io::Fault::argument, "there is no feature " + std::to_string(id));
  return id < named() ? std::string(spelling(id))
                      : std::string(kHashed) + std::to_string(id - named());
}

uint64_t FeatureSpace::digest() const {
  uint64_t known = digest_.load(std::memory_order_relaxed);
  if (known != 0) return known;
  known = io::mix64(io::checksum64(bytes_.data(), bytes_.size_bytes())) ^
          io::checksum64(ends_.data(), ends_.size_bytes());
  if (known == 0) known = 1;
  digest_.store(known, std::memory_order_relaxed);
  return known;
}

bool FeatureSpace::same_as(const FeatureSpace& other) const {
  if (this == &other) return true;
  return bits_ == other.bits_ && ends_.size() == other.ends_.size() &&
         bytes_.size() == other.bytes_.size() && digest() == other.digest();
}

// -- files ---------------------------------------------------------------------------------------

void FeatureSpace::save(io::ContainerWriter& out, const std::string& prefix) const {
  const uint32_t numbers[] = {dense_, bits_};
  out.section<char>(prefix + ".bytes", bytes_);
  out.section<uint64_t>(prefix + ".ends", ends_);
  out.section<uint32_t>(prefix + ".slots", slots_);
  out.section<uint32_t>(prefix + ".numbers", numbers);
}

std::shared_ptr<const FeatureSpace> FeatureSpace::load(std::shared_ptr<const io::Container> in,
                                                       const std::string& prefix) {
  const std::shared_ptr<FeatureSpace> space(new FeatureSpace());
  space->bytes_ = in->section<char>(prefix + ".bytes");
  space->ends_ = in->section<uint64_t>(prefix + ".ends");
  space->slots_ = in->section<uint32_t>(prefix + ".slots");
  const std::span<const uint32_t> numbers = in->section<uint32_t>(prefix + ".numbers");
  if (numbers.size() != 2 || numbers[0] > space->ends_.size() || numbers[1] > kMaxHashBits ||
      space->ends_.size() > kNoFeature - (size_t{1} << kMaxHashBits) - 1 ||
      (space->slots_.size() & (space->slots_.size() - 1)) != 0)
    damaged();
  space->dense_ = numbers[0];
  space->bits_ = numbers[1];
  space->owner_ = std::move(in);
  return space;
}

void FeatureSpace::check() const {
  uint64_t last = 0;
  for (const uint64_t end : ends_) {
    if (end < last || end > bytes_.size()) damaged();
    last = end;
  }
  if (last != bytes_.size()) damaged();
  for (uint32_t id = 0; id < named(); ++id)
    if (!text::is_utf8(spelling(id)) || find_named(spelling(id)) != id) damaged();
}

// -- building ------------------------------------------------------------------------------------

FeatureSpaceBuilder::FeatureSpaceBuilder(std::span<const std::string> dense, uint32_t bits)
    : arrays_(std::make_shared<Arrays>()), space_(new FeatureSpace()) {
  if (bits > kMaxHashBits)
    throw io::Error(io::Fault::argument,
                    "features are hashed to at most 2^" + std::to_string(kMaxHashBits) + " places");
  arrays_->slots.assign(kLeastSlots, 0);
  space_->owner_ = arrays_;
  refresh();
  for (const std::string& name : dense) {
    if (space_->find_named(name) != kNoFeature)
      throw io::Error(io::Fault::argument, "feature '" + name + "' is named twice");
    if (bits > 0 && name.starts_with(kHashed))
      throw io::Error(io::Fault::argument, "feature '" + name + "' is named like a hashed one");
    add_name(name);
  }
  space_->dense_ = static_cast<uint32_t>(dense.size());
  space_->bits_ = bits;
}

uint32_t FeatureSpaceBuilder::add(std::string_view name) {
  const uint32_t known = space_->find(name);
  return known != kNoFeature ? known : add_name(name);
}

uint32_t FeatureSpaceBuilder::add_name(std::string_view name) {
  Arrays& a = *arrays_;
  if (a.ends.size() >= kNoFeature - (size_t{1} << kMaxHashBits) - 1)
    throw io::Error(io::Fault::argument, "too many features", 0, "hash their names");
  if (!text::is_utf8(name))
    throw io::Error(io::Fault::argument, "the name of a feature is not UTF-8");
  a.bytes.insert(a.bytes.end(), name.begin(), name.end());
  a.ends.push_back(a.bytes.size());
  const auto id = static_cast<uint32_t>(a.ends.size() - 1);
  if (a.ends.size() * 2 > a.slots.size())
    grow();
  else
    put_number(a.slots, text::hash_word(name), id);
  refresh();
  return id;
}

void FeatureSpaceBuilder::grow() {
  Arrays& a = *arrays_;
  a.slots.assign(a.slots.size() * 2, 0);
  refresh();
  for (uint32_t id = 0; id < a.ends.size(); ++id)
    put_number(a.slots, text::hash_word(space_->spelling(id)), id);
}

void FeatureSpaceBuilder::refresh() {
  space_->bytes_ = arrays_->bytes;
  space_->ends_ = arrays_->ends;
  space_->slots_ = arrays_->slots;
}

std::shared_ptr<const FeatureSpace> FeatureSpaceBuilder::finish() {
  std::shared_ptr<const FeatureSpace> space = std::move(space_);
  space->digest();  // now, so that comparing spaces later costs nothing
  *this = FeatureSpaceBuilder();
  return space;
}

std::shared_ptr<const FeatureSpace> dense_space(std::span<const std::string> names) {
  return FeatureSpaceBuilder(names).finish();
}

}  // namespace demotic::features
