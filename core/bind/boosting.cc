#include "learn/boosting.h"

#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/vector.h>

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "bind/arrays.h"
#include "bind/gains.h"
#include "features/tree_ensembles.h"
#include "features/tree_index.h"
#include "features/tree_scores.h"
#include "io/error.h"
#include "learn/boost_leaf.h"

namespace demotic::bind {

namespace {

using features::TreeEnsembles;
using features::TreesView;

features::TreeQuestions questions(const Input<uint64_t>& ends, const Input<uint32_t>& atoms,
                                  const Input<uint32_t>& firsts, const Input<uint32_t>& counts) {
  return {{span_of(ends), span_of(atoms)}, span_of(firsts), span_of(counts)};
}

std::vector<std::pair<std::vector<uint32_t>, double>> pairs_of(
    const std::vector<features::Compound>& compounds) {
  std::vector<std::pair<std::vector<uint32_t>, double>> all;
  for (const features::Compound& each : compounds) all.push_back({each.literals, each.weight});
  return all;
}

void ensembles(nb::module_& m) {
  nb::class_<TreeEnsembles>(m, "TreeEnsembles", "See demotic.learn.Ensembles")
      .def(nb::init<const std::string&, std::optional<bool>>(), nb::arg("path"),
           nb::arg("verify").none(), Unlocked())
      .def("__len__", [](const TreeEnsembles& all) { return all.view().classifiers(); })
      .def_prop_ro("features", &TreeEnsembles::features)
      .def_prop_ro("trees", [](const TreeEnsembles& all) { return all.view().tree_ends.size(); })
      .def_prop_ro("nodes", [](const TreeEnsembles& all) { return all.view().atoms.size(); })
      .def(
          "save",
          [](const TreeEnsembles& all, const std::string& path) {
            all.view().save(path, all.features());
          },
          nb::arg("path"), Unlocked())
      .def(
          "model_for",
          [](const TreeEnsembles& all, double lambda) {
            return TreeEnsembles(features::model_for(all.view(), lambda), all.features());
          },
          nb::arg("lambda_"), Unlocked())
      .def_static(
          "joined",
          [](const std::vector<const TreeEnsembles*>& parts, const std::vector<uint32_t>& order) {
            return unlocked([&] {
              std::vector<std::pair<const TreeEnsembles*, size_t>> classifiers;
              uint32_t features = 0;
              for (const TreeEnsembles* part : parts) {
                features = std::max(features, part->features());
                for (size_t c = 0; c < part->view().classifiers(); ++c)
                  classifiers.push_back({part, c});
              }
              features::TreeTables made;
              for (const uint32_t c : order) {
                if (c >= classifiers.size())
                  throw io::Error(io::Fault::argument, "there is no such classifier");
                made.add_classifier(classifiers[c].first->view(), classifiers[c].second);
              }
              return TreeEnsembles(std::move(made), features);
            });
          },
          nb::arg("parts"), nb::arg("order"))
      .def_static(
          "blend",
          [](const std::vector<const TreeEnsembles*>& parts, const std::vector<double>& factors) {
            return unlocked([&] {
              std::vector<TreesView> views;
              uint32_t features = 0;
              for (const TreeEnsembles* part : parts) {
                views.push_back(part->view());
                features = std::max(features, part->features());
              }
              return TreeEnsembles(features::blend(views, factors), features);
            });
          },
          nb::arg("parts"), nb::arg("factors"), "Their sum, each times its factor")
      .def(
          "lambdas",
          [](const TreeEnsembles& all, size_t classifier) {
            const TreesView::Range range = all.view().trees(classifier);
            const auto lambdas = all.view().lambdas.subspan(range.begin, range.end - range.begin);
            return numpy(std::vector<double>(lambdas.begin(), lambdas.end()));
          },
          nb::arg("classifier"))
      .def(
          "tree",
          [](const TreeEnsembles& all, size_t classifier, size_t number) {
            const TreesView::Range trees = all.view().trees(classifier);
            if (number >= trees.end - trees.begin)
              throw io::Error(io::Fault::argument, "there is no such tree");
            const TreesView::Range nodes = all.view().nodes(trees.begin + number);
            const auto part = [&](const auto& values) {
              return std::vector(values.begin() + static_cast<ptrdiff_t>(nodes.begin),
                                 values.begin() + static_cast<ptrdiff_t>(nodes.end));
            };
            return nb::make_tuple(part(all.view().atoms), part(all.view().others),
                                  part(all.view().values));
          },
          nb::arg("classifier"), nb::arg("number"))
      .def(
          "compounds",
          [](const TreeEnsembles& all, size_t classifier, double lambda) {
            return pairs_of(
                unlocked([&] { return features::compounds_of(all.view(), classifier, lambda); }));
          },
          nb::arg("classifier"), nb::arg("lambda_"))
      .def(
          "size",
          [](const TreeEnsembles& all, double lambda) {
            size_t sum = 0;
            for (size_t c = 0; c < all.view().classifiers(); ++c)
              sum += features::compounds_of(all.view(), c, lambda).size();
            return sum;
          },
          nb::arg("lambda_"), Unlocked())
      .def(
          "ask",
          [](const TreeEnsembles& all, const Input<uint64_t>& ends, const Input<uint32_t>& atoms) {
            const features::BinaryRowsView rows{span_of(ends), span_of(atoms)};
            return numpy(unlocked([&] {
              rows.check(all.features());
              const features::TreeIndex index(all.view(), all.features());
              features::TreeAsker ask(index);
              const size_t width = all.view().classifiers();
              std::vector<float> scores(rows.size() * width);
              for (size_t row = 0; row < rows.size(); ++row) {
                ask.clear();
                for (const uint32_t atom : rows[row]) ask.add(atom);
                ask.score_all(std::span(scores).subspan(row * width, width));
              }
              return scores;
            }));
          },
          nb::arg("ends").noconvert(), nb::arg("atoms").noconvert(),
          "Of rows with few atoms, by all classifiers, one row after the other")
      .def(
          "scores",
          [](const TreeEnsembles& all, const Input<uint64_t>& ends, const Input<uint32_t>& atoms,
             uint32_t features, const Input<uint32_t>& firsts, const Input<uint32_t>& counts,
             double lambda, unsigned threads) {
            const features::TreeQuestions asked = questions(ends, atoms, firsts, counts);
            return numpy(unlocked([&] {
              asked.rows.check(features);
              return features::tree_scores(all.view(), features, asked, lambda, threads);
            }));
          },
          nb::arg("ends").noconvert(), nb::arg("atoms").noconvert(), nb::arg("features"),
          nb::arg("firsts").noconvert(), nb::arg("counts").noconvert(), nb::arg("lambda_"),
          nb::arg("threads"))
      .def(
          "along_path",
          [](const TreeEnsembles& all, const Input<uint64_t>& ends, const Input<uint32_t>& atoms,
             uint32_t features, const Input<uint32_t>& firsts, const Input<uint32_t>& counts,
             const Input<double>& lambdas, unsigned threads) {
            const features::TreeQuestions asked = questions(ends, atoms, firsts, counts);
            const std::span<const double> steps = span_of(lambdas);
            std::vector<uint32_t> found = unlocked([&] {
              asked.rows.check(features);
              return features::choices_along_path(all.view(), features, asked, steps, threads);
            });
            return numpy(std::move(found), {asked.rows.size(), steps.size()});
          },
          nb::arg("ends").noconvert(), nb::arg("atoms").noconvert(), nb::arg("features"),
          nb::arg("firsts").noconvert(), nb::arg("counts").noconvert(),
          nb::arg("lambdas").noconvert(), nb::arg("threads"));
}

}  // namespace

void boosting(nb::module_& m) {
  ensembles(m);
  m.def(
      "boost_groups",
      [](const Input<uint64_t>& ends, const Input<uint32_t>& atoms, uint32_t features,
         const Input<uint64_t>& groups, const Input<uint32_t>& labels,
         const Input<uint32_t>& classes, const Input<double>& weights, double lambda_min,
         double decay, uint32_t max_trees, const std::string& gain, double min_gain_factor,
         uint32_t max_depth, bool converge, bool per_leaf, bool atoms_only, unsigned threads) {
        const learn::BoostOptions options{lambda_min,         decay,           max_trees,
                                          gain_by_name(gain), min_gain_factor, max_depth,
                                          converge,           per_leaf,        atoms_only};
        const learn::BoostExamples examples{
            {span_of(ends), span_of(atoms)}, span_of(labels), span_of(weights)};
        const std::span<const uint64_t> borders = span_of(groups);
        const std::span<const uint32_t> counts = span_of(classes);
        if (borders.size() != 2 * counts.size())
          throw io::Error(io::Fault::argument, "each group needs its rows and its classes");
        return unlocked([&] {
          examples.rows.check(features);
          std::vector<learn::BoostGroup> all;
          for (size_t g = 0; g < counts.size(); ++g)
            all.push_back({borders[2 * g], borders[2 * g + 1], counts[g]});
          return TreeEnsembles(learn::train_groups(examples, all, options, threads), features);
        });
      },
      nb::arg("ends").noconvert(), nb::arg("atoms").noconvert(), nb::arg("features"),
      nb::arg("groups").noconvert(), nb::arg("labels").noconvert(), nb::arg("classes").noconvert(),
      nb::arg("weights").noconvert(), nb::arg("lambda_min"), nb::arg("decay"), nb::arg("max_trees"),
      nb::arg("gain"), nb::arg("min_gain_factor"), nb::arg("max_depth"), nb::arg("converge"),
      nb::arg("per_leaf"), nb::arg("atoms_only"), nb::arg("threads"));
  m.def("boost_gain", &learn::steepest, nb::arg("v"), nb::arg("theta"), nb::arg("lambda_"),
        nb::arg("l2"), "How fast risk falls along a feature, (7.6) to (7.9)");
  m.def(
      "boost_leaf",
      [](const Input<double>& h, const Input<double>& positive, const Input<double>& negative,
         double theta, double lambda) {
        if (positive.shape(0) != h.shape(0) || negative.shape(0) != h.shape(0))
          throw io::Error(io::Fault::argument, "each margin needs its weights");
        std::vector<learn::LeafPlace> places;
        for (size_t i = 0; i < h.shape(0); ++i)
          places.push_back({h.data()[i], positive.data()[i], negative.data()[i]});
        return unlocked([&] { return learn::fit_leaf(places, theta, lambda); });
      },
      nb::arg("h").noconvert(), nb::arg("positive").noconvert(), nb::arg("negative").noconvert(),
      nb::arg("theta"), nb::arg("lambda_"), "The exact step for one leaf's weight");
}

}  // namespace demotic::bind
