#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/unordered_map.h>
#include <nanobind/stl/vector.h>

#include "bind/bind.h"
#include "io/error.h"
#include "lm/arpa_reader.h"
#include "lm/arpa_writer.h"
#include "lm/batch.h"
#include "lm/chart.h"
#include "lm/further_model.h"
#include "lm/model.h"
#include "lm/model_builder.h"

namespace demotic::bind {

namespace {

// The string's own bytes, without a copy.
std::string_view utf8(nb::handle text) {
  Py_ssize_t size = 0;
  const char* data = PyUnicode_AsUTF8AndSize(text.ptr(), &size);
  if (data == nullptr) {
    PyErr_Clear();
    throw io::Error(io::Fault::argument, "half of a character (a lone surrogate)", 0,
                    "decode the text as what it is");
  }
  return {data, static_cast<size_t>(size)};
}

template <class Field>
using Column = nb::ndarray<nb::numpy, Field, nb::ndim<1>>;

template <class Field>
Column<Field> column(const std::vector<lm::LineScore>& lines, Field lm::LineScore::* field) {
  auto* values = new Field[lines.size()];
  const nb::capsule owner(values, [](void* p) noexcept { delete[] static_cast<Field*>(p); });
  for (size_t i = 0; i < lines.size(); ++i) values[i] = lines[i].*field;
  return Column<Field>(values, {lines.size()}, owner);
}

using WordScore = std::tuple<float, unsigned, bool>;  // log10, length of the match, unknown

void sinks(nb::module_& m) {
  nb::class_<lm::NgramSink>(m, "NgramSink", "Where n-grams go: an ARPA writer or a model builder");

  nb::class_<lm::ArpaWriter, lm::NgramSink>(m, "ArpaWriter",
                                            "Hands an ARPA text, in pieces, to a function")
      .def(
          "__init__",
          [](lm::ArpaWriter* self, nb::callable write) {
            new (self) lm::ArpaWriter([write](std::string_view text) {
              const nb::gil_scoped_acquire locked;
              write(nb::bytes(text.data(), text.size()));
            });
          },
          nb::arg("write"));

  nb::class_<lm::ModelBuilder, lm::NgramSink>(m, "LmBuilder",
                                              "Makes a language model out of n-grams")
      .def(nb::init<>())
      .def("finish", &lm::ModelBuilder::finish, Unlocked());

  nb::class_<lm::ArpaReader>(m, "ArpaReader", "Reads an ARPA text, fed in pieces, into a sink")
      .def(nb::init<lm::NgramSink&, std::optional<uint64_t>>(), nb::arg("sink"),
           nb::arg("size") = nb::none(), nb::keep_alive<1, 2>())
      .def(
          "feed",
          [](lm::ArpaReader& reader, nb::bytes text) {
            const std::string_view view(text.c_str(), text.size());
            const nb::gil_scoped_release unlocked;
            reader.feed(view);
          },
          nb::arg("text"))
      .def("finish", &lm::ArpaReader::finish, Unlocked());
}

void states(nb::module_& m) {
  nb::class_<lm::State>(m, "LmState", "What a model remembers of the words so far")
      .def_prop_ro("length", [](const lm::State& state) { return state.length; })
      .def("__eq__", [](const lm::State& a, const lm::State& b) { return a == b; })
      .def("__hash__",
           [](const lm::State& state) { return static_cast<int64_t>(state.hash() >> 1); });

  nb::class_<lm::Fragment>(m, "LmFragment", "What a model remembers of a piece of a sentence")
      .def_prop_ro("left_length", [](const lm::Fragment& f) { return f.left_length; })
      .def_prop_ro("left_full", [](const lm::Fragment& f) { return f.left_full != 0; })
      .def_prop_ro("right", [](const lm::Fragment& f) { return f.right; })
      .def("__eq__", [](const lm::Fragment& a, const lm::Fragment& b) { return a == b; })
      .def("__hash__", [](const lm::Fragment& f) { return static_cast<int64_t>(f.hash() >> 1); });
}

// A rule's right-hand side, left to right: words are strings, children are fragments.
std::pair<lm::Fragment, float> make_fragment(const lm::Model& model, nb::list parts, bool begin) {
  lm::Fragment made;
  lm::FragmentScorer scorer(model, made);
  if (begin) scorer.begin_sentence();
  for (nb::handle part : parts) {
    if (PyUnicode_Check(part.ptr()))
      scorer.terminal(model.find(utf8(part)));
    else
      scorer.nonterminal(nb::cast<const lm::Fragment&>(part));
  }
  const float change = scorer.finish();
  return {made, change};
}

std::vector<WordScore> word_scores(const lm::Model& model, nb::str sentence, bool bos, bool eos) {
  std::vector<uint32_t> ids;
  lm::encode_line(model, utf8(sentence), ids);
  std::vector<lm::Score> scores;
  lm::score_each_word(model, ids, {bos, eos}, scores);
  std::vector<WordScore> out;
  for (size_t i = 0; i < scores.size(); ++i)
    out.emplace_back(scores[i].prob, scores[i].length, i < ids.size() && ids[i] == text::kUnknown);
  return out;
}

using Columns = std::tuple<Column<double>, Column<uint32_t>, Column<uint32_t>, Column<double>>;

Columns text_scores(const lm::Model& model, nb::bytes text, bool bos, bool eos, unsigned threads) {
  const std::string_view view(text.c_str(), text.size());
  std::vector<lm::LineScore> lines;
  {
    const nb::gil_scoped_release unlocked;
    lines = lm::score_text(model, view, {bos, eos}, threads);
  }
  return Columns(column(lines, &lm::LineScore::log10), column(lines, &lm::LineScore::words),
                 column(lines, &lm::LineScore::unknown),
                 column(lines, &lm::LineScore::unknown_log10));
}

void model(nb::module_& m) {
  nb::class_<lm::Model>(m, "LmModel", "An n-gram model, in memory or mapped from a file")
      .def(
          "__init__",
          [](lm::Model* self, const std::string& path, std::optional<bool> verify) {
            lm::Model::Verify how = lm::Model::Verify::small_files;
            if (verify)
              how = *verify ? lm::Model::Verify::everything : lm::Model::Verify::structure;
            new (self) lm::Model(lm::Model::open(path, how));
          },
          nb::arg("path"), nb::arg("verify").none() = nb::none(), Unlocked())
      .def(nb::init<const lm::Model&>(), nb::arg("model"), "The same model; nothing is copied")
      .def("save_binary", &lm::Model::save, nb::arg("path"), Unlocked())
      .def("emit", &lm::Model::emit, nb::arg("sink"), Unlocked(), "Hand every n-gram to a sink")
      .def_prop_ro("order", &lm::Model::order, "The length of the longest n-grams")
      .def_prop_ro(
          "counts",
          [](const lm::Model& model) -> nb::typed<nb::tuple, uint64_t, nb::ellipsis> {
            nb::list counts;
            for (const uint64_t count : model.counts()) counts.append(count);
            return nb::tuple(counts);
          },
          "The number of n-grams of each order")
      .def_prop_ro("words", &lm::Model::words, "The number of words")
      .def(
          "word",
          [](const lm::Model& model, uint32_t id) {
            // A damaged file that was not verified may hold anything.
            const std::string_view word = model.word(id);
            PyObject* text = PyUnicode_DecodeUTF8(word.data(), word.size(), "replace");
            if (text == nullptr) throw nb::python_error();
            return nb::steal<nb::str>(text);
          },
          nb::arg("id"), "The word of an id")
      .def(
          "find", [](const lm::Model& model, nb::str word) { return model.find(utf8(word)); },
          nb::arg("word"), "The id of a word, 0 if it is unknown")
      .def(
          "score",
          [](const lm::Model& model, nb::str sentence, bool bos, bool eos) {
            return lm::score_line(model, utf8(sentence), {bos, eos}).log10;
          },
          nb::arg("sentence"), nb::arg("bos") = true, nb::arg("eos") = true,
          "Log10 probability of a sentence, after <s> and with </s> unless told otherwise")
      .def("word_scores", &word_scores, nb::arg("sentence"), nb::arg("bos"), nb::arg("eos"))
      .def("text_scores", &text_scores, nb::arg("text"), nb::arg("bos"), nb::arg("eos"),
           nb::arg("threads"), "Per line: log10, words, unknown words, log10 of the unknown words")
      .def(
          "begin_sentence", [](const lm::Model& model) { return model.begin_sentence(); },
          "The state after <s>")
      .def("empty_context", &lm::Model::empty_context, "The state of no context at all")
      .def(
          "word_after",
          [](const lm::Model& model, const lm::State& state, nb::str word) {
            lm::State next;
            const uint32_t id = model.find(utf8(word));
            const lm::Score s = model.score(state, id, next);
            return std::pair(WordScore(s.prob, s.length, id == text::kUnknown), next);
          },
          nb::arg("state"), nb::arg("word"))
      .def(
          "word_in",
          [](const lm::Model& model, const std::vector<std::string_view>& history, nb::str word) {
            std::vector<uint32_t> ids;
            for (const std::string_view each : history) ids.push_back(model.find(each));
            const uint32_t id = model.find(utf8(word));
            const lm::Score s = model.score_ngram(ids, id);
            return WordScore(s.prob, s.length, id == text::kUnknown);
          },
          nb::arg("history"), nb::arg("word"))
      .def("make_fragment", &make_fragment, nb::arg("parts"), nb::arg("begin"));
}

void further_models(nb::module_& m) {
  nb::enum_<lm::Sight>(m, "Sight", "What a further model is asked about")
      .value("words", lm::Sight::words)
      .value("units", lm::Sight::units);
  nb::class_<lm::FurtherModel>(m, "FurtherModel", "See demotic.lm.FurtherModel")
      .def(nb::init<std::string, const lm::Model&, lm::Sight>(), nb::arg("name"), nb::arg("lm"),
           nb::arg("sight"), Unlocked())
      .def(nb::init<std::string, const lm::Model&, lm::FurtherModel::Classes, lm::Sight>(),
           nb::arg("name"), nb::arg("lm"), nb::arg("classes"), nb::arg("sight"), Unlocked())
      .def_prop_ro("name", &lm::FurtherModel::name)
      .def_prop_ro("sees_units", &lm::FurtherModel::sees_units)
      .def("find", &lm::FurtherModel::find, nb::arg("word"));
}

}  // namespace

void lm(nb::module_& m) {
  sinks(m);
  states(m);
  model(m);
  further_models(m);
}

}  // namespace demotic::bind
