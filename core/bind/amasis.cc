#include <nanobind/stl/vector.h>

#include "bind/counters.h"
#include "bind/decode.h"
#include "decode/amasis/decoder.h"
#include "decode/amasis/derivation.h"
#include "io/error.h"

namespace demotic::bind {

namespace {

using decode::amasis::AmasisDecoder;

decode::amasis::Order order_by_name(const std::string& name) {
  if (name == "learned") return decode::amasis::Order::learned;
  if (name == "monotone") return decode::amasis::Order::monotone;
  if (name == "all") return decode::amasis::Order::all;
  throw io::Error(io::Fault::argument, "there is no order '" + name + "'", 0,
                  "learned, monotone or all");
}

bool is_forced(const std::string& name) {
  if (name != "join" && name != "forced")
    throw io::Error(io::Fault::argument, "stacks are not closed by '" + name + "'", 0,
                    "join or forced");
  return name == "forced";
}

}  // namespace

void amasis(nb::module_& m) {
  bind_counters<decode::amasis::AmasisCounters>(m, "AmasisCounters",
                                                "See demotic.decode.AmasisCounters");
  nb::class_<AmasisDecoder> bound(m, "AmasisDecoder", "See demotic.decode.AmasisDecoder");
  bound
      .def(
          "__init__",
          [](AmasisDecoder* self, const grammar::RuleTable& table, const lm::Model* lm,
             const grammar::LabelModel* labels, const std::vector<double>& weights,
             const SparseWeights* sparse_rules, const FurtherModels& further,
             const grammar::WordChoices* classifiers, uint32_t beam, uint32_t pops,
             uint32_t table_limit, uint32_t choices, const std::string& order,
             const std::string& close, bool concatenate, uint32_t reductions) {
            const decode::amasis::AmasisSettings settings{
                .beam = beam,
                .pops = pops,
                .table_limit = table_limit,
                .labels = choices,
                .order = order_by_name(order),
                .close =
                    is_forced(close) ? decode::amasis::Close::forced : decode::amasis::Close::join,
                .concatenate = concatenate,
                .reductions = reductions};
            const nb::gil_scoped_release unlocked;
            new (self) AmasisDecoder(table, lm, labels, weights_of(weights, sparse_rules), settings,
                                     further_of(further), classifiers);
          },
          nb::arg("table"), nb::arg("lm").none(), nb::arg("labels").none(), nb::arg("weights"),
          nb::arg("sparse_rules").none(), nb::arg("further"), nb::arg("classifiers").none(),
          nb::arg("beam"), nb::arg("pops"), nb::arg("table_limit"), nb::arg("choices"),
          nb::arg("order"), nb::arg("close"), nb::arg("concatenate"), nb::arg("reductions"),
          nb::keep_alive<1, 2>(), nb::keep_alive<1, 3>(), nb::keep_alive<1, 4>())
      .def_prop_ro("labels", [](const AmasisDecoder&) { return decode::amasis::amasis_labels(); });
  bind_decode(bound);
  bind_lists(bound);
  bind_batch(bound, "forests", &AmasisDecoder::forests);
  m.def(
      "amasis_feature_names",
      [](const grammar::RuleTable& table, const std::vector<std::string>& further,
         bool classifiers) {
        return decode::amasis::AmasisModel::feature_names(table, further, classifiers);
      },
      nb::arg("table"), nb::arg("further"), nb::arg("classifiers"));
}

}  // namespace demotic::bind
