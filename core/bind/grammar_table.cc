// The rule table as Python sees it, and what reads, writes and filters whole tables.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <optional>
#include <tuple>
#include <utility>

#include "bind/bind.h"
#include "grammar/rule_filter.h"
#include "grammar/rule_shapes.h"
#include "grammar/rule_table.h"
#include "grammar/rule_table_builder.h"
#include "grammar/rule_templates.h"
#include "grammar/rule_text.h"
#include "grammar/stranded_words.h"
#include "io/error.h"

namespace demotic::bind {

namespace {

// -- the table ---------------------------------------------------------------------------------

template <class Row>
auto copy(const Row& row) {
  return std::vector<std::iter_value_t<decltype(row.begin())>>(row.begin(), row.end());
}

uint32_t rule_index(const grammar::RuleTable& table, uint32_t rule) {
  if (rule >= table.rules()) throw nb::index_error("no such rule");
  return rule;
}

// A damaged table may hold anything.
nb::str text_of(const std::string& name) {
  PyObject* text =
      PyUnicode_DecodeUTF8(name.data(), static_cast<Py_ssize_t>(name.size()), "replace");
  if (text == nullptr) throw nb::python_error();
  return nb::steal<nb::str>(text);
}

std::vector<std::pair<uint32_t, uint32_t>> pairs_of(const grammar::RuleLinks& links) {
  std::vector<std::pair<uint32_t, uint32_t>> pairs;
  for (const grammar::RuleLink link : links) pairs.emplace_back(link.source, link.target);
  return pairs;
}

void bind_table(nb::module_& m) {
  nb::class_<grammar::RuleTable>(m, "RuleTable",
                                 "Rules behind a trie over their source sides, mapped")
      .def(nb::init<const std::string&, std::optional<bool>>(), nb::arg("path"),
           nb::arg("verify") = nb::none(), Unlocked())
      .def("__len__", &grammar::RuleTable::rules)
      .def_prop_ro("nodes", &grammar::RuleTable::nodes, "Nodes of the trie")
      .def_prop_ro("feature_names", &grammar::RuleTable::feature_names, "Names of the scores")
      .def_prop_ro("categories", &grammar::RuleTable::categories, "Names of the nonterminals")
      .def_prop_ro("has_counts", &grammar::RuleTable::has_counts, "Do the rules carry counts?")
      .def_prop_ro("source_words",
                   [](const grammar::RuleTable& t) { return t.source_vocab().size(); })
      .def_prop_ro("target_words",
                   [](const grammar::RuleTable& t) { return t.target_vocab().size(); })
      .def(
          "source_word",
          [](const grammar::RuleTable& t, uint32_t id) { return t.source_vocab().word(id); },
          nb::arg("id"))
      .def(
          "target_word",
          [](const grammar::RuleTable& t, uint32_t id) { return t.target_vocab().word(id); },
          nb::arg("id"))
      .def(
          "find_source_word",
          [](const grammar::RuleTable& t, std::string_view word) {
            return t.source_vocab().find(word);
          },
          nb::arg("word"), "The word's id, or 0")
      .def(
          "stranded_words",
          [](const grammar::RuleTable& t, const std::vector<std::string>& words) {
            const nb::gil_scoped_release unlocked;
            return grammar::stranded_words(t, words);
          },
          nb::arg("words"), "Places of words that no rule translates as part of a phrase")
      .def(
          "source_symbols",
          [](const grammar::RuleTable& t, uint32_t rule) {
            return t.source_of(t.node_of(rule_index(t, rule)));
          },
          nb::arg("rule"), "Ids of words; -1 - category for a nonterminal")
      .def(
          "target_symbols",
          [](const grammar::RuleTable& t, uint32_t rule) {
            return copy(t.target(rule_index(t, rule)));
          },
          nb::arg("rule"), "Ids of words; -1 - k for the k-th nonterminal of the source side")
      .def(
          "lhs",
          [](const grammar::RuleTable& t, uint32_t rule) { return t.lhs(rule_index(t, rule)); },
          nb::arg("rule"), "The category of the left-hand side")
      .def(
          "scores",
          [](const grammar::RuleTable& t, uint32_t rule) {
            return copy(t.scores(rule_index(t, rule)));
          },
          nb::arg("rule"))
      .def(
          "links",
          [](const grammar::RuleTable& t, uint32_t rule) {
            return pairs_of(t.links(rule_index(t, rule)));
          },
          nb::arg("rule"), "Word links, by position among the symbols of each side")
      .def(
          "origins",
          [](const grammar::RuleTable& t, uint32_t rule) {
            return copy(t.origins(rule_index(t, rule)));
          },
          nb::arg("rule"), "Up to three training sentences that gave the rule, counted from 0")
      .def(
          "counts",
          [](const grammar::RuleTable& t, uint32_t rule) {
            return copy(t.counts(rule_index(t, rule)));
          },
          nb::arg("rule"), "Counts of the target side, the source side and both; or none")
      .def(
          "sparse",
          [](const grammar::RuleTable& t, uint32_t rule) {
            const features::SparseRow row = t.sparse(rule_index(t, rule));
            return std::pair(copy(row.ids), copy(row.values));
          },
          nb::arg("rule"), "Ids of its sparse features, ascending, and their values")
      .def_prop_ro(
          "sparse_features",
          [](const grammar::RuleTable& t) {
            return t.sparse_space() == nullptr ? 0u : t.sparse_space()->size();
          },
          "How many sparse features there are; their ids are below")
      .def_prop_ro(
          "sparse_bits",
          [](const grammar::RuleTable& t) {
            return t.sparse_space() == nullptr ? 0u : t.sparse_space()->bits();
          },
          "To how many bits their names are hashed; 0: they are not")
      .def_prop_ro("sparse_values", &grammar::RuleTable::sparse_values,
                   "How many values all rules have of them")
      .def(
          "sparse_name",
          [](const grammar::RuleTable& t, uint32_t id) {
            if (t.sparse_space() == nullptr || id >= t.sparse_space()->size())
              throw nb::index_error("no such feature");
            return text_of(t.sparse_space()->name(id));
          },
          nb::arg("id"), "A sparse feature by its id")
      .def(
          "find_sparse",
          [](const grammar::RuleTable& t, std::string_view name) -> std::optional<uint32_t> {
            const uint32_t id =
                t.sparse_space() == nullptr ? features::kNoFeature : t.sparse_space()->find(name);
            if (id == features::kNoFeature) return std::nullopt;
            return id;
          },
          nb::arg("name"), "The id of a sparse feature, or None")
      .def(
          "find",
          [](const grammar::RuleTable& t, const std::vector<text::Symbol>& source) {
            uint32_t node = grammar::RuleTable::kRoot;
            for (const text::Symbol symbol : source)
              if (node != grammar::RuleTable::kNone) node = t.step(node, symbol);
            if (node == grammar::RuleTable::kNone || source.empty()) return std::pair(0u, 0u);
            return std::pair(t.first_rule(node), t.last_rule(node));
          },
          nb::arg("source"), "First rule of a source side, and one past its last")
      .def(
          "shapes",
          [](const grammar::RuleTable& t) {
            std::vector<std::tuple<std::string, uint64_t, uint64_t, uint64_t>> rows;
            for (const grammar::RuleShape& shape : grammar::rule_shapes(t))
              rows.emplace_back(shape.source, shape.sources, shape.rules, shape.reordered);
            return rows;
          },
          Unlocked(),
          "Kinds of source sides (w: words, X: nonterminal), how many source sides and "
          "rules have them, and how many of the rules swap their nonterminals");
}

// -- text and filters --------------------------------------------------------------------------

grammar::RuleFormat format_of(std::string_view name) {
  if (name == "cdec") return grammar::RuleFormat::cdec;
  if (name == "joshua") return grammar::RuleFormat::joshua;
  if (name == "moses-hiero") return grammar::RuleFormat::moses_hiero;
  if (name == "moses-phrase") return grammar::RuleFormat::moses_phrase;
  throw io::Error(io::Fault::argument, "no such format of rules: " + std::string(name));
}

void bind_text(nb::module_& m) {
  nb::class_<grammar::RuleTextReader>(m, "RuleTextReader",
                                      "A rule table from another system's text")
      .def(
          "__init__",
          [](grammar::RuleTextReader* self, std::string_view format, bool empty_targets,
             bool first_duplicate, const std::vector<std::string>& columns) {
            new (self) grammar::RuleTextReader(
                {format_of(format), empty_targets, first_duplicate, columns});
          },
          nb::arg("format"), nb::arg("empty_targets"), nb::arg("first_duplicate"),
          nb::arg("columns"))
      .def(
          "feed",
          [](grammar::RuleTextReader& reader, nb::bytes text) {
            const std::string_view view(text.c_str(), text.size());
            const nb::gil_scoped_release unlocked;
            reader.feed(view);
          },
          nb::arg("text"), "Whole lines of UTF-8 text")
      .def("finish", &grammar::RuleTextReader::finish, nb::arg("path"), Unlocked(),
           "Write the table");

  m.def(
      "print_rules",
      [](const grammar::RuleTable& table, std::string_view format, uint32_t begin, uint32_t end) {
        std::string text;
        {
          const nb::gil_scoped_release unlocked;
          grammar::print_rules(table, format_of(format), begin, end, text);
        }
        return nb::bytes(text.data(), text.size());
      },
      nb::arg("table"), nb::arg("format"), nb::arg("begin"), nb::arg("end"),
      "Rules from begin up to end as lines");

  nb::class_<grammar::RuleFilter>(m, "RuleFilter",
                                  "The rules of a table that can match some sentences")
      .def(nb::init<const grammar::RuleTable&>(), nb::arg("table"), nb::keep_alive<1, 2>(),
           Unlocked())
      .def(
          "add",
          [](grammar::RuleFilter& filter, nb::bytes text) {
            const std::string_view view(text.c_str(), text.size());
            const nb::gil_scoped_release unlocked;
            filter.add(view);
          },
          nb::arg("text"), "Sentences, one a line, tokens separated by spaces")
      .def("write", &grammar::RuleFilter::write, nb::arg("path"), Unlocked(),
           "The rules that match");
}

// -- sparse features ---------------------------------------------------------------------------

// A copy of a table on its way, with features added to its rules.
struct Templating {
  const grammar::RuleTable& table;
  grammar::RuleTemplates templates;
  grammar::RuleTableBuilder builder;

  Templating(const grammar::RuleTable& given, const std::string& path,
             const grammar::RuleTemplateOptions& options)
      : table(given),
        templates(given, options),
        builder(path, given.categories(), given.feature_names(), given.source_vocab(),
                given.target_vocab()) {}
};

grammar::RuleTemplateOptions template_options(const std::vector<std::string>& templates,
                                              double min_count, uint32_t bits) {
  grammar::RuleTemplateOptions options;
  options.min_count = min_count;
  options.bits = bits;
  for (const std::string& name : templates) {
    if (name == "rule")
      options.rule = true;
    else if (name == "source_bigrams")
      options.source_bigrams = true;
    else if (name == "target_bigrams")
      options.target_bigrams = true;
    else if (name == "pairs")
      options.pairs = true;
    else if (name == "shape")
      options.shape = true;
    else
      throw io::Error(io::Fault::argument, "no such template of features: " + name);
  }
  return options;
}

void bind_templates(nb::module_& m) {
  nb::class_<Templating>(m, "RuleTemplates", "Sparse features added to the rules of a table")
      .def(
          "__init__",
          [](Templating* self, const grammar::RuleTable& table, const std::string& path,
             const std::vector<std::string>& templates, double min_count, uint32_t bits) {
            const nb::gil_scoped_release unlocked;
            new (self) Templating(table, path, template_options(templates, min_count, bits));
          },
          nb::arg("table"), nb::arg("path"), nb::arg("templates"), nb::arg("min_count"),
          nb::arg("bits"), nb::keep_alive<1, 2>())
      .def(
          "count",
          [](Templating& t, uint32_t begin, uint32_t end) { t.templates.count(begin, end); },
          nb::arg("begin"), nb::arg("end"), Unlocked(),
          "Count the features of the rules from begin up to end; needed where there is a min_count")
      .def(
          "add",
          [](Templating& t, uint32_t begin, uint32_t end) {
            t.templates.add(begin, end, t.builder);
          },
          nb::arg("begin"), nb::arg("end"), Unlocked(), "The rules from begin up to end")
      .def(
          "keep", [](Templating& t, const std::vector<uint32_t>& ids) { t.templates.keep(ids); },
          nb::arg("ids"), Unlocked(), "Let only these of the table's own features stay")
      .def(
          "finish",
          [](Templating& t) {
            t.builder.finish(t.templates.has_names() ? t.templates.finish().get() : nullptr);
          },
          Unlocked(), "Write the table");
}

}  // namespace

void grammar_table(nb::module_& m) {
  bind_table(m);
  bind_text(m);
  bind_templates(m);
}

}  // namespace demotic::bind
