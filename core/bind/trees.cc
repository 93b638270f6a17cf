#include <nanobind/ndarray.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <memory>
#include <tuple>

#include "bind/arrays.h"
#include "io/error.h"
#include "parallel.h"
#include "trees/chart_parser.h"
#include "trees/head_grammar.h"
#include "trees/tagger.h"

namespace demotic::bind {

namespace {

using Sentences = std::vector<std::vector<std::string>>;

void tagger(nb::module_& m) {
  nb::class_<trees::Tagger>(m, "Tagger", "See demotic.parse.Tagger")
      .def(
          "__init__",
          [](trees::Tagger* self, uint32_t tags, const Input<uint64_t>& keys,
             const Input<float>& weights) {
            trees::TaggerContent content{tags, copy_of(keys), copy_of(weights)};
            unlocked([&] { new (self) trees::Tagger(std::move(content)); });
          },
          nb::arg("tags"), nb::arg("keys").noconvert(), nb::arg("weights").noconvert())
      .def_prop_ro(
          "keys",
          [](const trees::Tagger& t) {
            return numpy(unlocked([&] { return std::vector<uint64_t>(t.content().keys); }));
          },
          nb::rv_policy::automatic)
      .def_prop_ro(
          "weights",
          [](const trees::Tagger& t) {
            return numpy(unlocked([&] { return std::vector<float>(t.content().weights); }));
          },
          nb::rv_policy::automatic)
      .def(
          "tag",
          [](const trees::Tagger& t, const Sentences& sentences, unsigned threads) {
            return unlocked([&] {
              std::vector<std::vector<uint32_t>> found(sentences.size());
              parallel_for(sentences.size(), threads,
                           [&](size_t i, unsigned) { found[i] = t.tag(sentences[i]); });
              return found;
            });
          },
          nb::arg("sentences"), nb::arg("threads"));

  nb::class_<trees::TaggerLearner>(m, "TaggerLearner", "Sentences with tags to a Tagger")
      .def(nb::init<uint32_t>(), nb::arg("tags"))
      .def("add", &trees::TaggerLearner::add, nb::arg("words"), nb::arg("tags"))
      .def("learn", &trees::TaggerLearner::learn, nb::arg("passes"), nb::arg("seed"), Unlocked());
}

template <class T>
auto table(std::vector<T> trees::HeadGrammarContent::* field) {
  return [field](const trees::HeadGrammar& g) { return numpy(std::vector<T>(g.content().*field)); };
}

void head_grammar(nb::module_& m) {
  using trees::HeadGrammar;
  using trees::HeadGrammarContent;
  nb::class_<HeadGrammar>(m, "HeadGrammar", "See demotic.parse.GenerativeParser")
      .def(
          "__init__",
          [](HeadGrammar* self, uint32_t symbols, uint32_t words, uint32_t top,
             const Input<uint8_t>& is_verb, const Input<uint64_t>& event_key,
             const Input<uint32_t>& event_count, const Input<uint64_t>& context_key,
             const Input<uint32_t>& context_total, const Input<uint32_t>& context_types,
             const Input<uint32_t>& parent_of, const Input<uint32_t>& parent,
             const Input<uint64_t>& allowed) {
            HeadGrammarContent made{symbols,
                                    words,
                                    top,
                                    copy_of(is_verb),
                                    copy_of(event_key),
                                    copy_of(context_key),
                                    copy_of(event_count),
                                    copy_of(context_total),
                                    copy_of(context_types),
                                    copy_of(parent_of),
                                    copy_of(parent),
                                    copy_of(allowed)};
            unlocked([&] { new (self) HeadGrammar(std::move(made)); });
          },
          nb::arg("symbols"), nb::arg("words"), nb::arg("top"), nb::arg("is_verb").noconvert(),
          nb::arg("event_key").noconvert(), nb::arg("event_count").noconvert(),
          nb::arg("context_key").noconvert(), nb::arg("context_total").noconvert(),
          nb::arg("context_types").noconvert(), nb::arg("parent_of").noconvert(),
          nb::arg("parent").noconvert(), nb::arg("allowed").noconvert())
      .def_prop_ro("symbols", &HeadGrammar::symbols)
      .def_prop_ro("words", &HeadGrammar::words)
      .def_prop_ro("top", &HeadGrammar::top)
      .def_prop_ro("is_verb", table(&HeadGrammarContent::is_verb), nb::rv_policy::automatic)
      .def_prop_ro("event_key", table(&HeadGrammarContent::event_key), nb::rv_policy::automatic)
      .def_prop_ro("event_count", table(&HeadGrammarContent::event_count), nb::rv_policy::automatic)
      .def_prop_ro("context_key", table(&HeadGrammarContent::context_key), nb::rv_policy::automatic)
      .def_prop_ro("context_total", table(&HeadGrammarContent::context_total),
                   nb::rv_policy::automatic)
      .def_prop_ro("context_types", table(&HeadGrammarContent::context_types),
                   nb::rv_policy::automatic)
      .def_prop_ro("parent_of", table(&HeadGrammarContent::parent_of), nb::rv_policy::automatic)
      .def_prop_ro("parent", table(&HeadGrammarContent::parent), nb::rv_policy::automatic)
      .def_prop_ro("allowed", table(&HeadGrammarContent::allowed), nb::rv_policy::automatic)
      .def(
          "parse",
          [](const HeadGrammar& g, const std::vector<std::vector<uint32_t>>& words,
             const std::vector<std::vector<uint32_t>>& tags, uint32_t items, double width,
             unsigned threads) {
            if (words.size() != tags.size())
              throw io::Error(io::Fault::argument, "sentences and tags differ in number");
            std::vector<trees::ParsedTree> found(words.size());
            unlocked([&] {
              const trees::ChartParser parser(g, {items, width});
              std::vector<trees::ParseSpace> spaces(threads == 0 ? 1 : threads);
              parallel_for(words.size(), threads, [&](size_t i, unsigned worker) {
                parser.parse(words[i], tags[i], spaces[worker], found[i]);
              });
            });
            using Parts = std::tuple<std::vector<uint32_t>, std::vector<uint32_t>,
                                     std::vector<uint32_t>, std::vector<uint32_t>, double>;
            std::vector<Parts> all;
            for (trees::ParsedTree& tree : found)
              all.emplace_back(std::move(tree.label), std::move(tree.child_begin),
                               std::move(tree.child), std::move(tree.head_child), tree.cost);
            return all;
          },
          nb::arg("words"), nb::arg("tags"), nb::arg("items"), nb::arg("width"), nb::arg("threads"),
          "For each sentence labels, begins of children, children and head children in post-order, "
          "and the cost; no labels where there is no tree");

  nb::class_<trees::HeadGrammarCounter>(m, "HeadGrammarCounter", "Trees to a HeadGrammar")
      .def(nb::init<uint32_t, uint32_t, std::vector<uint8_t>, uint32_t>(), nb::arg("symbols"),
           nb::arg("words"), nb::arg("is_verb"), nb::arg("top"))
      .def(
          "add",
          [](trees::HeadGrammarCounter& counter, const std::vector<uint32_t>& label,
             const std::vector<uint32_t>& child_begin, const std::vector<uint32_t>& child,
             const std::vector<uint32_t>& head_child, const std::vector<uint32_t>& words) {
            counter.add({label, child_begin, child, head_child}, words);
          },
          nb::arg("label"), nb::arg("child_begin"), nb::arg("child"), nb::arg("head_child"),
          nb::arg("words"))
      .def(
          "finish",
          [](const trees::HeadGrammarCounter& counter) {
            return trees::HeadGrammar(counter.finish());
          },
          Unlocked());
}

}  // namespace

void trees(nb::module_& m) {
  tagger(m);
  head_grammar(m);
}

}  // namespace demotic::bind
