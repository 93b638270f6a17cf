#include <nanobind/stl/pair.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <utility>

#include "align/lexical_table.h"
#include "align/links.h"
#include "align/pharaoh.h"
#include "align/symmetrise.h"
#include "bind/line_arrays.h"

namespace demotic::bind {

namespace {

using Pairs = std::vector<std::pair<uint32_t, uint32_t>>;

Pairs line_of(const align::Links& links, size_t line) {
  Pairs pairs;
  for (const align::Link& link : links[line]) pairs.emplace_back(link.source, link.target);
  return pairs;
}

size_t line_index(const align::Links& links, int64_t line) {
  const auto lines = static_cast<int64_t>(links.size());
  if (line < 0) line += lines;
  if (line < 0 || line >= lines) throw nb::index_error("no such sentence pair");
  return static_cast<size_t>(line);
}

void append(align::Links& links, const Pairs& pairs) {
  const auto begin = static_cast<std::ptrdiff_t>(links.pairs.size());
  for (const auto& [source, target] : pairs) {
    if (source > align::kMaxPosition || target > align::kMaxPosition)
      throw io::Error(io::Fault::argument, "a link beyond any sentence");
    links.pairs.push_back({source, target});
  }
  std::sort(links.pairs.begin() + begin, links.pairs.end());
  links.pairs.erase(std::unique(links.pairs.begin() + begin, links.pairs.end()), links.pairs.end());
  links.ends.push_back(links.pairs.size());
}

align::Links slice(const align::Links& links, size_t begin, size_t end) {
  align::Links out;
  end = std::min(end, links.size());
  for (size_t line = begin; line < end; ++line) {
    const auto pairs = links[line];
    out.pairs.insert(out.pairs.end(), pairs.begin(), pairs.end());
    out.ends.push_back(out.pairs.size());
  }
  return out;
}

void bind_links(nb::module_& m) {
  nb::class_<align::Links>(m, "Links", "Word links of many sentence pairs, each pair's sorted")
      .def(nb::init<>())
      .def("append", &append, nb::arg("pairs"), "Append the links of one sentence pair")
      .def("slice", &slice, nb::arg("begin"), nb::arg("end"), Unlocked(),
           "The sentence pairs from begin up to end")
      .def(
          "extend",
          [](align::Links& links, const align::Links& more) {
            const uint64_t base = links.pairs.size();
            const std::vector<uint64_t> ends = more.ends;  // `more` may be `links`
            const std::vector<align::Link> pairs = more.pairs;
            links.pairs.insert(links.pairs.end(), pairs.begin(), pairs.end());
            for (const uint64_t end : ends) links.ends.push_back(base + end);
          },
          nb::arg("links"), Unlocked(), "Append the sentence pairs of another object")
      .def_static(
          "of",
          [](const Input<uint32_t>& pairs, const Input<uint64_t>& ends) {
            return unlocked([&] {
              check_ends(span_of(ends), pairs.shape(0) / 2);
              align::Links links;
              for (size_t at = 0; at + 1 < pairs.shape(0); at += 2)
                links.pairs.push_back({pairs.data()[at], pairs.data()[at + 1]});
              links.ends = copy_of(ends);
              return links;
            });
          },
          nb::arg("pairs").noconvert(), nb::arg("ends").noconvert(),
          "Source and target positions by turns, and where the links of each sentence pair end")
      .def(
          "arrays",
          [](const align::Links& links, size_t begin, size_t end) {
            auto [flat, ends] = unlocked([&] {
              auto [pairs, borders] = part_of(links.pairs, links.ends, begin, end);
              std::vector<uint32_t> positions;
              positions.reserve(2 * pairs.size());
              for (const align::Link& link : pairs) {
                positions.push_back(link.source);
                positions.push_back(link.target);
              }
              return std::pair(std::move(positions), std::move(borders));
            });
            return nb::make_tuple(numpy(std::move(flat)), numpy(std::move(ends)));
          },
          nb::arg("begin"), nb::arg("end"),
          "What ``of`` makes the sentence pairs from begin up to end from")
      .def_prop_ro(
          "count", [](const align::Links& links) { return links.pairs.size(); },
          "The number of links")
      .def(
          "pharaoh",
          [](const align::Links& links, size_t begin, size_t end, uint32_t base) {
            std::string text;
            {
              const nb::gil_scoped_release unlocked;
              align::print_pharaoh(links, begin, std::min(end, links.size()), base, text);
            }
            return nb::bytes(text.data(), text.size());
          },
          nb::arg("begin"), nb::arg("end"), nb::arg("base"), "Lines as text")
      .def("check", &align::check_links, nb::arg("source"), nb::arg("target"), nb::arg("base") = 0,
           Unlocked(), "Raise FormatError where links do not fit the texts")
      .def("__len__", &align::Links::size)
      .def("__getitem__", [](const align::Links& links,
                             int64_t line) { return line_of(links, line_index(links, line)); })
      .def(
          "__eq__",
          [](const align::Links& a, const align::Links& b) {
            return a.pairs == b.pairs && a.ends == b.ends;
          },
          nb::is_operator(), Unlocked(), nb::sig("def __eq__(self, other: object, /) -> bool"));
}

void bind_lexical_table(nb::module_& m) {
  nb::class_<align::LexicalCounts>(m, "LexicalCounts", "Counts of linked words")
      .def(nb::init<const text::Vocab&, const text::Vocab&>(), nb::arg("source"), nb::arg("target"))
      .def("add", &align::LexicalCounts::add, nb::arg("source"), nb::arg("target"),
           nb::arg("links"), nb::arg("begin"), nb::arg("end"), Unlocked(),
           "Count the sentence pairs from begin up to end");

  nb::class_<align::LexicalTable>(m, "LexicalTable",
                                  "Word translation probabilities of both directions")
      .def(
          "__init__",
          [](align::LexicalTable* self, align::LexicalCounts& counts, const text::Vocab& source,
             const text::Vocab& target) { new (self) align::LexicalTable(counts, source, target); },
          nb::arg("counts"), nb::arg("source"), nb::arg("target"), Unlocked())
      .def(nb::init<const std::string&, bool>(), nb::arg("path"), nb::arg("verify") = true,
           Unlocked())
      .def("target_given_source", &align::LexicalTable::target_given_source, nb::arg("source"),
           nb::arg("target"), "w(e|f) of two ids")
      .def("source_given_target", &align::LexicalTable::source_given_target, nb::arg("source"),
           nb::arg("target"), "w(f|e) of two ids")
      .def("source_id", &align::LexicalTable::source_id, nb::arg("word"))
      .def("target_id", &align::LexicalTable::target_id, nb::arg("word"))
      .def_prop_ro("rows", &align::LexicalTable::rows)
      .def(
          "text",
          [](const align::LexicalTable& table, bool target_given_source, size_t begin, size_t end) {
            std::string text;
            {
              const nb::gil_scoped_release unlocked;
              table.print(target_given_source, begin, end, text);
            }
            return nb::bytes(text.data(), text.size());
          },
          nb::arg("target_given_source"), nb::arg("begin"), nb::arg("end"),
          "Rows in Moses' text form")
      .def("save", &align::LexicalTable::save, nb::arg("path"), Unlocked())
      .def("__len__", &align::LexicalTable::size);

  nb::class_<align::LexicalReader>(m, "LexicalReader", "A lexical table from Moses' two text files")
      .def(nb::init<>())
      .def(
          "add",
          [](align::LexicalReader& reader, nb::bytes text, bool target_given_source,
             uint64_t first_line) {
            const std::string_view view(text.c_str(), text.size());
            const nb::gil_scoped_release unlocked;
            reader.add(view, target_given_source, first_line);
          },
          nb::arg("text"), nb::arg("target_given_source"), nb::arg("first_line"))
      .def("finish", &align::LexicalReader::finish, Unlocked());
}

}  // namespace

void align_io(nb::module_& m) {
  bind_links(m);
  bind_lexical_table(m);

  m.def(
      "parse_pharaoh",
      [](nb::bytes text, uint32_t base, bool allow_possible, uint64_t first_line) {
        const std::string_view view(text.c_str(), text.size());
        align::Gold gold;
        {
          const nb::gil_scoped_release unlocked;
          align::parse_pharaoh(view, {base, allow_possible, first_line}, gold);
        }
        return std::pair(std::move(gold.sure), std::move(gold.possible));
      },
      nb::arg("text"), nb::arg("base"), nb::arg("allow_possible"), nb::arg("first_line"),
      "The sure and the possible links of a text in Pharaoh format");

  nb::enum_<align::Heuristic>(m, "Heuristic")
      .value("INTERSECTION", align::Heuristic::intersection)
      .value("UNION", align::Heuristic::union_)
      .value("GROW", align::Heuristic::grow)
      .value("GROW_DIAG", align::Heuristic::grow_diag)
      .value("GROW_DIAG_FINAL", align::Heuristic::grow_diag_final)
      .value("GROW_DIAG_FINAL_AND", align::Heuristic::grow_diag_final_and);

  m.def("symmetrise", &align::symmetrise, nb::arg("forward"), nb::arg("backward"),
        nb::arg("heuristic"), nb::arg("threads"), Unlocked());
}

}  // namespace demotic::bind
