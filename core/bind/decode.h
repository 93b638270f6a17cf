// Arguments and results that the bindings of several decoders share.
#pragma once

#include <nanobind/stl/pair.h>
#include <nanobind/stl/vector.h>

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "bind/bind.h"
#include "decode/context_free_forest.h"
#include "decode/scored_grammar.h"
#include "decode/sentence_decoder.h"

// Words, and the limits of reordering where a sentence brings some (demotic.decode.Bounded).
template <>
struct nanobind::detail::type_caster<demotic::decode::Tokens> {
  NB_TYPE_CASTER(demotic::decode::Tokens, const_name("collections.abc.Sequence[str]"))

  bool from_python(handle source, uint8_t flags, cleanup_list* cleanup) noexcept {
    make_caster<std::vector<std::string>> words;
    if (!words.from_python(source, flags, cleanup)) return false;
    static_cast<std::vector<std::string>&>(value) = std::move(words.value);
    if (PyList_CheckExact(source.ptr()) || !hasattr(source, "zones")) return true;
    make_caster<std::vector<std::pair<uint32_t, uint32_t>>> zones;
    make_caster<std::vector<uint32_t>> walls;
    if (!zones.from_python(getattr(source, "zones", none()), flags, cleanup) ||
        !walls.from_python(getattr(source, "walls", none()), flags, cleanup))
      return false;
    for (const auto& [begin, end] : zones.value) value.limits.zones.push_back({begin, end});
    value.limits.walls = std::move(walls.value);
    return true;
  }
};

namespace demotic::bind {

decode::ParseOptions parse_options(uint32_t span_limit, uint64_t max_edges, const std::string& glue,
                                   const std::string& goal, const std::string& default_category);
bool is_eager(const std::string& name);  // or lazy

// Weights of a table's sparse features, for any number of decoders.
struct SparseWeights {
  std::shared_ptr<const std::vector<double>> by_id;
};
inline decode::GrammarWeights weights_of(const std::vector<double>& dense,
                                         const SparseWeights* sparse) {
  return {dense, sparse == nullptr ? nullptr : sparse->by_id};
}

// Language models beside the first, as a tuple of theirs has them.
using FurtherModels = std::vector<const lm::FurtherModel*>;
std::vector<lm::FurtherModel> further_of(const FurtherModels& models);

nb::list words_of(std::span<const std::string> words);

// A method that works on sentences without the interpreter's lock.
template <class Decoder, class Method>
void bind_batch(nb::class_<Decoder>& bound, const char* name, Method method) {
  bound.def(
      name,
      [method](Decoder& decoder, const std::vector<decode::Tokens>& sentences, unsigned threads) {
        const nb::gil_scoped_release unlocked;
        return (decoder.*method)(sentences, threads);
      },
      nb::arg("sentences"), nb::arg("threads"));
}

// What it did, and the best derivation of each sentence.
template <class Decoder>
void bind_decode(nb::class_<Decoder>& bound) {
  bound.def_prop_ro("counters", [](const Decoder& decoder) { return decoder.counters(); })
      .def("reset_counters", [](Decoder& decoder) { decoder.reset_counters(); });
  bind_batch(bound, "decode", &Decoder::decode);
}

// Lists of derivations of each sentence: the best ones, or those of a consensus after the best one.
template <class Decoder>
void bind_lists(nb::class_<Decoder>& bound) {
  bound.def(
      "kbest",
      [](Decoder& decoder, const std::vector<decode::Tokens>& sentences, size_t k, bool unique,
         unsigned threads) {
        const nb::gil_scoped_release unlocked;
        return decoder.lists(sentences, decode::best_listed(k, unique), threads);
      },
      nb::arg("sentences"), nb::arg("k"), nb::arg("unique"), nb::arg("threads"));
  bound.def(
      "consensus",
      [](Decoder& decoder, const std::vector<decode::Tokens>& sentences, size_t k, double scale,
         const std::vector<double>& weights, double model, size_t density, unsigned threads) {
        const nb::gil_scoped_release unlocked;
        return decoder.lists(
            sentences,
            decode::consensus_listed(
                {.scale = scale, .weights = weights, .model = model, .density = density}, k),
            threads);
      },
      nb::arg("sentences"), nb::arg("k"), nb::arg("scale"), nb::arg("weights"), nb::arg("model"),
      nb::arg("density"), nb::arg("threads"));
}

}  // namespace demotic::bind
