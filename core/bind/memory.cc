#include "memory/memory.h"

#include <nanobind/stl/pair.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "bind/bind.h"
#include "memory/memory_builder.h"

namespace demotic::bind {

using memory::Memory;
using memory::MemoryBuilder;

void memory(nb::module_& m) {
  nb::class_<MemoryBuilder>(m, "MemoryBuilder", "Makes a translation memory")
      .def(nb::init<>())
      .def(
          "add",
          [](MemoryBuilder& made, const std::vector<std::vector<std::string>>& entries) {
            for (const auto& e : entries)
              if (e.size() != 9)
                throw io::Error(io::Fault::argument, "an entry of a memory has nine texts");
            unlocked([&] {
              for (const auto& e : entries)
                made.add({.source = e[0],
                          .target = e[1],
                          .masked = e[2],
                          .folded = e[3],
                          .file = e[4],
                          .unit = e[5],
                          .words = e[6],
                          .tokens = e[7],
                          .links = e[8]});
            });
          },
          nb::arg("entries"),
          "Pairs: source, target, masked, folded, file, unit, source words, target tokens, links")
      .def("save", &MemoryBuilder::save, nb::arg("path"), Unlocked());

  nb::class_<Memory>(m, "Memory", "A translation memory in a mapped file")
      .def(nb::init<const std::string&, bool>(), nb::arg("path"), nb::arg("verify"), Unlocked())
      .def("__len__", &Memory::size)
      .def_prop_ro("translation_count", [](const Memory& all) { return all.translations(); })
      .def(
          "find",
          [](const Memory& all, std::string_view source) -> int64_t {
            const uint32_t found = all.find(source);
            return found == Memory::kNone ? -1 : int64_t{found};
          },
          nb::arg("source"), "The number of the segment with this text, or -1")
      .def(
          "alike",
          [](const Memory& all, bool folded, std::string_view key, size_t most) {
            const auto found =
                all.alike(folded ? memory::Level::folded : memory::Level::masked, key);
            const auto last = found.last(std::min(most, found.size()));
            return std::vector<uint32_t>(last.begin(), last.end());
          },
          nb::arg("folded"), nb::arg("key"), nb::arg("most"),
          "The newest segments whose key has the same hash")
      .def(
          "similar",
          [](const Memory& all, const std::vector<std::string>& words, double least, size_t most) {
            const auto found = unlocked([&] { return all.similar(words, least, most); });
            std::vector<std::tuple<uint32_t, uint32_t, uint32_t>> rows;
            for (const memory::Similar& each : found)
              rows.emplace_back(each.segment, each.distance, each.length);
            return rows;
          },
          nb::arg("words"), nb::arg("least"), nb::arg("most"),
          "Segment, edit distance in words, words of the longer one; the most similar first")
      .def("source", &Memory::source, nb::arg("segment"))
      .def("words", &Memory::words, nb::arg("segment"))
      .def("translations", nb::overload_cast<uint32_t>(&Memory::translations, nb::const_),
           nb::arg("segment"), "The first of its translations, and the one after the last")
      .def("target", &Memory::target, nb::arg("translation"))
      .def("count", &Memory::count, nb::arg("translation"))
      .def("file", &Memory::file, nb::arg("translation"))
      .def("unit", &Memory::unit, nb::arg("translation"))
      .def("tokens", &Memory::tokens, nb::arg("translation"))
      .def("links", &Memory::links, nb::arg("translation"));
}

}  // namespace demotic::bind
