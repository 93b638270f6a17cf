// The features of a model: every name once, every name a 32-bit number.  Tables, decoders, forests
// and learners of one model share one space, which never changes.
//
//   FeatureSpaceBuilder names(dense);              dense features have the ids 0 ... dense - 1
//   uint32_t id = names.add("pair:maison_house");  sparse ones follow in order of first appearance
//   std::shared_ptr<const FeatureSpace> space = names.finish();
//   space->find("pair:maison_house") == id;  space->name(id);  space->find("?") == kNoFeature
//
//   FeatureSpaceBuilder(dense, 20)                 sparse names are hashed to 2^20 places and kept
//                                                  nowhere: names may collide, and add never grows
//   space->name(dense + 7) == "hash:7"             what a place is called; find knows it too
//
//   space->save(writer);  FeatureSpace::load(container)     read in place from the mapped file
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "io/container.h"

namespace demotic::features {

inline constexpr uint32_t kNoFeature = UINT32_MAX;
inline constexpr uint32_t kMaxHashBits = 30;

class FeatureSpace {
 public:
  uint32_t size() const { return named() + places(); }  // ids are below
  uint32_t dense() const { return dense_; }
  uint32_t bits() const { return bits_; }  // 0: sparse features have names
  uint32_t named() const { return static_cast<uint32_t>(ends_.size()); }

  uint32_t find(std::string_view name) const;
  std::string name(uint32_t id) const;

  // The same names with the same ids.  Compares digests, which are kept.
  bool same_as(const FeatureSpace& other) const;

  // Sections "features.bytes", ".ends", ".slots" and ".numbers"; several spaces in a file have
  // prefixes of their own.
  void save(io::ContainerWriter& out, const std::string& prefix = "features") const;
  static std::shared_ptr<const FeatureSpace> load(std::shared_ptr<const io::Container> in,
                                                  const std::string& prefix = "features");
  // Throws Error(corrupt) unless all names are text, each once, and can be found.  A space that was
  // not checked may give a wrong name or id, and never reads outside the file.
  void check() const;

 private:
  friend class FeatureSpaceBuilder;
  FeatureSpace() = default;
  uint32_t places() const { return bits_ == 0 ? 0 : uint32_t{1} << bits_; }
  std::string_view spelling(uint32_t id) const;
  uint32_t find_named(std::string_view name) const;
  uint64_t digest() const;

  std::span<const char> bytes_;      // of all names
  std::span<const uint64_t> ends_;   // of each
  std::span<const uint32_t> slots_;  // open addressing by text::hash_word: id + 1, or 0
  uint32_t dense_ = 0;
  uint32_t bits_ = 0;
  std::shared_ptr<const void> owner_;
  mutable std::atomic<uint64_t> digest_{0};  // 0: not computed yet
};

// A space of these names, all dense.
std::shared_ptr<const FeatureSpace> dense_space(std::span<const std::string> names);

class FeatureSpaceBuilder {
 public:
  // Throws Error(argument) when a dense name is there twice, or looks like a hashed one.
  explicit FeatureSpaceBuilder(std::span<const std::string> dense = {}, uint32_t bits = 0);

  // The id of a name, dense or sparse.
  uint32_t add(std::string_view name);
  uint32_t size() const { return space().size(); }
  std::shared_ptr<const FeatureSpace> finish();

 private:
  struct Arrays {
    std::vector<char> bytes;
    std::vector<uint64_t> ends;
    std::vector<uint32_t> slots;
  };
  FeatureSpace& space() const { return *space_; }
  uint32_t add_name(std::string_view name);
  void grow();
  void refresh();

  std::shared_ptr<Arrays> arrays_;
  std::shared_ptr<FeatureSpace> space_;
};

}  // namespace demotic::features
