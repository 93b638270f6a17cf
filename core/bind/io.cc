
#include "bind/bind.h"
#include "io/checksum.h"
#include "io/container.h"
#include "io/mapped_file.h"

namespace demotic::bind {

void io(nb::module_& m) {
  nb::class_<io::ContainerWriter>(m, "ContainerWriter", "Writes a binary part: named byte sections")
      .def(
          "__init__",
          [](io::ContainerWriter* self, const std::string& path, std::string_view kind,
             uint32_t version) { new (self) io::ContainerWriter(path, kind, version); },
          nb::arg("path"), nb::arg("kind"), nb::arg("version"))
      .def("begin", &io::ContainerWriter::begin, nb::arg("name"), "Begin a section")
      .def(
          "write",
          [](io::ContainerWriter& out, nb::bytes content) {
            const nb::gil_scoped_release unlocked;
            out.write(content.c_str(), content.size());
          },
          nb::arg("content"), "Add bytes to the section begun last")
      .def("finish", &io::ContainerWriter::finish, Unlocked(), "Complete the file");

  nb::class_<io::Container>(m, "Container", "Reads a binary part of any kind; opening validates it")
      .def(nb::init<const std::string&>(), nb::arg("path"), Unlocked())
      .def(nb::init<const std::string&, std::string_view, uint32_t>(), nb::arg("path"),
           nb::arg("kind"), nb::arg("version"), Unlocked())
      .def_prop_ro("kind", &io::Container::kind)
      .def_prop_ro("version", &io::Container::version)
      .def_prop_ro("file_size", &io::Container::file_size)
      .def_prop_ro("sections",
                   [](const io::Container& in) {
                     nb::list all;
                     for (const io::Container::Section& section : in.sections())
                       all.append(nb::make_tuple(section.name, section.size));
                     return all;
                   })
      .def(
          "section",
          [](const io::Container& in, std::string_view name) {
            const std::span<const char> content = in.section<char>(name);
            return nb::bytes(content.data(), content.size());
          },
          nb::arg("name"), "A copy of a section's bytes")
      .def("verify", &io::Container::verify, Unlocked(), "Compare every checksum");

  m.def(
      "file_checksum",
      [](const std::string& path) {
        const io::MappedFile file(path);
        return io::checksum64(file.bytes().data(), file.bytes().size());
      },
      nb::arg("path"), Unlocked(), "The checksum of a whole file");
}

}  // namespace demotic::bind
