#include <nanobind/ndarray.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <tuple>

#include "bind/arrays.h"
#include "decode/transducer/language_yield.h"
#include "lm/model.h"
#include "trees/bitree.h"
#include "trees/cell_search.h"

namespace demotic::bind {

namespace {

using trees::CellSearch;
using trees::PermutationModel;

struct CellArrays {
  uint32_t tokens;
  std::vector<uint32_t> begins, block, sibling;
  std::vector<uint8_t> right;
  trees::CellsView view() const { return {tokens, begins, block, sibling, right}; }
};

// What a search found, flat.
struct Space {
  std::vector<CellSearch::Item> items;
  std::vector<CellSearch::Edge> edges;
  std::vector<CellSearch::Word> words;
  std::vector<uint32_t> best;
  uint32_t root;
};

void bitrees(nb::module_& m) {
  nb::class_<CellArrays>(m, "TreeCells", "The cells of a binarised tree, for the core")
      .def(
          "__init__",
          [](CellArrays* self, uint32_t tokens, const Input<uint32_t>& begins,
             const Input<uint32_t>& block, const Input<uint32_t>& sibling,
             const Input<uint8_t>& right) {
            new (self) CellArrays{tokens, copy_of(begins), copy_of(block), copy_of(sibling),
                                  copy_of(right)};
            self->view().check();
          },
          nb::arg("tokens"), nb::arg("begins").noconvert(), nb::arg("block").noconvert(),
          nb::arg("sibling").noconvert(), nb::arg("right").noconvert());

  m.def(
      "best_bitree",
      [](const CellArrays& cells, const Input<uint32_t>& begins, const Input<uint32_t>& position,
         const Input<double>& weight, uint32_t target_size) {
        const trees::BitreeCandidates candidates{span_of(begins), span_of(position),
                                                 span_of(weight)};
        const trees::Bitree found = unlocked(
            [&] { return trees::BitreeSearch().best(cells.view(), candidates, target_size); });
        std::vector<int64_t> links;
        for (const uint32_t link : found.link)
          links.push_back(link == trees::kNoLink ? -1 : static_cast<int64_t>(link));
        std::vector<std::tuple<uint32_t, uint32_t, bool>> steps;
        for (const trees::Bitree::Step& step : found.steps)
          steps.emplace_back(step.cell, step.attachment, step.swapped);
        return std::tuple(found.weight, links, steps);
      },
      nb::arg("cells"), nb::arg("begins").noconvert(), nb::arg("position").noconvert(),
      nb::arg("weight").noconvert(), nb::arg("target_size"),
      "The weight, for each token its target position or -1, and attachments (cell, attachment, "
      "swapped) from the bottom up");
}

Space search(const PermutationModel& model, const trees::CellSearchOptions& options,
             const trees::CellInput& input, trees::YieldModel* yields) {
  CellSearch found(model, options, yields);
  found.run(input);
  return {found.items(), found.edges(), found.yield(), found.best_edges(), found.root()};
}

void spaces(nb::module_& m) {
  nb::class_<Space>(m, "TransducerSpace", "What a tree transducer considered, and the best of it")
      .def_prop_ro("root", [](const Space& s) { return s.root; })
      .def_prop_ro("cost", [](const Space& s) { return s.items[s.root].cost; })
      .def_prop_ro("words",
                   [](const Space& s) {
                     std::vector<std::tuple<uint32_t, uint32_t>> all;
                     for (const auto& word : s.words) all.emplace_back(word.token, word.target);
                     return all;
                   })
      .def_prop_ro("best", [](const Space& s) { return s.best; })
      .def_prop_ro("items",
                   [](const Space& s) {
                     std::vector<std::tuple<uint32_t, uint32_t, double>> all;
                     for (const auto& item : s.items)
                       all.emplace_back(item.cell, item.target, item.cost);
                     return all;
                   })
      .def_prop_ro(
          "edge_table",
          [](const Space& s) {
            std::vector<uint32_t> heads, choices;
            std::vector<int64_t> blocks, siblings;
            std::vector<uint8_t> swapped;
            std::vector<double> costs, yields;
            unlocked([&] {
              const auto item = [](uint32_t i) {
                return i == CellSearch::kNone ? -1 : static_cast<int64_t>(i);
              };
              for (const auto& e : s.edges) {
                heads.push_back(e.head);
                choices.push_back(e.choice);
                blocks.push_back(item(e.block));
                siblings.push_back(item(e.sibling));
                swapped.push_back(e.swapped ? 1 : 0);
                costs.push_back(e.cost);
                yields.push_back(e.yield);
              }
            });
            return nb::make_tuple(numpy(std::move(heads)), numpy(std::move(choices)),
                                  numpy(std::move(blocks)), numpy(std::move(siblings)),
                                  numpy(std::move(swapped)), numpy(std::move(costs)),
                                  numpy(std::move(yields)));
          },
          nb::rv_policy::automatic)
      .def_prop_ro(
          "item_cells",
          [](const Space& s) {
            return numpy(unlocked([&] {
              std::vector<uint32_t> cells;
              for (const auto& item : s.items) cells.push_back(item.cell);
              return cells;
            }));
          },
          nb::rv_policy::automatic)
      .def_prop_ro("edges", [](const Space& s) {
        std::vector<std::tuple<uint32_t, uint32_t, int64_t, int64_t, bool, double>> all;
        for (const auto& e : s.edges)
          all.emplace_back(e.head, e.choice,
                           e.block == CellSearch::kNone ? -1 : static_cast<int64_t>(e.block),
                           e.sibling == CellSearch::kNone ? -1 : static_cast<int64_t>(e.sibling),
                           e.swapped, e.cost);
        return all;
      });
}

void permutations(nb::module_& m) {
  nb::class_<PermutationModel>(m, "PermutationModel", "Classifiers that keep or swap an order")
      .def(nb::init<>())
      .def(
          "__init__",
          [](PermutationModel* self, const std::vector<uint32_t>& classifier_ends,
             const std::vector<uint32_t>& tree_ends, const std::vector<uint32_t>& atoms,
             const std::vector<uint32_t>& others, const std::vector<double>& values,
             uint32_t features, const Input<uint32_t>& name, const Input<uint32_t>& first,
             const Input<uint32_t>& second, const Input<uint32_t>& atom) {
            const auto names = span_of(name), firsts = span_of(first), seconds = span_of(second),
                       dynamic = span_of(atom);
            unlocked([&] {
              new (self) PermutationModel({classifier_ends, tree_ends, atoms, others, values},
                                          features, names, firsts, seconds, dynamic);
            });
          },
          nb::arg("classifier_ends"), nb::arg("tree_ends"), nb::arg("atoms"), nb::arg("others"),
          nb::arg("values"), nb::arg("features"), nb::arg("name").noconvert(),
          nb::arg("first").noconvert(), nb::arg("second").noconvert(), nb::arg("atom").noconvert())
      .def(
          "search",
          [](const PermutationModel& model, const CellArrays& cells,
             const Input<uint32_t>& leaf_begins, const Input<uint32_t>& leaf_target,
             const Input<double>& leaf_cost, const Input<double>& keep, const Input<double>& swap,
             const Input<uint32_t>& classifier, const Input<uint32_t>& atom_begins,
             const Input<uint32_t>& atoms, const Input<uint32_t>& name_begins,
             const Input<uint32_t>& names, const Input<uint32_t>& pair_begins,
             const Input<double>& pairs, uint32_t items, double width, bool recombine,
             bool score_erased, double order_weight, const lm::Model* language,
             const Input<uint32_t>& word_begins, const Input<uint32_t>& words,
             double language_weight) {
            const trees::CellInput input{
                cells.view(),   span_of(leaf_begins), span_of(leaf_target), span_of(leaf_cost),
                span_of(keep),  span_of(swap),        span_of(classifier),  span_of(atom_begins),
                span_of(atoms), span_of(name_begins), span_of(names),       span_of(pair_begins),
                span_of(pairs)};
            const trees::CellSearchOptions options{items,        width,        recombine,
                                                   score_erased, order_weight, language_weight};
            const auto begins = span_of(word_begins), ids = span_of(words);
            return unlocked([&] {
              if (!language) return search(model, options, input, nullptr);
              decode::transducer::LanguageYield yields(*language, begins, ids);
              return search(model, options, input, &yields);
            });
          },
          nb::arg("cells"), nb::arg("leaf_begins").noconvert(), nb::arg("leaf_target").noconvert(),
          nb::arg("leaf_cost").noconvert(), nb::arg("keep").noconvert(),
          nb::arg("swap").noconvert(), nb::arg("classifier").noconvert(),
          nb::arg("atom_begins").noconvert(), nb::arg("atoms").noconvert(),
          nb::arg("name_begins").noconvert(), nb::arg("names").noconvert(),
          nb::arg("pair_begins").noconvert(), nb::arg("pairs").noconvert(), nb::arg("items"),
          nb::arg("width"), nb::arg("recombine"), nb::arg("score_erased"), nb::arg("order_weight"),
          nb::arg("language").none(), nb::arg("word_begins").noconvert(),
          nb::arg("words").noconvert(), nb::arg("language_weight"));
}

}  // namespace

void transducer(nb::module_& m) {
  bitrees(m);
  spaces(m);
  permutations(m);
}

}  // namespace demotic::bind
