#include <nanobind/stl/vector.h>

#include "bind/line_arrays.h"
#include "text/token_lines.h"
#include "text/vocab.h"

namespace demotic::bind {

void text(nb::module_& m) {
  nb::class_<text::Vocab>(m, "Vocab", "Words and their ids, in order of first appearance")
      .def(nb::init<>())
      .def("add", &text::Vocab::add, nb::arg("word"))
      .def("find", &text::Vocab::find, nb::arg("word"), "The word's id, or 0 for an unknown word")
      .def("word", &text::Vocab::word, nb::arg("id"))
      .def("__len__", &text::Vocab::size);

  nb::class_<text::TokenLines>(m, "TokenLines", "Tokenised sentences as ids in one flat array")
      .def(nb::init<>())
      .def(
          "append",
          [](text::TokenLines& lines, nb::bytes text, text::Vocab& vocab) {
            const std::string_view view(text.c_str(), text.size());
            const nb::gil_scoped_release unlocked;
            encode(view, vocab, lines);
          },
          nb::arg("text"), nb::arg("vocab"),
          "Append the lines of a UTF-8 text whose tokens are separated by spaces")
      .def_static(
          "of",
          [](const Input<uint32_t>& ids, const Input<uint64_t>& ends) {
            return unlocked([&] {
              check_ends(span_of(ends), ids.shape(0));
              return text::TokenLines{copy_of(ids), copy_of(ends)};
            });
          },
          nb::arg("ids").noconvert(), nb::arg("ends").noconvert(),
          "Lines of ids and where each of them ends")
      .def(
          "arrays",
          [](const text::TokenLines& lines, size_t begin, size_t end) {
            auto [ids, ends] = unlocked([&] { return part_of(lines.ids, lines.ends, begin, end); });
            return nb::make_tuple(numpy(std::move(ids)), numpy(std::move(ends)));
          },
          nb::arg("begin"), nb::arg("end"), "What ``of`` makes the lines from begin up to end from")
      .def_prop_ro("tokens", [](const text::TokenLines& lines) { return lines.ids.size(); })
      .def(
          "__getitem__",
          [](const text::TokenLines& lines, size_t line) {
            if (line >= lines.size()) throw nb::index_error("no such line");
            return std::vector<uint32_t>(lines[line].begin(), lines[line].end());
          },
          nb::arg("line"), "The ids of one line")
      .def("__len__", &text::TokenLines::size);
}

}  // namespace demotic::bind
