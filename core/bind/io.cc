#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>

#include "bind/bind.h"
#include "io/checksum.h"
#include "io/container.h"
#include "io/mapped_file.h"

namespace demotic::bind {

void io(nb::module_& m) {
  nb::class_<ContainerWriter>(m, "ContainerWriter", "Writes a binary part: named byte sections")
      .def(
          "__init__",
          [](ContainerWriter* self, const std::string& path, std::string_view kind,
             uint32_t version) { new (self) ContainerWriter(path, kind, version); },
          nb::arg("path"), nb::arg("kind"), nb::arg("version"))
      .def("begin", &ContainerWriter::begin, nb::arg("name"), "Begin a section")
      .def(
          "write",
          [](ContainerWriter& out, nb::bytes content) {
            const nb::gil_scoped_release unlocked;
            out.write(content.c_str(), content.size());
          },
          nb::arg("content"), "Add bytes to the section begun last")
      .def("finish", &ContainerWriter::finish, Unlocked(), "Complete the file");

  nb::class_<Container>(m, "Container", "Reads a binary part of any kind; opening validates it")
      .def(nb::init<const std::string&>(), nb::arg("path"))
      .def(nb::init<const std::string&, std::string_view, uint32_t>(), nb::arg("path"),
           nb::arg("kind"), nb::arg("version"))
      .def_prop_ro("kind", &Container::kind)
      .def_prop_ro("version", &Container::version)
      .def_prop_ro("file_size", &Container::file_size)
      .def_prop_ro("sections",
                   [](const Container& in) {
                     nb::list all;
                     for (const Container::Section& section : in.sections())
                       all.append(nb::make_tuple(section.name, section.size));
                     return all;
                   })
      .def(
          "section",
          [](const Container& in, std::string_view name) {
            const std::span<const char> content = in.section<char>(name);
            return nb::bytes(content.data(), content.size());
          },
          nb::arg("name"), "A copy of a section's bytes")
      .def("verify", &Container::verify, Unlocked(), "Compare every checksum");

  m.def(
      "file_checksum",
      [](const std::string& path) {
        const MappedFile file(path);
        return checksum64(file.bytes().data(), file.bytes().size());
      },
      nb::arg("path"), Unlocked(), "The checksum of a whole file");
}

}  // namespace demotic::bind
