#include "bind/decode.h"

#include <nanobind/stl/array.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include <memory>
#include <optional>

#include "bind/counters.h"
#include "decode/composed_rules.h"
#include "decode/hiero/decoder.h"
#include "grammar/rule_table_builder.h"

namespace demotic::bind {

namespace {

decode::Glue glue_by_name(const std::string& name) {
  if (name == "auto") return decode::Glue::automatic;
  if (name == "always") return decode::Glue::always;
  if (name == "never") return decode::Glue::never;
  throw io::Error(io::Fault::argument, "there is no glue '" + name + "'", 0,
                  "auto, always or never");
}

const char* kind_of(uint32_t rule) {
  switch (rule) {
    case decode::kGlueFirst:
    case decode::kGlueNext:
      return "glue";
    case decode::kGoal:
      return "goal";
    case decode::kPassThrough:
      return "pass-through";
    case decode::kStraight:
      return "straight";
    case decode::kInverted:
      return "inverted";
    default:
      return "rule";
  }
}

}  // namespace

decode::ParseOptions parse_options(uint32_t span_limit, uint64_t max_edges, const std::string& glue,
                                   const std::string& goal, const std::string& default_category) {
  return {.span_limit = span_limit,
          .max_edges = max_edges,
          .glue = glue_by_name(glue),
          .goal = goal,
          .default_category = default_category};
}

bool is_eager(const std::string& name) {
  if (name != "eager" && name != "lazy")
    throw io::Error(io::Fault::argument, "'" + name + "' is neither eager nor lazy");
  return name == "eager";
}

std::vector<lm::FurtherModel> further_of(const FurtherModels& models) {
  std::vector<lm::FurtherModel> copies;  // of the same tables
  for (const lm::FurtherModel* each : models) copies.push_back(*each);
  return copies;
}

nb::list words_of(std::span<const std::string> words) {
  nb::list list;
  for (const std::string& word : words) {
    // A damaged table that was not verified may hold anything.
    PyObject* text =
        PyUnicode_DecodeUTF8(word.data(), static_cast<Py_ssize_t>(word.size()), "replace");
    if (text == nullptr) throw nb::python_error();
    list.append(nb::steal<nb::str>(text));
  }
  return list;
}

namespace {

// (kind, rule id or None, category, begin, end, children, score, log10 of the language model, those
// of further ones)
nb::list steps_of(const decode::Derivation& derivation) {
  nb::list steps;
  for (const decode::DerivationStep& step : derivation.steps) {
    nb::list children;
    for (const uint32_t child : derivation.children_of(step)) children.append(child);
    nb::list further;
    for (const float log10 : derivation.further_of(step)) further.append(log10);
    nb::object rule = step.rule < decode::kGlueFirst ? nb::object(nb::int_(step.rule)) : nb::none();
    steps.append(nb::make_tuple(kind_of(step.rule), rule, step.category, step.begin, step.end,
                                nb::tuple(children), step.score, step.lm, nb::tuple(further)));
  }
  return steps;
}

void derivations(nb::module_& m) {
  nb::class_<decode::Derivation>(m, "Derivation", "See demotic.decode.Derivation")
      .def_prop_ro("tokens", [](const decode::Derivation& d) { return words_of(d.tokens); })
      .def_ro("word_steps", &decode::Derivation::word_steps)
      .def_ro("alignment", &decode::Derivation::alignment)
      .def_ro("features", &decode::Derivation::features)
      .def_ro("sparse_ids", &decode::Derivation::sparse_ids)
      .def_ro("sparse_values", &decode::Derivation::sparse_values)
      .def_ro("score", &decode::Derivation::score)
      .def_ro("gain", &decode::Derivation::gain)
      .def_ro("span_limit", &decode::Derivation::span_limit)
      .def_prop_ro("size", [](const decode::Derivation& d) { return d.steps.size(); })
      .def_prop_ro("steps", &steps_of);
}

// Weights by id, as far as the last one that is not 0.
SparseWeights sparse_weights_of(const grammar::RuleTable& table,
                                const std::vector<std::string>& names,
                                const std::vector<double>& values) {
  if (names.size() != values.size())
    throw io::Error(io::Fault::argument, "names and weights differ in number");
  auto weights = std::make_shared<std::vector<double>>();
  for (size_t i = 0; i < names.size(); ++i) {
    const features::FeatureSpace* space = table.sparse_space().get();
    const uint32_t id = space == nullptr ? features::kNoFeature : space->find(names[i]);
    if (id == features::kNoFeature)
      throw io::Error(io::Fault::argument, "there is no feature '" + names[i] + "'", 0,
                      "the table does not have it");
    if (values[i] == 0) continue;
    if (id >= weights->size()) weights->resize(id + size_t{1}, 0.0);
    (*weights)[id] = values[i];
  }
  return {weights->empty() ? nullptr : std::move(weights)};
}

void sparse_weights(nb::module_& m) {
  nb::class_<SparseWeights>(m, "SparseWeights", "Weights of a rule table's sparse features")
      .def(
          "__init__",
          [](SparseWeights* self, const grammar::RuleTable& table,
             const std::vector<std::string>& names, const std::vector<double>& values) {
            const nb::gil_scoped_release unlocked;
            new (self) SparseWeights(sparse_weights_of(table, names, values));
          },
          nb::arg("table"), nb::arg("names"), nb::arg("values"));
}

void decoder(nb::module_& m) {
  nb::class_<decode::hiero::HieroDecoder> bound(m, "HieroDecoder",
                                                "See demotic.decode.HieroDecoder");
  bound
      .def(
          "__init__",
          [](decode::hiero::HieroDecoder* self, const grammar::RuleTable& table,
             const lm::Model* lm, const std::vector<double>& weights,
             const SparseWeights* sparse_rules, const FurtherModels& further,
             const grammar::WordChoices* classifiers, uint32_t pops, uint32_t inner_pops,
             const std::string& init, uint32_t span_limit, uint64_t max_edges,
             const std::string& glue, const std::string& goal,
             const std::string& default_category) {
            const nb::gil_scoped_release unlocked;
            new (self) decode::hiero::HieroDecoder(
                table, lm, weights_of(weights, sparse_rules),
                parse_options(span_limit, max_edges, glue, goal, default_category),
                {.pops = pops,
                 .inner_pops = inner_pops,
                 .eager = is_eager(init),
                 .max_entries = max_edges},
                further_of(further), classifiers);
          },
          nb::arg("table"), nb::arg("lm").none(), nb::arg("weights"),
          nb::arg("sparse_rules").none(), nb::arg("further"), nb::arg("classifiers").none(),
          nb::arg("pops"), nb::arg("inner_pops"), nb::arg("init"), nb::arg("span_limit"),
          nb::arg("max_edges"), nb::arg("glue"), nb::arg("goal"), nb::arg("default_category"),
          nb::keep_alive<1, 2>(), nb::keep_alive<1, 3>())
      .def_prop_ro("labels",
                   [](const decode::hiero::HieroDecoder& d) { return d.plan().labels(); });
  bind_decode(bound);
  bind_lists(bound);
  bind_batch(bound, "forests", &decode::hiero::HieroDecoder::forests);
  bind_batch(bound, "parses", &decode::hiero::HieroDecoder::parses);
  bound.def(
      "write_uncomposed",
      [](const decode::hiero::HieroDecoder& d, const std::string& path, double margin) {
        const nb::gil_scoped_release unlocked;
        std::vector<char> kept = decode::composed_rules(d.grammar(), margin);
        for (char& each : kept) each = each == 0 ? 1 : 0;
        grammar::copy_rules(d.grammar().table(), kept, path);
      },
      nb::arg("path"), nb::arg("margin"));
}

}  // namespace

void decode(nb::module_& m) {
  sparse_weights(m);
  derivations(m);
  bind_counters<decode::hiero::HieroCounters>(m, "HieroCounters", "See demotic.decode.Counters");
  decoder(m);
  m.def(
      "hiero_feature_names",
      [](const grammar::RuleTable& table, const std::vector<std::string>& further,
         bool classifiers) {
        return decode::ScoredGrammar::feature_names(table, further, "Glue", classifiers);
      },
      nb::arg("table"), nb::arg("further"), nb::arg("classifiers"));
}

}  // namespace demotic::bind
