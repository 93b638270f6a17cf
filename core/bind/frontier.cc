#include <nanobind/ndarray.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <tuple>
#include <vector>

#include "bind/arrays.h"
#include "bind/strings.h"
#include "io/error.h"
#include "parallel.h"
#include "trees/frontier_parser.h"

namespace demotic::bind {

namespace {

using Numbers = std::vector<uint32_t>;
using Parts = std::tuple<Numbers, Numbers, Numbers, Numbers, double>;

trees::FrontierSymbols symbols_of(const std::vector<uint8_t>& punctuation, const Numbers& coarse,
                                  const Numbers& head_label, const Numbers& head_child,
                                  const std::vector<uint8_t>& head_right) {
  return {punctuation, coarse, head_label, head_child, head_right};
}

using Steps = std::vector<std::tuple<uint32_t, uint32_t, uint32_t>>;

std::vector<trees::FrontierStep> steps_of(const Steps& steps) {
  std::vector<trees::FrontierStep> all;
  for (const auto& [label, begin, size] : steps) all.push_back({label, begin, size});
  return all;
}

std::vector<Parts> parse(const trees::FrontierParser& parser, const std::vector<Numbers>& tags,
                         const std::vector<Numbers>& words, uint32_t pops, uint32_t open,
                         unsigned threads) {
  if (words.size() != tags.size())
    throw io::Error(io::Fault::argument, "sentences and tags differ in number");
  std::vector<trees::ParsedTree> found(words.size());
  unlocked([&] {
    parallel_for(words.size(), threads, [&](size_t i, unsigned) {
      parser.parse(tags[i], words[i], {pops, open}, found[i]);
    });
  });
  std::vector<Parts> all;
  for (trees::ParsedTree& tree : found)
    all.emplace_back(std::move(tree.label), std::move(tree.child_begin), std::move(tree.child),
                     std::move(tree.head_child), tree.cost);
  return all;
}

}  // namespace

void frontier(nb::module_& m) {
  using trees::FrontierLearner;
  using trees::FrontierParser;
  nb::class_<FrontierLearner>(m, "FrontierLearner", "Trees to rows for boosting")
      .def(
          "__init__",
          [](FrontierLearner* self, const std::vector<uint8_t>& punctuation, const Numbers& coarse,
             const Numbers& head_label, const Numbers& head_child,
             const std::vector<uint8_t>& head_right, const Numbers& labels, uint32_t share,
             uint64_t seed) {
            unlocked([&] {
              new (self) FrontierLearner(
                  symbols_of(punctuation, coarse, head_label, head_child, head_right), labels,
                  share, seed);
            });
          },
          nb::arg("punctuation"), nb::arg("coarse"), nb::arg("head_label"), nb::arg("head_child"),
          nb::arg("head_right"), nb::arg("labels"), nb::arg("share"), nb::arg("seed"))
      .def(
          "add",
          [](FrontierLearner& learner, const Numbers& tags, const Numbers& words,
             const Steps& steps) {
            const std::vector<trees::FrontierStep> all = steps_of(steps);
            unlocked([&] { learner.add(tags, words, all); });
          },
          nb::arg("tags"), nb::arg("words"), nb::arg("steps"))
      .def(
          "finish",
          [](const FrontierLearner& learner, uint32_t least) {
            auto rows = unlocked([&] { return learner.finish(least); });
            return nb::make_tuple(numpy(std::move(rows.begins)), numpy(std::move(rows.atoms)),
                                  numpy(std::move(rows.label)), numpy(std::move(rows.weight)),
                                  numpy(std::move(rows.keys)));
          },
          nb::arg("least"), "Begins of rows, atoms, labels, weights, keys of atoms");

  nb::class_<FrontierParser>(m, "FrontierParser", "See demotic.parse.DiscriminativeParser")
      .def(
          "__init__",
          [](FrontierParser* self, const std::vector<uint8_t>& punctuation, const Numbers& coarse,
             const Numbers& head_label, const Numbers& head_child,
             const std::vector<uint8_t>& head_right, const Numbers& labels,
             const Input<uint64_t>& keys, const features::TreeEnsembles& classifiers,
             uint32_t top) {
            std::vector<uint64_t> own = copy_of(keys);
            unlocked([&] {
              new (self) FrontierParser(
                  symbols_of(punctuation, coarse, head_label, head_child, head_right), labels,
                  std::move(own), classifiers, top);
            });
          },
          nb::arg("punctuation"), nb::arg("coarse"), nb::arg("head_label"), nb::arg("head_child"),
          nb::arg("head_right"), nb::arg("labels"), nb::arg("keys").noconvert(),
          nb::arg("classifiers"), nb::arg("top"))
      .def(
          "next",
          [](const FrontierParser& parser, const Numbers& tags, const Numbers& words,
             const Steps& steps) {
            const std::vector<trees::FrontierStep> all = steps_of(steps);
            const auto found = unlocked([&] { return parser.next(tags, words, all); });
            std::vector<std::tuple<uint32_t, uint32_t, uint32_t, double>> made;
            for (const auto& [step, cost] : found)
              made.emplace_back(step.label, step.begin, step.size, cost);
            return made;
          },
          nb::arg("tags"), nb::arg("words"), nb::arg("steps"),
          "Labels, begins, sizes and costs of what may come after these steps")
      .def("parse", &parse, nb::arg("tags"), nb::arg("words"), nb::arg("pops"), nb::arg("open"),
           nb::arg("threads"),
           "For each sentence labels, begins of children, children and head children in "
           "post-order, and the cost; no labels where there is no tree");
}

}  // namespace demotic::bind
