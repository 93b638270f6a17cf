#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cstring>
#include <vector>

#include "bind/arrays.h"
#include "learn/dev_set.h"
#include "learn/mira.h"

namespace demotic::bind {

namespace {

constexpr size_t kBleuFields = sizeof(metrics::BleuStats) / sizeof(int64_t);

template <class T>
using Matrix = nb::ndarray<const T, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using Vector = Input<double>;

std::vector<metrics::BleuStats> stats_of(const Matrix<int64_t>& rows) {
  if (rows.shape(1) != kBleuFields)
    throw io::Error(io::Fault::argument,
                    "BLEU statistics have 10 columns, not " + std::to_string(rows.shape(1)));
  const size_t values = rows.shape(0) * kBleuFields;
  if (std::any_of(rows.data(), rows.data() + values, [](int64_t v) { return v < 0; }))
    throw io::Error(io::Fault::argument, "BLEU statistics are never negative");
  std::vector<metrics::BleuStats> stats(rows.shape(0));
  if (values > 0)
    std::memcpy(static_cast<void*>(stats.data()), rows.data(), values * sizeof(int64_t));
  return stats;
}

template <class T>
std::span<const T> span_of(const Matrix<T>& m) {
  return {m.data(), m.shape(0) * m.shape(1)};
}

std::vector<char> flags_of(const Input<bool>& flags) {
  return {flags.data(), flags.data() + flags.shape(0)};
}

// Texts that somebody has to score, sentence by sentence.
nb::list texts_of(const std::vector<learn::Unscored>& found) {
  nb::list result;
  for (const learn::Unscored& u : found) {
    nb::list texts;
    for (const std::string& t : u.texts)
      texts.append(
          nb::steal(PyUnicode_DecodeUTF8(t.data(), static_cast<Py_ssize_t>(t.size()), "replace")));
    result.append(nb::make_tuple(u.sentence, texts));
  }
  return result;
}

nb::tuple arrays_of(const learn::DevSet& dev) {
  learn::HypothesisLists lists;
  std::vector<int64_t> stats;
  {
    const nb::gil_scoped_release unlocked;
    lists = dev.lists();
    stats.resize(lists.stats.size() * kBleuFields);
    if (!stats.empty())
      std::memcpy(stats.data(), lists.stats.data(), stats.size() * sizeof(int64_t));
  }
  const size_t rows = lists.stats.size();
  const size_t borders = lists.off.size();
  return nb::make_tuple(numpy(std::move(lists.off), {borders}),
                        numpy(std::move(lists.features), {rows, dev.features()}),
                        numpy(std::move(stats), {rows, kBleuFields}));
}

}  // namespace

void learn(nb::module_& m) {
  nb::class_<learn::DevSet>(m, "DevSet", "Hypotheses to tune on; see demotic.learn")
      .def(nb::init<size_t, std::vector<std::string>, size_t>(), nb::arg("sentences"),
           nb::arg("features"), nb::arg("max_segments"))
      .def(
          "merge",
          [](learn::DevSet& dev, size_t sentence, Matrix<double> rows, Matrix<int64_t> stats) {
            if (rows.shape(1) != dev.features())
              throw io::Error(io::Fault::argument, "sentence " + std::to_string(sentence + 1) +
                                                       " has " + std::to_string(rows.shape(1)) +
                                                       " features, the task names " +
                                                       std::to_string(dev.features()));
            const nb::gil_scoped_release unlocked;
            return dev.merge(sentence, span_of(rows), stats_of(stats));
          },
          nb::arg("sentence"), nb::arg("features").noconvert(), nb::arg("statistics").noconvert(),
          "Add hypotheses to a sentence's list; the number of new ones")
      .def("set_forest", &learn::DevSet::set_forest, nb::arg("sentence"), nb::arg("forest"),
           Unlocked())
      .def(
          "explore",
          [](learn::DevSet& dev, size_t first, size_t end, Vector weights, Vector gains, size_t k,
             unsigned threads) {
            std::vector<learn::Unscored> found;
            {
              const nb::gil_scoped_release unlocked;
              found = dev.explore(first, end, span_of(weights), span_of(gains), k, threads);
            }
            return texts_of(found);
          },
          nb::arg("first"), nb::arg("end"), nb::arg("weights").noconvert(),
          nb::arg("gains").noconvert(), nb::arg("k"), nb::arg("threads"),
          "The k best strings of forests for each gain; (sentence, texts) still to be scored")
      .def(
          "begin",
          [](learn::DevSet& dev, Vector weights, Matrix<double> directions, bool forests) {
            if (directions.shape(1) != dev.features())
              throw io::Error(io::Fault::argument, "a direction has a value per feature");
            const nb::gil_scoped_release unlocked;
            dev.begin({weights.data(), weights.shape(0)}, span_of(directions),
                      forests ? learn::Scope::all : learn::Scope::lists);
          },
          nb::arg("weights").noconvert(), nb::arg("directions").noconvert(), nb::arg("forests"),
          "Begin a search along each row of directions")
      .def(
          "trace",
          [](learn::DevSet& dev, size_t first, size_t end, unsigned threads) {
            std::vector<learn::Unscored> found;
            {
              const nb::gil_scoped_release unlocked;
              found = dev.trace(first, end, threads);
            }
            return texts_of(found);
          },
          nb::arg("first"), nb::arg("end"), nb::arg("threads"),
          "Trace sentences along all directions; (sentence, texts) still to be scored")
      .def(
          "score",
          [](learn::DevSet& dev, size_t sentence, Matrix<int64_t> stats) {
            const nb::gil_scoped_release unlocked;
            dev.score(sentence, stats_of(stats));
          },
          nb::arg("sentence"), nb::arg("statistics").noconvert(),
          "The BLEU statistics of the texts that trace or explore gave for a sentence")
      .def(
          "steps",
          [](const learn::DevSet& dev, double margin, unsigned threads) {
            std::vector<learn::Step> steps;
            {
              const nb::gil_scoped_release unlocked;
              steps = dev.steps(margin, threads);
            }
            nb::list result;
            for (const learn::Step& s : steps)
              result.append(nb::make_tuple(s.x, s.bleu, s.low, s.high));
            return result;
          },
          nb::arg("margin"), nb::arg("threads"), "(x, BLEU, low, high) for each direction")
      .def("forget", &learn::DevSet::forget, Unlocked(),
           "Where there is a forest, drop from the list what was best nowhere in the last search")
      .def_prop_ro("hypotheses", &learn::DevSet::hypotheses)
      .def("lists", &arrays_of, "Borders of sentences, features and statistics of all lists")
      .def_prop_ro("truncated", &learn::DevSet::truncated)
      .def_prop_ro("sentences", &learn::DevSet::sentences);
  nb::class_<learn::Mira>(m, "Mira", "Passes of batch MIRA; see demotic.learn.mira")
      .def(
          "__init__",
          [](learn::Mira* self, Input<uint64_t> off, Matrix<double> rows, Matrix<int64_t> stats,
             Vector weights, Vector start, Input<bool> free, double c, double decay, double l2) {
            const nb::gil_scoped_release unlocked;
            learn::HypothesisLists lists{
                copy_of(off), {rows.data(), rows.data() + rows.size()}, stats_of(stats)};
            new (self) learn::Mira(std::move(lists), copy_of(weights), copy_of(start),
                                   flags_of(free), {.c = c, .decay = decay, .l2 = l2});
          },
          nb::arg("off").noconvert(), nb::arg("features").noconvert(),
          nb::arg("statistics").noconvert(), nb::arg("weights").noconvert(),
          nb::arg("start").noconvert(), nb::arg("free").noconvert(), nb::arg("c"), nb::arg("decay"),
          nb::arg("l2"))
      .def(
          "run",
          [](learn::Mira& mira, Input<uint32_t> order) {
            const nb::gil_scoped_release unlocked;
            mira.pass(span_of(order));
          },
          nb::arg("order").noconvert(), "Visit sentences in this order")
      .def(
          "mean",
          [](const learn::Mira& mira) {
            std::vector<double> mean;
            {
              const nb::gil_scoped_release unlocked;
              mean = mira.mean();
            }
            return numpy(std::move(mean));
          },
          "The mean of the weights after each visit")
      .def(
          "best_statistics",
          [](const learn::Mira& mira, Vector weights, unsigned threads) {
            std::vector<int64_t> values(kBleuFields);
            {
              const nb::gil_scoped_release unlocked;
              const metrics::BleuStats sum = mira.best_stats(span_of(weights), threads);
              std::memcpy(values.data(), &sum, sizeof sum);
            }
            return numpy(std::move(values), {1, kBleuFields});
          },
          nb::arg("weights").noconvert(), nb::arg("threads"),
          "BLEU statistics of the best hypotheses under these weights, summed up")
      .def_prop_ro("sentences", &learn::Mira::sentences);
}

}  // namespace demotic::bind
