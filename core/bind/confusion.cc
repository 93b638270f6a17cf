// Confusion grammars: classes of target sides, tables of rules among them, bigrams as features.
#include <nanobind/stl/vector.h>

#include <string>
#include <utility>
#include <vector>

#include "bind/bind.h"
#include "forest/forest.h"
#include "grammar/confusion_classes.h"
#include "grammar/confusion_table.h"
#include "grammar/rule_filter.h"
#include "grammar/target_bigrams.h"

namespace demotic::bind {

namespace {

grammar::ConfusionOptions options_of(uint32_t max_options, bool cells, bool same_tail_spans) {
  return {max_options, cells, same_tail_spans};
}

void bind_classes(nb::module_& m) {
  using Classes = grammar::ConfusionClasses;
  nb::class_<Classes>(m, "ConfusionClasses", "Target sides that translate the same source")
      .def(nb::init<const grammar::RuleTable&, std::string_view>(), nb::arg("table"),
           nb::arg("goal"), nb::keep_alive<1, 2>())
      .def(
          "add_sources",
          [](Classes& classes, uint32_t begin, uint32_t end, uint32_t max_options) {
            classes.add_sources(begin, end, options_of(max_options, false, false));
          },
          nb::arg("begin"), nb::arg("end"), nb::arg("max_options"), Unlocked(),
          "Rules of one source side, for the trie's nodes from begin up to end")
      .def(
          "add_forest",
          [](Classes& classes, const forest::Forest& forest, uint32_t max_options, bool cells,
             bool same_tail_spans) {
            classes.add_forest(forest, options_of(max_options, cells, same_tail_spans));
          },
          nb::arg("forest"), nb::arg("max_options"), nb::arg("cells"), nb::arg("same_tail_spans"),
          Unlocked(), "Rules that lead to one node, or to one span")
      .def("finish", &Classes::finish, Unlocked(), "No more of them: sources can be expanded")
      .def(
          "write_sources", [](const Classes& c, const std::string& p) { write_sources(c, p); },
          nb::arg("path"), Unlocked(), "A table with one rule for each source, to filter by")
      .def_prop_ro("classes", &Classes::classes, "Different classes")
      .def_prop_ro("sides", &Classes::sides, "Different target sides")
      .def_prop_ro("members", &Classes::members, "Sides of all classes")
      .def_prop_ro("dropped", &Classes::dropped, "Sides that max_options left out")
      .def_prop_ro("sources", &Classes::sources, "Sides as sources, nonterminals in order")
      .def("pairs", &Classes::pairs, Unlocked(), "Rules if all are written down");
}

void bind_bigrams(nb::module_& m) {
  using Bigrams = grammar::TargetBigrams;
  nb::class_<Bigrams>(m, "TargetBigrams", "Bigrams of target sides as features")
      .def(nb::init<std::vector<std::string>, std::vector<uint32_t>, uint32_t>(), nb::arg("names"),
           nb::arg("symbols"), nb::arg("x"))
      .def(
          "meet_sides",
          [](Bigrams& bigrams, const grammar::ConfusionClasses& classes) {
            for (uint32_t s = 0; s < classes.sides(); ++s) bigrams.meet(classes.side(s));
          },
          nb::arg("classes"), Unlocked(), "Those of all sides are features")
      .def(
          "meet_rules",
          [](Bigrams& bigrams, const grammar::RuleTable& table) {
            std::vector<text::Symbol> symbols;
            for (uint32_t r = 0; r < table.rules(); ++r) {
              const io::PackedRow<text::Symbol> target = table.target(r);
              symbols.assign(target.begin(), target.end());
              bigrams.meet(symbols);
            }
          },
          nb::arg("table"), Unlocked(), "Those of all target sides of a table are features")
      .def(
          "meet",
          [](Bigrams& bigrams, const std::vector<text::Symbol>& target) { bigrams.meet(target); },
          nb::arg("target"))
      .def("freeze", &Bigrams::freeze, Unlocked(), "No more of them")
      .def("__len__", &Bigrams::size)
      .def(
          "name",
          [](const Bigrams& bigrams, uint32_t id) {
            if (id >= bigrams.size()) throw nb::index_error("no such bigram");
            return bigrams.space()->name(id);
          },
          nb::arg("id"))
      .def(
          "score",
          [](const Bigrams& bigrams, const std::vector<text::Symbol>& target,
             const std::vector<double>& weights) { return bigrams.score(target, weights); },
          nb::arg("target"), nb::arg("weights"), "The sum of a side's weights")
      .def(
          "add_column",
          [](const Bigrams& bigrams, const grammar::RuleTable& table, const std::string& path,
             const std::string& name, const std::vector<double>& weights) {
            add_bigram_column(table, path, name, bigrams, weights);
          },
          nb::arg("table"), nb::arg("path"), nb::arg("name"), nb::arg("weights"), Unlocked(),
          "A copy of a table with the sum of each rule's weights as one more score");
}

void bind_table(nb::module_& m) {
  using Table = grammar::ConfusionTable;
  nb::class_<Table>(m, "ConfusionTable", "Confusion rules on their way into a table")
      .def(
          "__init__",
          [](Table* self, const grammar::ConfusionClasses& classes, const std::string& path,
             grammar::TargetBigrams* bigrams, bool changed,
             bool unchanged) { new (self) Table(classes, path, bigrams, {changed, unchanged}); },
          nb::arg("classes"), nb::arg("path"), nb::arg("bigrams").none(), nb::arg("changed"),
          nb::arg("unchanged"), nb::keep_alive<1, 2>(), nb::keep_alive<1, 4>(), Unlocked())
      .def(
          "add", [](Table& table, uint32_t begin, uint32_t end) { table.add(begin, end); },
          nb::arg("begin"), nb::arg("end"), Unlocked(), "All rules of the sources")
      .def(
          "add_matched",
          [](Table& table, uint32_t begin, uint32_t end, const grammar::RuleFilter& filter) {
            const std::vector<char> matched = filter.matched_rules();
            table.add(begin, end, matched);
          },
          nb::arg("begin"), nb::arg("end"), nb::arg("filter"), Unlocked(),
          "Those that a filter of the table of sources has matched")
      .def("finish", &Table::finish, Unlocked(), "Write the table")
      .def_prop_ro("rules", &Table::rules)
      .def_prop_ro("changes", &Table::changes, "Rules whose two sides differ");
}

}  // namespace

void confusion(nb::module_& m) {
  bind_classes(m);
  bind_bigrams(m);
  bind_table(m);
}

}  // namespace demotic::bind
