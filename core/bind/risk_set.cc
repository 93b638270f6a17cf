#include "learn/risk_set.h"

#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/vector.h>

#include "bind/arrays.h"
#include "bind/features.h"

namespace demotic::bind {

namespace {

template <class T>
using Matrix = nb::ndarray<const T, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

}  // namespace

void risk_set(nb::module_& m) {
  nb::class_<learn::RiskSet>(m, "RiskSet", "Forests to learn from; see demotic.learn.RiskSet")
      .def(
          "__init__",
          [](learn::RiskSet* self, const std::shared_ptr<features::FeatureSpace>& space,
             uint32_t columns) { new (self) learn::RiskSet(space, columns); },
          nb::arg("space"), nb::arg("columns"))
      .def(
          "add",
          [](learn::RiskSet& set, const forest::Forest& f, Matrix<float> counts, double weight) {
            const nb::gil_scoped_release unlocked;
            set.add(f, {counts.data(), counts.data() + counts.size()}, weight);
          },
          nb::arg("forest"), nb::arg("counts").noconvert(), nb::arg("weight") = 1.0)
      .def_prop_ro("size", &learn::RiskSet::size)
      .def_prop_ro("weight", &learn::RiskSet::weight)
      .def_prop_ro("edges", &learn::RiskSet::edges)
      .def_prop_ro("columns", &learn::RiskSet::columns)
      .def_prop_ro("space", [](const learn::RiskSet& set) { return shown(set.space()); })
      .def(
          "features",
          [](const learn::RiskSet& set) { return numpy(unlocked([&] { return set.features(); })); })
      .def(
          "support",
          [](const learn::RiskSet& set, Input<uint32_t> ids, Input<uint32_t> group) {
            return numpy(unlocked([&] { return set.support(span_of(ids), span_of(group)); }));
          },
          nb::arg("ids").noconvert(), nb::arg("group").noconvert())
      .def(
          "expect",
          [](learn::RiskSet& set, Input<double> weights, double scale, Input<uint32_t> only,
             unsigned threads) {
            learn::Expected found = unlocked(
                [&] { return set.expect(span_of(weights), scale, span_of(only), threads); });
            const size_t rows = found.each.size() / set.columns();
            return nb::make_tuple(found.log_z, numpy(std::move(found.counts)),
                                  numpy(std::move(found.each), {rows, set.columns()}));
          },
          nb::arg("weights").noconvert(), nb::arg("scale"), nb::arg("only").noconvert(),
          nb::arg("threads"), "log Z, counts, counts of each forest")
      .def(
          "slope",
          [](const learn::RiskSet& set, Input<double> gain, double temperature, unsigned threads) {
            learn::Slope found =
                unlocked([&] { return set.slope(span_of(gain), temperature, threads); });
            return nb::make_tuple(found.value, numpy(std::move(found.gradient)),
                                  found.scale_gradient);
          },
          nb::arg("gain").noconvert(), nb::arg("temperature"), nb::arg("threads"),
          "Value, gradient and derivative by the scale, at the weights of expect")
      .def(
          "expected_features",
          [](const learn::RiskSet& set, unsigned threads) {
            return numpy(unlocked([&] { return set.expected_features(threads); }));
          },
          nb::arg("threads"));
}

}  // namespace demotic::bind
