#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <optional>

#include "bind/decode.h"
#include "decode/phrase_decoder.h"
#include "decode/phrase_derivation.h"
#include "io/error.h"

namespace demotic::bind {

namespace {

bool is_cube(const std::string& search) {
  if (search != "cube" && search != "stack")
    throw Error(Fault::argument, "there is no search '" + search + "'", 0, "cube or stack");
  return search == "cube";
}

void counters(nb::module_& m) {
  nb::class_<PhraseCounters>(m, "PhraseCounters", "See demotic.decode.PhraseCounters")
      .def_ro("sentences", &PhraseCounters::sentences)
      .def_ro("shortened", &PhraseCounters::shortened)
      .def_prop_ro("options", [](const PhraseCounters& c) { return c.search.options; })
      .def_prop_ro("grids", [](const PhraseCounters& c) { return c.search.grids; })
      .def_prop_ro("pops", [](const PhraseCounters& c) { return c.search.pops; })
      .def_prop_ro("discarded", [](const PhraseCounters& c) { return c.search.discarded; })
      .def_prop_ro("hypotheses", [](const PhraseCounters& c) { return c.search.hypotheses; })
      .def_prop_ro("recombined", [](const PhraseCounters& c) { return c.search.recombined; })
      .def_ro("option_seconds", &PhraseCounters::option_seconds)
      .def_ro("search_seconds", &PhraseCounters::search_seconds);
}

void decoder(nb::module_& m) {
  nb::class_<PhraseDecoder> bound(m, "PhraseDecoder", "See demotic.decode.PhraseDecoder");
  bound
      .def(
          "__init__",
          [](PhraseDecoder* self, const RuleTable& table, const Model* lm,
             const std::vector<double>& weights, const std::string& search, uint32_t pops,
             uint32_t stack, double threshold, std::optional<uint32_t> distortion_limit,
             uint32_t table_limit, bool reordering, uint64_t max_hypotheses) {
            const PhraseSearchOptions options{
                .cube = is_cube(search),
                .pops = pops,
                .stack = stack,
                .threshold = threshold,
                .distortion_limit = distortion_limit.value_or(PhraseSearchOptions::kNoLimit),
                .table_limit = table_limit,
                .max_hypotheses = max_hypotheses};
            new (self) PhraseDecoder(table, lm, weights, options, reordering);
          },
          nb::arg("table"), nb::arg("lm").none(), nb::arg("weights"), nb::arg("search"),
          nb::arg("pops"), nb::arg("stack"), nb::arg("threshold"),
          nb::arg("distortion_limit").none(), nb::arg("table_limit"), nb::arg("reordering"),
          nb::arg("max_hypotheses"), nb::keep_alive<1, 2>(), nb::keep_alive<1, 3>())
      .def_prop_ro("labels", [](const PhraseDecoder&) { return phrase_labels(); })
      .def("future_cost", &PhraseDecoder::future_cost, nb::arg("sentence"), nb::arg("begin"),
           nb::arg("end"));
  bind_decode(bound);
  bind_kbest(bound);
  bind_batch(bound, "forests", &PhraseDecoder::forests);
}

}  // namespace

void phrase(nb::module_& m) {
  counters(m);
  decoder(m);
  m.def("phrase_feature_names", &PhraseModel::feature_names, nb::arg("table"));
}

}  // namespace demotic::bind
