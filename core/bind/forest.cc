#include <nanobind/stl/optional.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/vector.h>

#include <cmath>
#include <optional>
#include <string>

#include "bind/arrays.h"
#include "bind/features.h"
#include "bind/forest_parts.h"
#include "forest/context.h"
#include "forest/derivation.h"
#include "forest/feature_map.h"
#include "forest/forest_file.h"
#include "forest/ngrams.h"
#include "forest/posterior.h"
#include "forest/prune.h"
#include "forest/restrict.h"

namespace demotic::bind {

namespace {

nb::tuple ngrams(const forest::Forest& f, uint32_t min_order, uint32_t max_order, bool posterior,
                 unsigned threads) {
  forest::NgramTable table;
  std::vector<double> values;
  {
    const nb::gil_scoped_release unlocked;
    table = forest::ngram_table(f, min_order, max_order);
    values = posterior ? forest::ngram_posteriors(f, f.score, table, threads)
                       : forest::expected_counts(table, posteriors(f, f.score).edge);
  }
  return nb::make_tuple(numpy(std::move(table.word_off)), numpy(std::move(table.words)),
                        numpy(std::move(values)));
}

void changes(nb::class_<forest::Forest>& c) {
  c.def(
       "with_score",
       [](const forest::Forest& f, Input<double> v) {
         return unlocked([&] { return f.with_score(copy_of(v)); });
       },
       nb::arg("score").noconvert())
      .def(
          "with_loss",
          [](const forest::Forest& f, Input<float> v) {
            return unlocked([&] { return f.with_loss(copy_of(v)); });
          },
          nb::arg("loss").noconvert())
      .def(
          "edge_scores",
          [](const forest::Forest& f, Input<double> w) {
            return numpy(unlocked([&] { return forest::edge_scores(f, span_of(w)); }));
          },
          nb::arg("weights").noconvert())
      .def(
          "keep",
          [](const forest::Forest& f, Input<bool> keep) {
            forest::Provenance provenance;
            forest::Forest result = unlocked([&] {
              const std::vector<char> flags(keep.data(), keep.data() + keep.shape(0));
              return forest::keep_edges(f, flags, &provenance);
            });
            return nb::make_tuple(std::move(result), numpy(std::move(provenance.node)),
                                  numpy(std::move(provenance.edge)));
          },
          nb::arg("keep").noconvert())
      .def("compact", &forest::compact, Unlocked())
      .def(
          "in_space",
          [](const forest::Forest& f, std::shared_ptr<features::FeatureSpace> space) {
            return forest::in_space(f, std::move(space));
          },
          nb::arg("space"), Unlocked())
      .def("refine", &forest::refine, nb::arg("width"), nb::arg("max_nodes"), Unlocked())
      .def(
          "restrict",
          [](const forest::Forest& f, const std::vector<int32_t>& words) {
            const nb::gil_scoped_release unlocked;
            forest::Forest result;
            return forest::restrict_to(f, words, result) ? std::optional(std::move(result))
                                                         : std::nullopt;
          },
          nb::arg("words"))
      .def("save", &forest::save, nb::arg("path"), Unlocked())
      .def_static("load", &forest::load, nb::arg("path"), Unlocked());
}

void queries(nb::class_<forest::Forest>& c) {
  c.def("posteriors",
        [](const forest::Forest& f) {
          forest::Posteriors p;
          {
            const nb::gil_scoped_release unlocked;
            p = posteriors(f, f.score);
          }
          return nb::make_tuple(p.log_z, numpy(std::move(p.edge)), numpy(std::move(p.node)));
        })
      .def("log_z",
           [](const forest::Forest& f) {
             const nb::gil_scoped_release unlocked;
             forest::LogInside in;
             forest::log_inside(f, f.score, in);
             return in.beta[f.root()];
           })
      .def("expected_features",
           [](const forest::Forest& f) {
             return numpy(unlocked(
                 [&] { return forest::expected_features(f, posteriors(f, f.score).edge); }));
           })
      .def(
          "entropy", [](const forest::Forest& f) { return forest::entropy(f, f.score); },
          Unlocked())
      .def("deficits",
           [](const forest::Forest& f) {
             return numpy(unlocked([&] { return forest::deficits(f, f.score); }));
           })
      .def(
          "best",
          [](const forest::Forest& f, Input<double> score) {
            if (score.shape(0) != f.edges())
              throw io::Error(io::Fault::argument, "needs one value per edge");
            for (size_t e = 0; e < score.shape(0); ++e)
              if (!std::isfinite(score.data()[e]))
                throw io::Error(io::Fault::argument,
                                "edge " + std::to_string(e) + ": its value is not finite");
            double value = 0.0;
            forest::Derivation d =
                unlocked([&] { return forest::viterbi(f, span_of(score), &value); });
            return nb::make_tuple(value, numpy(std::move(d)));
          },
          nb::arg("score").noconvert())
      .def(
          "words_of",
          [](const forest::Forest& f, Input<uint32_t> d, bool target) {
            return unlocked([&] {
              return forest::yield(f, span_of(d),
                                   target ? forest::Side::target : forest::Side::source);
            });
          },
          nb::arg("derivation").noconvert(), nb::arg("target"))
      .def(
          "children",
          [](const forest::Forest& f, Input<uint32_t> d) {
            return unlocked([&] { return children(f, span_of(d), f.root()); });
          },
          nb::arg("derivation").noconvert())
      .def("ngrams", &ngrams, nb::arg("min_order"), nb::arg("max_order"), nb::arg("posterior"),
           nb::arg("threads"))
      .def(
          "ngram_gain",
          [](const forest::Forest& f, const std::vector<std::vector<int32_t>>& references,
             const std::vector<double>& weights) {
            return numpy(unlocked([&] { return forest::ngram_gain(f, references, weights); }));
          },
          nb::arg("references"), nb::arg("weights"))
      .def(
          "ngram_counts",
          [](const forest::Forest& f, const std::vector<std::vector<int32_t>>& references,
             uint32_t order) {
            const size_t edges = f.edges();
            std::vector<float> counts =
                unlocked([&] { return forest::ngram_counts(f, references, order); });
            return numpy(std::move(counts), {edges, size_t{order} + 1});
          },
          nb::arg("references"), nb::arg("order"));
}

}  // namespace

void forest(nb::module_& m) {
  nb::class_<forest::Forest> c(m, "Forest", "A packed forest; see demotic.forest.Forest");
  forest_arrays(c);
  changes(c);
  forest_sums(c);
  queries(c);
  forest_build(m);
  forest_many(m);
}

}  // namespace demotic::bind
