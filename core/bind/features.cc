#include "bind/features.h"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/vector.h>

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bind/bind.h"

namespace demotic::bind {

namespace {

using features::FeatureSpace;
using Space = std::shared_ptr<FeatureSpace>;

constexpr std::string_view kKind = "features";
constexpr uint32_t kVersion = 1;

Space make(const std::vector<std::string>& dense, const std::vector<std::string>& sparse,
           uint32_t bits) {
  const nb::gil_scoped_release unlocked;
  features::FeatureSpaceBuilder builder(dense, bits);
  for (const std::string& name : sparse) builder.add(name);
  return shown(builder.finish());
}

Space load(const std::string& path) {
  const auto in = std::make_shared<const io::Container>(path, kKind, kVersion);
  in->verify();
  const std::shared_ptr<const FeatureSpace> space = FeatureSpace::load(in);
  space->check();
  return shown(space);
}

void save(const FeatureSpace& space, const std::string& path) {
  io::ContainerWriter out(path, kKind, kVersion);
  space.save(out);
  out.finish();
}

std::vector<std::string> names(const FeatureSpace& space) {
  std::vector<std::string> all;
  for (uint32_t id = 0; id < space.named(); ++id) all.push_back(space.name(id));
  return all;
}

std::optional<uint32_t> find(const FeatureSpace& space, std::string_view name) {
  const uint32_t id = space.find(name);
  return id == features::kNoFeature ? std::nullopt : std::optional(id);
}

}  // namespace

void features(nb::module_& m) {
  nb::class_<FeatureSpace>(m, "FeatureSpace", "See demotic.features.FeatureSpace")
      .def(nb::new_(&make), nb::arg("dense") = std::vector<std::string>(),
           nb::arg("sparse") = std::vector<std::string>(), nb::arg("bits") = 0)
      .def("__len__", &FeatureSpace::size)
      .def_prop_ro("dense", &FeatureSpace::dense, "The number of dense features; they come first")
      .def_prop_ro("bits", &FeatureSpace::bits, "Sparse names are hashed to 2^bits ids; 0: kept")
      .def("find", &find, nb::arg("name"), "The id of a name, or None")
      .def("__contains__",
           [](const FeatureSpace& space, std::string_view name) {
             return space.find(name) != features::kNoFeature;
           })
      .def("name", &FeatureSpace::name, nb::arg("id"))
      .def("names", &names, Unlocked(),
           "All names by id; those of hashed features are not among them")
      .def("same_as", &FeatureSpace::same_as, nb::arg("other"), Unlocked(),
           "Do both give the same names the same ids?")
      .def("save", &save, nb::arg("path"), Unlocked())
      .def_static("load", &load, nb::arg("path"), Unlocked());
}

}  // namespace demotic::bind
