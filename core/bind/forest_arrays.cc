#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <string>

#include "bind/arrays.h"
#include "bind/forest_parts.h"

namespace demotic::bind {

namespace {

std::vector<std::string> strings(const Names& names) {
  std::vector<std::string> result;
  for (uint32_t i = 0; i < names.size(); ++i) result.emplace_back(names[i]);
  return result;
}

template <class T>
auto view(Array<T> Forest::* member) {
  return [member](const Forest& f) {
    const Array<T>& array = f.*member;
    return View<T>(array.data(), {array.size()}, nb::handle());
  };
}

template <class T>
auto rule_view(Array<T> ForestRules::* member) {
  return [member](const Forest& f) {
    const Array<T>& array = (*f.rules).*member;
    return View<T>(array.data(), {array.size()}, nb::handle());
  };
}

}  // namespace

void forest_arrays(nb::class_<Forest>& c) {
  const auto kept = nb::rv_policy::reference_internal;  // a view keeps its forest alive
  c.def_prop_ro("in_off", view(&Forest::in_off), kept)
      .def_prop_ro("tail_off", view(&Forest::tail_off), kept)
      .def_prop_ro("tails", view(&Forest::tails), kept)
      .def_prop_ro("rule", view(&Forest::rule), kept)
      .def_prop_ro("score", view(&Forest::score), kept)
      .def_prop_ro("loss", view(&Forest::loss), kept)
      .def_prop_ro("label", view(&Forest::label), kept)
      .def_prop_ro("span", view(&Forest::span), kept)
      .def_prop_ro("context_off", view(&Forest::context_off), kept)
      .def_prop_ro("context", view(&Forest::context), kept)
      .def_prop_ro("dense_id", view(&Forest::dense_id), kept)
      .def_prop_ro("dense", view(&Forest::dense), kept)
      .def_prop_ro("edge_feature_off", view(&Forest::edge_feature_off), kept)
      .def_prop_ro("edge_feature_id", view(&Forest::edge_feature_id), kept)
      .def_prop_ro("edge_feature_value", view(&Forest::edge_feature_value), kept)
      .def_prop_ro("rule_lhs", rule_view(&ForestRules::lhs), kept)
      .def_prop_ro("rule_origin", rule_view(&ForestRules::origin), kept)
      .def_prop_ro("source_off", rule_view(&ForestRules::source_off), kept)
      .def_prop_ro("source", rule_view(&ForestRules::source), kept)
      .def_prop_ro("target_off", rule_view(&ForestRules::target_off), kept)
      .def_prop_ro("target", rule_view(&ForestRules::target), kept)
      .def_prop_ro("rule_feature_off", rule_view(&ForestRules::feature_off), kept)
      .def_prop_ro("rule_feature_id", rule_view(&ForestRules::feature_id), kept)
      .def_prop_ro("rule_feature_value", rule_view(&ForestRules::feature_value), kept)
      .def_prop_ro("nodes", &Forest::nodes)
      .def_prop_ro("edges", &Forest::edges)
      .def_prop_ro("context_width", [](const Forest& f) { return f.context_width; })
      .def_prop_ro("words", [](const Forest& f) { return strings(f.names->words); })
      .def_prop_ro("labels", [](const Forest& f) { return strings(f.names->labels); })
      .def_prop_ro("features", [](const Forest& f) { return strings(f.names->features); })
      .def("head", [](const Forest& f) { return numpy(f.heads()); });
}

}  // namespace demotic::bind
