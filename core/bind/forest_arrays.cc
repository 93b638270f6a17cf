#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/vector.h>

#include <string>

#include "bind/arrays.h"
#include "bind/features.h"
#include "bind/forest_parts.h"

namespace demotic::bind {

namespace {

std::vector<std::string> strings(const forest::Names& names) {
  std::vector<std::string> result;
  for (uint32_t i = 0; i < names.size(); ++i) result.emplace_back(names[i]);
  return result;
}

template <class T>
auto view(forest::Array<T> forest::Forest::* member) {
  return [member](const forest::Forest& f) {
    const forest::Array<T>& array = f.*member;
    return View<T>(array.data(), {array.size()}, nb::handle());
  };
}

template <class T>
auto rule_view(forest::Array<T> forest::ForestRules::* member) {
  return [member](const forest::Forest& f) {
    const forest::Array<T>& array = (*f.rules).*member;
    return View<T>(array.data(), {array.size()}, nb::handle());
  };
}

}  // namespace

void forest_arrays(nb::class_<forest::Forest>& c) {
  const auto kept = nb::rv_policy::reference_internal;  // a view keeps its forest alive
  c.def_prop_ro("in_off", view(&forest::Forest::in_off), kept)
      .def_prop_ro("tail_off", view(&forest::Forest::tail_off), kept)
      .def_prop_ro("tails", view(&forest::Forest::tails), kept)
      .def_prop_ro("rule", view(&forest::Forest::rule), kept)
      .def_prop_ro("score", view(&forest::Forest::score), kept)
      .def_prop_ro("loss", view(&forest::Forest::loss), kept)
      .def_prop_ro("label", view(&forest::Forest::label), kept)
      .def_prop_ro("span", view(&forest::Forest::span), kept)
      .def_prop_ro("context_off", view(&forest::Forest::context_off), kept)
      .def_prop_ro("context", view(&forest::Forest::context), kept)
      .def_prop_ro("dense_id", view(&forest::Forest::dense_id), kept)
      .def_prop_ro("dense", view(&forest::Forest::dense), kept)
      .def_prop_ro("edge_feature_off", view(&forest::Forest::edge_feature_off), kept)
      .def_prop_ro("edge_feature_id", view(&forest::Forest::edge_feature_id), kept)
      .def_prop_ro("edge_feature_value", view(&forest::Forest::edge_feature_value), kept)
      .def_prop_ro("rule_lhs", rule_view(&forest::ForestRules::lhs), kept)
      .def_prop_ro("rule_origin", rule_view(&forest::ForestRules::origin), kept)
      .def_prop_ro("source_off", rule_view(&forest::ForestRules::source_off), kept)
      .def_prop_ro("source", rule_view(&forest::ForestRules::source), kept)
      .def_prop_ro("target_off", rule_view(&forest::ForestRules::target_off), kept)
      .def_prop_ro("target", rule_view(&forest::ForestRules::target), kept)
      .def_prop_ro("rule_feature_off", rule_view(&forest::ForestRules::feature_off), kept)
      .def_prop_ro("rule_feature_id", rule_view(&forest::ForestRules::feature_id), kept)
      .def_prop_ro("rule_feature_value", rule_view(&forest::ForestRules::feature_value), kept)
      .def_prop_ro("nodes", &forest::Forest::nodes)
      .def_prop_ro("edges", &forest::Forest::edges)
      .def_prop_ro("context_width", [](const forest::Forest& f) { return f.context_width; })
      .def_prop_ro("words", [](const forest::Forest& f) { return strings(f.names->words); })
      .def_prop_ro("labels", [](const forest::Forest& f) { return strings(f.names->labels); })
      .def_prop_ro("space", [](const forest::Forest& f) { return shown(f.names->features); })
      .def("head",
           [](const forest::Forest& f) { return numpy(unlocked([&] { return f.heads(); })); });
}

}  // namespace demotic::bind
