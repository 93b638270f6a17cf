#include <nanobind/stl/array.h>
#include <nanobind/stl/vector.h>

#include <limits>

#include "bind/counters.h"
#include "bind/decode.h"
#include "decode/blocks/decoder.h"
#include "io/error.h"

namespace demotic::bind {

namespace {

using Sentences = std::vector<decode::Tokens>;

}  // namespace

void block_decoder(nb::module_& m) {
  bind_counters<decode::blocks::BlockCounters>(m, "BlockCounters",
                                               "See demotic.decode.BlockCounters");

  nb::class_<decode::blocks::BlockOracle>(m, "BlockOracle", "See demotic.decode.BlockOracle")
      .def_ro("first", &decode::blocks::BlockOracle::first)
      .def_ro("best", &decode::blocks::BlockOracle::best)
      .def_ro("listed", &decode::blocks::BlockOracle::listed);

  nb::class_<decode::blocks::BlockDecoder> bound(m, "BlockDecoder",
                                                 "See demotic.decode.BlockDecoder");
  bound
      .def(
          "__init__",
          [](decode::blocks::BlockDecoder* self, const grammar::BlockTable& table,
             const lm::Model* lm, const grammar::BlockPairs& pairs,
             const std::vector<double>& weights, bool swap, uint32_t alternatives,
             uint32_t min_left, bool z_alternatives, bool start, double smoothing,
             const std::string& unigram, uint64_t beam, double delta, uint64_t max_nodes) {
            const nb::gil_scoped_release unlocked;
            new (self) decode::blocks::BlockDecoder(
                table, lm, pairs, weights,
                {.reorder =
                     swap ? decode::blocks::Reorder::swap : decode::blocks::Reorder::monotone,
                 .alternatives = alternatives,
                 .min_left = min_left,
                 .partition = z_alternatives ? decode::blocks::Partition::alternatives
                                             : decode::blocks::Partition::half,
                 .boundary = start ? grammar::Boundary::start : grammar::Boundary::neutral,
                 .smoothing = smoothing,
                 .unigram = grammar::unigram_cost(unigram),
                 .beam = beam == 0 ? std::numeric_limits<uint64_t>::max() : beam,
                 .delta = delta,
                 .max_nodes = max_nodes});
          },
          nb::arg("table"), nb::arg("lm").none(), nb::arg("pairs"), nb::arg("weights"),
          nb::arg("swap"), nb::arg("alternatives"), nb::arg("min_left"), nb::arg("z_alternatives"),
          nb::arg("start"), nb::arg("smoothing"), nb::arg("unigram"), nb::arg("beam"),
          nb::arg("delta"), nb::arg("max_nodes"), nb::keep_alive<1, 2>(), nb::keep_alive<1, 3>(),
          nb::keep_alive<1, 4>())
      .def_prop_ro("labels", [](const decode::blocks::BlockDecoder&) {
        return decode::blocks::block_labels();
      });
  bind_decode(bound);
  bind_lists(bound);
  bound
      .def(
          "forests",
          [](decode::blocks::BlockDecoder& d, const Sentences& sentences, unsigned threads,
             bool pairs) {
            const nb::gil_scoped_release unlocked;
            return d.forests(sentences, pairs, threads);
          },
          nb::arg("sentences"), nb::arg("threads"), nb::arg("pairs") = false)
      .def(
          "oracles",
          [](decode::blocks::BlockDecoder& d, const Sentences& sentences,
             const std::vector<std::vector<std::string>>& references, size_t k, unsigned threads) {
            const nb::gil_scoped_release unlocked;
            return d.oracles(sentences, references, k, threads);
          },
          nb::arg("sentences"), nb::arg("references"), nb::arg("k"), nb::arg("threads"));
  m.def("block_feature_names", &decode::blocks::BlockModel::feature_names);
}

}  // namespace demotic::bind
