#include <nanobind/stl/optional.h>
#include <nanobind/stl/vector.h>

#include <optional>

#include "bind/counters.h"
#include "bind/decode.h"
#include "decode/phrase/decoder.h"
#include "decode/phrase/derivation.h"
#include "io/error.h"

namespace demotic::bind {

namespace {

bool is_cube(const std::string& search) {
  if (search != "cube" && search != "stack")
    throw io::Error(io::Fault::argument, "there is no search '" + search + "'", 0, "cube or stack");
  return search == "cube";
}

void decoder(nb::module_& m) {
  nb::class_<decode::phrase::PhraseDecoder> bound(m, "PhraseDecoder",
                                                  "See demotic.decode.PhraseDecoder");
  bound
      .def(
          "__init__",
          [](decode::phrase::PhraseDecoder* self, const grammar::RuleTable& table,
             const lm::Model* lm, const std::vector<double>& weights,
             const SparseWeights* sparse_rules, const FurtherModels& further,
             const grammar::WordChoices* classifiers, const std::string& search, uint32_t pops,
             uint32_t stack, double threshold, std::optional<uint32_t> distortion_limit,
             uint32_t table_limit, bool reordering, uint64_t max_hypotheses) {
            const decode::phrase::PhraseSearchOptions options{
                .cube = is_cube(search),
                .pops = pops,
                .stack = stack,
                .threshold = threshold,
                .distortion_limit =
                    distortion_limit.value_or(decode::phrase::PhraseSearchOptions::kNoLimit),
                .table_limit = table_limit,
                .max_hypotheses = max_hypotheses};
            const nb::gil_scoped_release unlocked;
            new (self)
                decode::phrase::PhraseDecoder(table, lm, weights_of(weights, sparse_rules), options,
                                              reordering, further_of(further), classifiers);
          },
          nb::arg("table"), nb::arg("lm").none(), nb::arg("weights"),
          nb::arg("sparse_rules").none(), nb::arg("further"), nb::arg("classifiers").none(),
          nb::arg("search"), nb::arg("pops"), nb::arg("stack"), nb::arg("threshold"),
          nb::arg("distortion_limit").none(), nb::arg("table_limit"), nb::arg("reordering"),
          nb::arg("max_hypotheses"), nb::keep_alive<1, 2>(), nb::keep_alive<1, 3>())
      .def_prop_ro(
          "labels",
          [](const decode::phrase::PhraseDecoder&) { return decode::phrase::phrase_labels(); })
      .def("future_cost", &decode::phrase::PhraseDecoder::future_cost, nb::arg("sentence"),
           nb::arg("begin"), nb::arg("end"));
  bind_decode(bound);
  bind_lists(bound);
  bind_batch(bound, "forests", &decode::phrase::PhraseDecoder::forests);
}

}  // namespace

void phrase(nb::module_& m) {
  bind_counters<decode::phrase::PhraseCounters>(m, "PhraseCounters",
                                                "See demotic.decode.PhraseCounters");
  decoder(m);
  m.def(
      "phrase_feature_names",
      [](const grammar::RuleTable& table, const std::vector<std::string>& further,
         bool classifiers) {
        return decode::phrase::PhraseModel::feature_names(table, further, classifiers);
      },
      nb::arg("table"), nb::arg("further"), nb::arg("classifiers"));
}

}  // namespace demotic::bind
