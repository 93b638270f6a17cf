#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <utility>

#include "align/lexical_table.h"
#include "align/links.h"
#include "align/pharaoh.h"
#include "align/symmetrise.h"
#include "bind/bind.h"

namespace demotic::bind {

namespace {

using Pairs = std::vector<std::pair<uint32_t, uint32_t>>;

Pairs line_of(const Links& links, size_t line) {
  Pairs pairs;
  for (const Link& link : links[line]) pairs.emplace_back(link.source, link.target);
  return pairs;
}

size_t line_index(const Links& links, int64_t line) {
  const auto lines = static_cast<int64_t>(links.size());
  if (line < 0) line += lines;
  if (line < 0 || line >= lines) throw nb::index_error("no such sentence pair");
  return static_cast<size_t>(line);
}

void append(Links& links, const Pairs& pairs) {
  const auto begin = static_cast<std::ptrdiff_t>(links.pairs.size());
  for (const auto& [source, target] : pairs) {
    if (source > kMaxPosition || target > kMaxPosition)
      throw Error(Fault::argument, "a link beyond any sentence");
    links.pairs.push_back({source, target});
  }
  std::sort(links.pairs.begin() + begin, links.pairs.end());
  links.pairs.erase(std::unique(links.pairs.begin() + begin, links.pairs.end()), links.pairs.end());
  links.ends.push_back(links.pairs.size());
}

Links slice(const Links& links, size_t begin, size_t end) {
  Links out;
  end = std::min(end, links.size());
  for (size_t line = begin; line < end; ++line) {
    const auto pairs = links[line];
    out.pairs.insert(out.pairs.end(), pairs.begin(), pairs.end());
    out.ends.push_back(out.pairs.size());
  }
  return out;
}

void bind_links(nb::module_& m) {
  nb::class_<Links>(m, "Links", "Word links of many sentence pairs, each pair's sorted")
      .def(nb::init<>())
      .def("append", &append, nb::arg("pairs"), "Append the links of one sentence pair")
      .def("slice", &slice, nb::arg("begin"), nb::arg("end"),
           "The sentence pairs from begin up to end")
      .def(
          "extend",
          [](Links& links, const Links& more) {
            const uint64_t base = links.pairs.size();
            const std::vector<uint64_t> ends = more.ends;  // `more` may be `links`
            const std::vector<Link> pairs = more.pairs;
            links.pairs.insert(links.pairs.end(), pairs.begin(), pairs.end());
            for (const uint64_t end : ends) links.ends.push_back(base + end);
          },
          nb::arg("links"), "Append the sentence pairs of another object")
      .def_prop_ro(
          "count", [](const Links& links) { return links.pairs.size(); }, "The number of links")
      .def(
          "pharaoh",
          [](const Links& links, size_t begin, size_t end, uint32_t base) {
            std::string text;
            {
              const nb::gil_scoped_release unlocked;
              print_pharaoh(links, begin, std::min(end, links.size()), base, text);
            }
            return nb::bytes(text.data(), text.size());
          },
          nb::arg("begin"), nb::arg("end"), nb::arg("base"), "Lines as text")
      .def("check", &check_links, nb::arg("source"), nb::arg("target"), nb::arg("base") = 0,
           Unlocked(), "Raise FormatError where links do not fit the texts")
      .def("__len__", &Links::size)
      .def("__getitem__",
           [](const Links& links, int64_t line) { return line_of(links, line_index(links, line)); })
      .def(
          "__eq__",
          [](const Links& a, const Links& b) { return a.pairs == b.pairs && a.ends == b.ends; },
          nb::is_operator(), nb::sig("def __eq__(self, other: object, /) -> bool"));
}

void bind_lexical_table(nb::module_& m) {
  nb::class_<LexicalCounts>(m, "LexicalCounts", "Counts of linked words")
      .def(nb::init<const Vocab&, const Vocab&>(), nb::arg("source"), nb::arg("target"))
      .def("add", &LexicalCounts::add, nb::arg("source"), nb::arg("target"), nb::arg("links"),
           nb::arg("begin"), nb::arg("end"), Unlocked(),
           "Count the sentence pairs from begin up to end");

  nb::class_<LexicalTable>(m, "LexicalTable", "Word translation probabilities of both directions")
      .def(
          "__init__",
          [](LexicalTable* self, LexicalCounts& counts, const Vocab& source, const Vocab& target) {
            new (self) LexicalTable(counts, source, target);
          },
          nb::arg("counts"), nb::arg("source"), nb::arg("target"), Unlocked())
      .def(nb::init<const std::string&>(), nb::arg("path"), Unlocked())
      .def("target_given_source", &LexicalTable::target_given_source, nb::arg("source"),
           nb::arg("target"), "w(e|f) of two ids")
      .def("source_given_target", &LexicalTable::source_given_target, nb::arg("source"),
           nb::arg("target"), "w(f|e) of two ids")
      .def("source_id", &LexicalTable::source_id, nb::arg("word"))
      .def("target_id", &LexicalTable::target_id, nb::arg("word"))
      .def_prop_ro("rows", &LexicalTable::rows)
      .def(
          "text",
          [](const LexicalTable& table, bool target_given_source, size_t begin, size_t end) {
            std::string text;
            {
              const nb::gil_scoped_release unlocked;
              table.print(target_given_source, begin, end, text);
            }
            return nb::bytes(text.data(), text.size());
          },
          nb::arg("target_given_source"), nb::arg("begin"), nb::arg("end"),
          "Rows in Moses' text form")
      .def("save", &LexicalTable::save, nb::arg("path"), Unlocked())
      .def("__len__", &LexicalTable::size);

  nb::class_<LexicalReader>(m, "LexicalReader", "A lexical table from Moses' two text files")
      .def(nb::init<>())
      .def(
          "add",
          [](LexicalReader& reader, nb::bytes text, bool target_given_source, uint64_t first_line) {
            const std::string_view view(text.c_str(), text.size());
            const nb::gil_scoped_release unlocked;
            reader.add(view, target_given_source, first_line);
          },
          nb::arg("text"), nb::arg("target_given_source"), nb::arg("first_line"))
      .def("finish", &LexicalReader::finish, Unlocked());
}

}  // namespace

void align_io(nb::module_& m) {
  bind_links(m);
  bind_lexical_table(m);

  m.def(
      "parse_pharaoh",
      [](nb::bytes text, uint32_t base, bool allow_possible, uint64_t first_line) {
        const std::string_view view(text.c_str(), text.size());
        Gold gold;
        {
          const nb::gil_scoped_release unlocked;
          parse_pharaoh(view, {base, allow_possible, first_line}, gold);
        }
        return std::pair(std::move(gold.sure), std::move(gold.possible));
      },
      nb::arg("text"), nb::arg("base"), nb::arg("allow_possible"), nb::arg("first_line"),
      "The sure and the possible links of a text in Pharaoh format");

  nb::enum_<Heuristic>(m, "Heuristic")
      .value("INTERSECTION", Heuristic::intersection)
      .value("UNION", Heuristic::union_)
      .value("GROW", Heuristic::grow)
      .value("GROW_DIAG", Heuristic::grow_diag)
      .value("GROW_DIAG_FINAL", Heuristic::grow_diag_final)
      .value("GROW_DIAG_FINAL_AND", Heuristic::grow_diag_final_and);

  m.def("symmetrise", &symmetrise, nb::arg("forward"), nb::arg("backward"), nb::arg("heuristic"),
        nb::arg("threads"), Unlocked());
}

}  // namespace demotic::bind
