#include <nanobind/ndarray.h>
#include <nanobind/operators.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include "bind/bind.h"
#include "lm/arpa_reader.h"
#include "lm/arpa_writer.h"
#include "lm/batch.h"
#include "lm/chart.h"
#include "lm/model.h"
#include "lm/model_builder.h"

namespace demotic::bind {

namespace {

// The string's own bytes, without a copy.
std::string_view utf8(nb::handle text) {
  Py_ssize_t size = 0;
  const char* data = PyUnicode_AsUTF8AndSize(text.ptr(), &size);
  if (data == nullptr) throw nb::python_error();
  return {data, static_cast<size_t>(size)};
}

template <class T>
nb::object array(std::vector<T>&& values) {
  auto* kept = new std::vector<T>(std::move(values));
  const nb::capsule owner(kept, [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
  return nb::cast(nb::ndarray<nb::numpy, T, nb::ndim<1>>(kept->data(), {kept->size()}, owner));
}

template <class Field>
nb::object column(const std::vector<LineScore>& lines, Field LineScore::* field) {
  std::vector<Field> values;
  values.reserve(lines.size());
  for (const LineScore& line : lines) values.push_back(line.*field);
  return array(std::move(values));
}

using WordScore = std::tuple<float, unsigned, bool>;  // log10, length of the match, unknown

void sinks(nb::module_& m) {
  nb::class_<NgramSink>(m, "NgramSink", "Where n-grams go: an ARPA writer or a model builder");

  nb::class_<ArpaWriter, NgramSink>(m, "ArpaWriter", "Hands an ARPA text, in pieces, to a function")
      .def(
          "__init__",
          [](ArpaWriter* self, nb::callable write) {
            new (self) ArpaWriter([write](std::string_view text) {
              const nb::gil_scoped_acquire locked;
              write(nb::bytes(text.data(), text.size()));
            });
          },
          nb::arg("write"));

  nb::class_<ModelBuilder, NgramSink>(m, "LmBuilder", "Makes a language model out of n-grams")
      .def(nb::init<>())
      .def("finish", &ModelBuilder::finish, Unlocked());

  nb::class_<ArpaReader>(m, "ArpaReader", "Reads an ARPA text, fed in pieces, into a sink")
      .def(nb::init<NgramSink&>(), nb::arg("sink"), nb::keep_alive<1, 2>())
      .def(
          "feed",
          [](ArpaReader& reader, nb::bytes text) {
            const std::string_view view(text.c_str(), text.size());
            const nb::gil_scoped_release unlocked;
            reader.feed(view);
          },
          nb::arg("text"))
      .def("finish", &ArpaReader::finish, Unlocked());
}

void states(nb::module_& m) {
  nb::class_<State>(m, "LmState", "What a model remembers of the words so far")
      .def_prop_ro("length", [](const State& state) { return state.length; })
      .def("__eq__", [](const State& a, const State& b) { return a == b; })
      .def("__hash__", [](const State& state) { return static_cast<int64_t>(state.hash() >> 1); });

  nb::class_<Fragment>(m, "LmFragment", "What a model remembers of a piece of a sentence")
      .def_prop_ro("left_length", [](const Fragment& f) { return f.left_length; })
      .def_prop_ro("left_full", [](const Fragment& f) { return f.left_full != 0; })
      .def_prop_ro("right", [](const Fragment& f) { return f.right; })
      .def("__eq__", [](const Fragment& a, const Fragment& b) { return a == b; })
      .def("__hash__", [](const Fragment& f) { return static_cast<int64_t>(f.hash() >> 1); });
}

// A rule's right-hand side, left to right: words are strings, children are fragments.
std::pair<Fragment, float> make_fragment(const Model& model, nb::list parts, bool begin) {
  Fragment made;
  FragmentScorer scorer(model, made);
  if (begin) scorer.begin_sentence();
  for (nb::handle part : parts) {
    if (PyUnicode_Check(part.ptr()))
      scorer.terminal(model.find(utf8(part)));
    else
      scorer.nonterminal(nb::cast<const Fragment&>(part));
  }
  const float change = scorer.finish();
  return {made, change};
}

std::vector<WordScore> full_scores(const Model& model, nb::str sentence, bool bos, bool eos) {
  std::vector<uint32_t> ids;
  encode_line(model, utf8(sentence), ids);
  std::vector<Score> scores;
  score_each_word(model, ids, {bos, eos}, scores);
  std::vector<WordScore> out;
  for (size_t i = 0; i < scores.size(); ++i)
    out.emplace_back(scores[i].prob, scores[i].length, i < ids.size() && ids[i] == kUnknown);
  return out;
}

nb::object score_bytes(const Model& model, nb::bytes text, bool bos, bool eos, unsigned threads) {
  const std::string_view view(text.c_str(), text.size());
  std::vector<LineScore> lines;
  {
    const nb::gil_scoped_release unlocked;
    lines = score_text(model, view, {bos, eos}, threads);
  }
  return nb::make_tuple(column(lines, &LineScore::log10), column(lines, &LineScore::words),
                        column(lines, &LineScore::unknown),
                        column(lines, &LineScore::unknown_log10));
}

}  // namespace

void lm(nb::module_& m) {
  sinks(m);
  states(m);
  nb::class_<Model>(m, "LmModel", "An n-gram model, in memory or mapped from a file")
      .def_static(
          "open",
          [](const std::string& path, nb::object verify) {
            Model::Verify how = Model::Verify::small_files;
            if (!verify.is_none())
              how = nb::cast<bool>(verify) ? Model::Verify::everything : Model::Verify::structure;
            const nb::gil_scoped_release unlocked;
            return Model::open(path, how);
          },
          nb::arg("path"), nb::arg("verify").none() = nb::none())
      .def("save", &Model::save, nb::arg("path"), Unlocked())
      .def("emit", &Model::emit, nb::arg("sink"), Unlocked(), "Hand every n-gram to a sink")
      .def_prop_ro("order", &Model::order)
      .def_prop_ro("counts",
                   [](const Model& model) {
                     return std::vector<uint64_t>(model.counts().begin(), model.counts().end());
                   })
      .def_prop_ro("words", &Model::words)
      .def("word", &Model::word, nb::arg("id"))
      .def(
          "find", [](const Model& model, nb::str word) { return model.find(utf8(word)); },
          nb::arg("word"))
      .def(
          "score",
          [](const Model& model, nb::str sentence, bool bos, bool eos) {
            return score_line(model, utf8(sentence), {bos, eos}).log10;
          },
          nb::arg("sentence"), nb::arg("bos") = true, nb::arg("eos") = true)
      .def("full_scores", &full_scores, nb::arg("sentence"), nb::arg("bos"), nb::arg("eos"))
      .def("score_text", &score_bytes, nb::arg("text"), nb::arg("bos"), nb::arg("eos"),
           nb::arg("threads"), "Per line: log10, words, unknown words, log10 of the unknown words")
      .def("begin_sentence", [](const Model& model) { return model.begin_sentence(); })
      .def("empty_context", &Model::empty_context)
      .def(
          "extend",
          [](const Model& model, const State& state, nb::str word) {
            State next;
            const uint32_t id = model.find(utf8(word));
            const Score s = model.score(state, id, next);
            return std::pair(WordScore(s.prob, s.length, id == kUnknown), next);
          },
          nb::arg("state"), nb::arg("word"))
      .def(
          "score_ngram",
          [](const Model& model, const std::vector<std::string_view>& history, nb::str word) {
            std::vector<uint32_t> ids;
            for (const std::string_view each : history) ids.push_back(model.find(each));
            const uint32_t id = model.find(utf8(word));
            const Score s = model.score_ngram(ids, id);
            return WordScore(s.prob, s.length, id == kUnknown);
          },
          nb::arg("history"), nb::arg("word"))
      .def("fragment", &make_fragment, nb::arg("parts"), nb::arg("begin"));
}

}  // namespace demotic::bind
