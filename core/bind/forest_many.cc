#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include <memory>

#include "bind/arrays.h"
#include "bind/features.h"
#include "bind/forest_parts.h"
#include "forest/consensus.h"
#include "forest/derivation.h"
#include "forest/envelope.h"
#include "forest/feature_map.h"
#include "forest/fold.h"
#include "forest/hold.h"
#include "forest/inside_outside.h"
#include "forest/kbest.h"
#include "forest/prune.h"
#include "forest/risk.h"
#include "forest/sample.h"
#include "forest/unite.h"
#include "parallel.h"

namespace demotic::bind {

namespace {

// Several derivations as one array and its borders.
nb::tuple packed(const std::vector<forest::Derivation>& derivations) {
  std::vector<uint32_t> off{0}, edges;
  for (const forest::Derivation& d : derivations) {
    edges.insert(edges.end(), d.begin(), d.end());
    off.push_back(static_cast<uint32_t>(edges.size()));
  }
  return nb::make_tuple(numpy(std::move(off)), numpy(std::move(edges)));
}

nb::list kbest_lists(const std::vector<forest::Forest>& forests,
                     const forest::KBestOptions& options, unsigned threads) {
  struct Result {
    std::vector<double> score;
    std::vector<forest::Derivation> derivations;
    bool truncated = false;
  };
  std::vector<Result> results(forests.size());
  {
    const nb::gil_scoped_release unlocked;
    parallel_for(forests.size(), threads, [&](size_t i, unsigned) {
      forest::KBest best(forests[i], forests[i].score, options);
      for (size_t rank = 0; best.reach(rank); ++rank) {
        results[i].score.push_back(best.score(rank));
        results[i].derivations.push_back(best.derivation(rank));
      }
      results[i].truncated = best.truncated();
    });
  }
  nb::list lists;
  for (Result& r : results) {
    const nb::tuple pack = packed(r.derivations);
    lists.append(nb::make_tuple(numpy(std::move(r.score)), pack[0], pack[1], r.truncated));
  }
  return lists;
}

// Of each forest: gains and derivations, that of the best score first, then those chosen.
nb::list consensus_lists(const std::vector<forest::Forest>& forests, size_t k,
                         const forest::ConsensusOptions& options, unsigned threads) {
  std::vector<forest::Consensus> results(forests.size());
  {
    const nb::gil_scoped_release unlocked;
    parallel_for(forests.size(), threads, [&](size_t i, unsigned) {
      results[i] = forest::consensus(forests[i], options, k);
    });
  }
  nb::list lists;
  for (const forest::Consensus& r : results) {
    std::vector<double> gain{r.own.gain};
    std::vector<forest::Derivation> derivations{r.own.edges};
    for (const forest::Choice& choice : r.best) {
      gain.push_back(choice.gain);
      derivations.push_back(choice.edges);
    }
    const nb::tuple pack = packed(derivations);
    lists.append(nb::make_tuple(numpy(std::move(gain)), pack[0], pack[1]));
  }
  return lists;
}

nb::list sample_lists(const std::vector<forest::Forest>& forests, size_t count, uint64_t seed,
                      uint64_t first_stream, unsigned threads) {
  std::vector<std::vector<forest::Derivation>> results(forests.size());
  {
    const nb::gil_scoped_release unlocked;
    parallel_for(forests.size(), threads, [&](size_t i, unsigned) {
      results[i] = sample(forests[i], forests[i].score, count, seed, first_stream + i);
    });
  }
  nb::list lists;
  for (const std::vector<forest::Derivation>& r : results) lists.append(packed(r));
  return lists;
}

std::vector<forest::Forest> transformed(const std::vector<forest::Forest>& forests,
                                        unsigned threads, const auto& change) {
  const nb::gil_scoped_release unlocked;
  std::vector<forest::Forest> results(forests.size());
  parallel_for(forests.size(), threads,
               [&](size_t i, unsigned) { results[i] = change(forests[i]); });
  return results;
}

nb::tuple risk_of(const std::vector<forest::Forest>& forests, const Input<double>& weights,
                  double scale, double temperature, unsigned threads) {
  std::vector<const forest::Forest*> pointers;
  for (const forest::Forest& f : forests) pointers.push_back(&f);
  forest::Risk result;
  {
    const nb::gil_scoped_release unlocked;
    result = forest::risk(pointers, span_of(weights),
                          {.scale = scale, .temperature = temperature, .threads = threads});
  }
  return nb::make_tuple(result.value, result.expected_loss, numpy(std::move(result.gradient)),
                        result.scale_gradient);
}

// The upper envelope of a forest with the derivations behind its lines.
struct LineSearch {
  std::unique_ptr<forest::Lines> lines;
  forest::Envelope root;

  std::vector<double> each(double forest::Line::* member) const {
    std::vector<double> values;
    for (const forest::Line& line : root.lines()) values.push_back(line.*member);
    return values;
  }
};

std::vector<std::unique_ptr<LineSearch>> envelopes(const std::vector<forest::Forest>& forests,
                                                   const Input<double>& weights,
                                                   const Input<double>& direction,
                                                   size_t max_segments, unsigned threads,
                                                   bool by_semiring) {
  std::vector<std::unique_ptr<LineSearch>> results(forests.size());
  const nb::gil_scoped_release unlocked;
  parallel_for(forests.size(), threads, [&](size_t i, unsigned) {
    const forest::Forest& f = forests[i];
    const std::vector<double> intercept = forest::edge_scores(f, span_of(weights));
    const std::vector<double> slope = forest::edge_scores(f, span_of(direction));
    results[i] = std::make_unique<LineSearch>();
    results[i]->lines = std::make_unique<forest::Lines>(max_segments);
    forest::Lines& lines = *results[i]->lines;
    if (by_semiring) {  // the definition, for tests
      std::vector<forest::Envelope> beta(f.nodes());
      inside<forest::Envelope>(
          f, [&](uint32_t e) { return lines.edge(e, slope[e], intercept[e]); }, beta);
      results[i]->root = std::move(beta[f.root()]);
    } else {
      results[i]->root = forest::envelope_inside(f, slope, intercept, lines);
    }
  });
  return results;
}

}  // namespace

void forest_many(nb::module_& m) {
  nb::class_<LineSearch>(m, "LineSearch", "An upper envelope; see demotic.forest.Envelope")
      .def("slope", [](const LineSearch& s) { return numpy(s.each(&forest::Line::slope)); })
      .def("intercept", [](const LineSearch& s) { return numpy(s.each(&forest::Line::intercept)); })
      .def("start", [](const LineSearch& s) { return numpy(s.each(&forest::Line::from)); })
      .def_prop_ro("truncated", [](const LineSearch& s) { return s.lines->truncated(); })
      .def_prop_ro("most", [](const LineSearch& s) { return s.lines->most(); })
      .def(
          "derivation",
          [](const LineSearch& s, size_t i) {
            return numpy(s.lines->derivation(s.root.lines().at(i).origin));
          },
          nb::arg("index"));
  m.def(
      "forest_unite",
      [](const std::vector<forest::Forest>& forests) {
        std::vector<const forest::Forest*> pointers;
        for (const forest::Forest& f : forests) pointers.push_back(&f);
        return forest::unite(pointers);
      },
      nb::arg("forests"), Unlocked());
  m.def("forest_fold", &forest::fold, nb::arg("forest"), Unlocked(),
        "Equal nodes and equal edges as one");
  m.def(
      "forest_joined_space",
      [](const std::vector<forest::Forest>& forests) {
        std::vector<const forest::Forest*> pointers;
        for (const forest::Forest& f : forests) pointers.push_back(&f);
        return shown(forest::joined_space(pointers));
      },
      nb::arg("forests"), Unlocked());
  m.def(
      "forest_kbest",
      [](const std::vector<forest::Forest>& forests, size_t k, bool unique, size_t max_pops,
         unsigned threads) {
        return kbest_lists(forests, {.k = k, .unique = unique, .max_pops = max_pops}, threads);
      },
      nb::arg("forests"), nb::arg("k"), nb::arg("unique"), nb::arg("max_pops"), nb::arg("threads"));
  m.def(
      "forest_consensus",
      [](const std::vector<forest::Forest>& forests, size_t k, double scale,
         const std::vector<double>& weights, double model, size_t density, unsigned threads) {
        return consensus_lists(
            forests, k, {.scale = scale, .weights = weights, .model = model, .density = density},
            threads);
      },
      nb::arg("forests"), nb::arg("k"), nb::arg("scale"), nb::arg("weights"), nb::arg("model"),
      nb::arg("density"), nb::arg("threads"));
  m.def("forest_sample", &sample_lists, nb::arg("forests"), nb::arg("count"), nb::arg("seed"),
        nb::arg("first_stream"), nb::arg("threads"));
  m.def("forest_risk", &risk_of, nb::arg("forests"), nb::arg("weights").noconvert(),
        nb::arg("scale"), nb::arg("temperature"), nb::arg("threads"));
  m.def("forest_envelopes", &envelopes, nb::arg("forests"), nb::arg("weights").noconvert(),
        nb::arg("direction").noconvert(), nb::arg("max_segments"), nb::arg("threads"),
        nb::arg("by_semiring") = false);
  m.def(
      "forest_prune",
      [](const std::vector<forest::Forest>& forests, double threshold, unsigned threads) {
        return transformed(forests, threads,
                           [&](const forest::Forest& f) { return prune(f, f.score, threshold); });
      },
      nb::arg("forests"), nb::arg("threshold"), nb::arg("threads"));
  m.def(
      "forest_prune_to",
      [](const std::vector<forest::Forest>& forests, size_t max_edges, unsigned threads) {
        return transformed(forests, threads, [&](const forest::Forest& f) {
          return forest::prune_to(f, f.score, max_edges);
        });
      },
      nb::arg("forests"), nb::arg("max_edges"), nb::arg("threads"));
  m.def(
      "forest_rescore",
      [](const std::vector<forest::Forest>& forests, Input<double> weights, unsigned threads) {
        return transformed(forests, threads, [&](const forest::Forest& f) {
          return f.with_score(forest::edge_scores(f, span_of(weights)));
        });
      },
      nb::arg("forests"), nb::arg("weights").noconvert(), nb::arg("threads"));
  m.def(
      "forest_hold_sparse",
      [](const std::vector<forest::Forest>& forests,
         const std::shared_ptr<features::FeatureSpace>& space, Input<double> weights,
         unsigned threads) {
        return transformed(forests, threads, [&](const forest::Forest& f) {
          return forest::hold_sparse(f, space, span_of(weights));
        });
      },
      nb::arg("forests"), nb::arg("space"), nb::arg("weights").noconvert(), nb::arg("threads"));
}

}  // namespace demotic::bind
