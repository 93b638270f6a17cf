#include <nanobind/stl/array.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include "bind/arrays.h"
#include "bind/counters.h"
#include "bind/decode.h"
#include "decode/umt/decoder.h"

namespace demotic::bind {

namespace {

using Vector = Input<double>;

decode::umt::Cff cff_by_name(const std::string& name) {
  if (name == "raw") return decode::umt::Cff::raw;
  if (name == "delta") return decode::umt::Cff::delta;
  if (name == "off") return decode::umt::Cff::off;
  throw io::Error(io::Fault::argument, "there is no cff '" + name + "'", 0, "raw, delta or off");
}

decode::umt::Turn turn_by_name(const std::string& name) {
  if (name == "score") return decode::umt::Turn::score;
  if (name == "margin") return decode::umt::Turn::margin;
  if (name == "age") return decode::umt::Turn::age;
  throw io::Error(io::Fault::argument, "there is no turn '" + name + "'", 0,
                  "score, margin or age");
}

decode::umt::BoundKind bounds_by_name(const std::string& name) {
  if (name == "local") return decode::umt::BoundKind::local;
  if (name == "words") return decode::umt::BoundKind::words;
  if (name == "chart") return decode::umt::BoundKind::chart;
  throw io::Error(io::Fault::argument, "there are no bounds '" + name + "'", 0,
                  "local, words or chart");
}

const char* name_of(decode::umt::ActionKind kind) {
  constexpr const char* kNames[] = {"start", "down", "up"};
  return kNames[static_cast<size_t>(kind)];
}

// (kind, step, slot, choices, score, features)
nb::list actions_of(const decode::umt::UndirectedDerivation& derivation) {
  nb::list actions;
  const size_t width = derivation.actions.empty()
                           ? 0
                           : derivation.action_features.size() / derivation.actions.size();
  for (size_t i = 0; i < derivation.actions.size(); ++i) {
    const decode::umt::GrowthAction& action = derivation.actions[i];
    const auto features = std::span(derivation.action_features).subspan(i * width, width);
    actions.append(nb::make_tuple(name_of(action.kind), action.step, action.slot, action.choices,
                                  action.score,
                                  std::vector<double>(features.begin(), features.end())));
  }
  return actions;
}

// (tokens, turns, steps, action, features, sparse ids, sparse values)
nb::tuple tuple_of(decode::umt::Rollout rollout) {
  return nb::make_tuple(words_of(rollout.tokens), numpy(std::move(rollout.turns)), rollout.steps,
                        numpy(std::move(rollout.action)), numpy(std::move(rollout.features)),
                        numpy(std::move(rollout.sparse_ids)),
                        numpy(std::move(rollout.sparse_values)));
}

// (state, steps, choices, rank, taken, alternative)
nb::tuple tuple_of(decode::umt::EpisodeSample sample) {
  return nb::make_tuple(sample.state, sample.steps, sample.choices, sample.rank,
                        tuple_of(std::move(sample.taken)), tuple_of(std::move(sample.alternative)));
}

void episodes(nb::class_<decode::umt::UndirectedDecoder>& decoder) {
  decoder
      .def(
          "episode",
          [](decode::umt::UndirectedDecoder& d, const decode::Tokens& tokens) {
            const nb::gil_scoped_release unlocked;
            return d.episode(tokens);
          },
          nb::arg("tokens"))
      .def(
          "roll_out",
          [](decode::umt::UndirectedDecoder& d, const decode::umt::Episode& episode, Vector weights,
             Vector sparse) {
            decode::umt::Rollout made;
            {
              const nb::gil_scoped_release unlocked;
              made = d.roll_out(episode, {span_of(weights), span_of(sparse)});
            }
            return tuple_of(std::move(made));
          },
          nb::arg("episode"), nb::arg("weights"), nb::arg("sparse"))
      .def(
          "sample",
          [](decode::umt::UndirectedDecoder& d, const decode::umt::Episode& episode, Vector weights,
             const std::vector<std::array<double, 2>>& draws, double exponent, Vector sparse) {
            std::vector<decode::umt::EpisodeSample> samples;
            {
              const nb::gil_scoped_release unlocked;
              samples = d.sample(episode, {span_of(weights), span_of(sparse)}, draws, exponent);
            }
            nb::list list;
            for (decode::umt::EpisodeSample& sample : samples)
              list.append(tuple_of(std::move(sample)));
            return list;
          },
          nb::arg("episode"), nb::arg("weights"), nb::arg("draws"), nb::arg("exponent"),
          nb::arg("sparse"))
      .def(
          "alternative",
          [](decode::umt::UndirectedDecoder& d, const decode::umt::Episode& episode, Vector weights,
             uint32_t state, uint64_t rank, Vector sparse) {
            decode::umt::EpisodeSample sample;
            {
              const nb::gil_scoped_release unlocked;
              sample = d.alternative(episode, {span_of(weights), span_of(sparse)}, state, rank);
            }
            return tuple_of(std::move(sample));
          },
          nb::arg("episode"), nb::arg("weights"), nb::arg("state"), nb::arg("rank"),
          nb::arg("sparse"));
}

void decoder(nb::module_& m) {
  auto decoder =
      nb::class_<decode::umt::UndirectedDecoder>(m, "UndirectedDecoder",
                                                 "See demotic.decode.UndirectedDecoder")
          .def(
              "__init__",
              [](decode::umt::UndirectedDecoder* self, const grammar::RuleTable& table,
                 const lm::Model* lm, const std::vector<double>& weights,
                 const SparseWeights* sparse_rules, Vector sparse, double kappa,
                 const std::string& cff, const std::string& turn, const std::string& argmax,
                 const std::string& bounds, bool lookahead, bool stale_queue, uint32_t restarts,
                 uint32_t repairs, uint32_t repair_width, uint32_t beam, uint32_t span_limit,
                 uint64_t max_edges, const std::string& glue, const std::string& goal,
                 const std::string& default_category, uint32_t sparse_bits) {
                const nb::gil_scoped_release unlocked;
                new (self) decode::umt::UndirectedDecoder(
                    table, lm, weights_of(weights, sparse_rules),
                    {sparse.data(), sparse.data() + sparse.size()},
                    parse_options(span_limit, max_edges, glue, goal, default_category),
                    {.kappa = kappa,
                     .cff = cff_by_name(cff),
                     .turn = turn_by_name(turn),
                     .lazy = !is_eager(argmax),
                     .bounds = bounds_by_name(bounds),
                     .lookahead = lookahead,
                     .stale_queue = stale_queue,
                     .restarts = restarts,
                     .repairs = repairs,
                     .repair_width = repair_width,
                     .beam = beam,
                     .sparse_bits = sparse_bits});
              },
              nb::arg("table"), nb::arg("lm").none(), nb::arg("weights"),
              nb::arg("sparse_rules").none(), nb::arg("sparse"), nb::arg("kappa"), nb::arg("cff"),
              nb::arg("turn"), nb::arg("argmax"), nb::arg("bounds"), nb::arg("lookahead"),
              nb::arg("stale_queue"), nb::arg("restarts"), nb::arg("repairs"),
              nb::arg("repair_width"), nb::arg("beam"), nb::arg("span_limit"), nb::arg("max_edges"),
              nb::arg("glue"), nb::arg("goal"), nb::arg("default_category"), nb::arg("sparse_bits"),
              nb::keep_alive<1, 2>(), nb::keep_alive<1, 3>())
          .def_prop_ro("labels",
                       [](const decode::umt::UndirectedDecoder& d) { return d.plan().labels(); })
          .def(
              "kbest",
              [](decode::umt::UndirectedDecoder& d, const std::vector<decode::Tokens>& sentences,
                 size_t k, bool unique, unsigned threads, uint64_t seed, double temperature,
                 uint32_t width, uint32_t rollouts) {
                const nb::gil_scoped_release unlocked;
                return d.kbest(sentences, k,
                               {.seed = seed,
                                .temperature = temperature,
                                .width = width,
                                .rollouts = rollouts,
                                .unique = unique},
                               threads);
              },
              nb::arg("sentences"), nb::arg("k"), nb::arg("unique"), nb::arg("threads"),
              nb::arg("seed") = 1, nb::arg("temperature") = 1.0, nb::arg("width") = 8,
              nb::arg("rollouts") = 0);
  bind_decode(decoder);
  episodes(decoder);
}

}  // namespace

void undirected(nb::module_& m) {
  nb::class_<decode::umt::UndirectedDerivation, decode::Derivation>(
      m, "UndirectedDerivation", "See demotic.decode.UndirectedDerivation")
      .def_prop_ro("actions", &actions_of);
  nb::class_<decode::umt::Episode>(m, "UndirectedEpisode", "See demotic.decode.UndirectedEpisode")
      .def_prop_ro("bytes", &decode::umt::Episode::bytes);
  bind_counters<decode::umt::UndirectedCounters>(m, "UndirectedCounters",
                                                 "See demotic.decode.UndirectedCounters");
  decoder(m);
  m.def("undirected_feature_names", &decode::umt::undirected_feature_names, nb::arg("table"));
}

}  // namespace demotic::bind
