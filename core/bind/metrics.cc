#include <nanobind/ndarray.h>
#include <nanobind/stl/vector.h>

#include <cstring>
#include <memory>

#include "bind/bind.h"
#include "io/error.h"
#include "metrics/bleu.h"
#include "metrics/expected_bleu.h"
#include "metrics/gtm.h"
#include "metrics/sentence_bleu.h"
#include "parallel.h"

namespace demotic::bind {

namespace {

using Rows = nb::ndarray<nb::numpy, const int64_t, nb::ndim<2>, nb::c_contig>;
using Columns = std::vector<const text::TokenLines*>;

constexpr size_t kBleuFields = sizeof(metrics::BleuStats) / sizeof(int64_t);
constexpr size_t kGtmFields = sizeof(metrics::GtmStats) / sizeof(double);

// A NumPy array that owns a copy of plain records, each a row of `fields` numbers.
template <class Number, class Record>
auto rows_of(const std::vector<Record>& records) {
  constexpr size_t fields = sizeof(Record) / sizeof(Number);
  auto data = std::make_unique<Number[]>(records.size() * fields);
  if (!records.empty()) std::memcpy(data.get(), records.data(), records.size() * sizeof(Record));
  Number* raw = data.release();
  nb::capsule owner(raw, [](void* p) noexcept { delete[] static_cast<Number*>(p); });
  return nb::ndarray<nb::numpy, Number, nb::ndim<2>>(raw, {records.size(), fields}, owner);
}

auto array_of(const std::vector<double>& values) {
  auto data = std::make_unique<double[]>(values.size());
  std::copy(values.begin(), values.end(), data.get());
  double* raw = data.release();
  nb::capsule owner(raw, [](void* p) noexcept { delete[] static_cast<double*>(p); });
  return nb::ndarray<nb::numpy, double, nb::ndim<1>>(raw, {values.size()}, owner);
}

metrics::BleuStats stats_at(const Rows& rows, size_t row) {
  metrics::BleuStats stats;
  std::memcpy(static_cast<void*>(&stats), rows.data() + row * kBleuFields, sizeof stats);
  return stats;
}

std::vector<metrics::GtmStats> gtm_of_lines(const text::TokenLines& hypothesis,
                                            const Columns& references, double exponent,
                                            unsigned threads) {
  if (!(exponent >= 1.0)) throw io::Error(io::Fault::argument, "the exponent must be at least 1");
  for (const text::TokenLines* reference : references)
    if (reference->size() != hypothesis.size())
      throw io::Error(io::Fault::argument,
                      "hypothesis and reference differ in their number of lines");
  std::vector<metrics::GtmStats> all(hypothesis.size());
  std::vector<metrics::GtmScratch> scratches(std::max(threads, 1u));
  parallel_for(all.size(), threads, [&](size_t line, unsigned worker) {
    std::vector<std::span<const uint32_t>> spans;
    for (const text::TokenLines* reference : references) spans.push_back((*reference)[line]);
    all[line] = metrics::gtm_statistics(hypothesis[line], spans, exponent, scratches[worker]);
  });
  return all;
}

}  // namespace

void metrics(nb::module_& m) {
  nb::enum_<metrics::BleuSmoothing>(m, "BleuSmoothing")
      .value("none", metrics::BleuSmoothing::none)
      .value("floor", metrics::BleuSmoothing::floor)
      .value("add_k", metrics::BleuSmoothing::add_k)
      .value("exp", metrics::BleuSmoothing::exp);

  nb::class_<metrics::BleuOptions>(m, "BleuOptions", "How BLEU is smoothed")
      .def(
          "__init__",
          [](metrics::BleuOptions* self, metrics::BleuSmoothing smoothing, double value,
             bool effective_order) {
            new (self) metrics::BleuOptions{smoothing, value, effective_order};
          },
          nb::arg("smoothing"), nb::arg("value"), nb::arg("effective_order"));

  nb::class_<metrics::SentenceBleu>(m, "SentenceBleu",
                                    "One sentence's references, ready to score against")
      .def(
          "__init__",
          [](metrics::SentenceBleu* self, const std::vector<std::string>& references,
             metrics::BleuOptions options) {
            new (self) metrics::SentenceBleu(references, options);
          },
          nb::arg("references"), nb::arg("options"))
      .def(
          "score",
          [](const metrics::SentenceBleu& self, std::string_view hypothesis) {
            thread_local metrics::BleuScratch scratch;
            return self.score(hypothesis, scratch);
          },
          nb::arg("hypothesis"), "BLEU, 0 to 100, of tokens separated by spaces")
      .def(
          "scores",
          [](const metrics::SentenceBleu& self, const std::vector<std::string>& hypotheses,
             unsigned threads) {
            std::vector<double> scores(hypotheses.size());
            {
              const nb::gil_scoped_release unlocked;
              std::vector<metrics::BleuScratch> scratches(std::max(threads, 1u));
              parallel_for(scores.size(), threads, [&](size_t at, unsigned worker) {
                scores[at] = self.score(hypotheses[at], scratches[worker]);
              });
            }
            return array_of(scores);
          },
          nb::arg("hypotheses"), nb::arg("threads"), "BLEU of each of many hypotheses")
      .def(
          "statistics",
          [](const metrics::SentenceBleu& self, std::string_view hypothesis) {
            thread_local metrics::BleuScratch scratch;
            return rows_of<int64_t>(
                std::vector<metrics::BleuStats>{self.stats(hypothesis, scratch)});
          },
          nb::arg("hypothesis"), "matches 1-4, totals 1-4, hypothesis and reference length");

  m.def(
      "bleu_statistics",
      [](const text::TokenLines& hypothesis, const Columns& references, unsigned threads) {
        std::vector<metrics::BleuStats> all;
        {
          const nb::gil_scoped_release unlocked;
          all = metrics::sentence_statistics(hypothesis, references, threads);
        }
        return rows_of<int64_t>(all);
      },
      nb::arg("hypothesis"), nb::arg("references"), nb::arg("threads"),
      "A row per line: matches 1-4, totals 1-4, hypothesis and reference length");

  m.def(
      "bleu_scores",
      [](Rows statistics, metrics::BleuOptions options) {
        if (statistics.shape(1) != kBleuFields)
          throw io::Error(io::Fault::argument, "BLEU statistics have 10 columns");
        std::vector<double> scores(statistics.shape(0));
        {
          const nb::gil_scoped_release unlocked;
          for (size_t row = 0; row < scores.size(); ++row)
            scores[row] = bleu(stats_at(statistics, row), options);
        }
        return array_of(scores);
      },
      nb::arg("statistics").noconvert(), nb::arg("options"), "BLEU, 0 to 100, of each row");

  m.def(
      "expected_bleu",
      [](const std::vector<std::vector<std::string>>& lists,
         const std::vector<std::vector<double>>& scores, double scale, metrics::BleuOptions options,
         unsigned threads) {
        if (lists.size() != scores.size())
          throw io::Error(io::Fault::argument, "each list needs its scores");
        std::vector<std::vector<double>> expected(lists.size());
        const nb::gil_scoped_release unlocked;
        parallel_for(lists.size(), threads, [&](size_t i, unsigned) {
          expected[i] = metrics::expected_bleu(lists[i], scores[i], scale, options);
        });
        return expected;
      },
      nb::arg("lists"), nb::arg("scores"), nb::arg("scale"), nb::arg("options"), nb::arg("threads"),
      "For each line of each list its BLEU against the others, as to expect");

  m.def(
      "gtm_statistics",
      [](const text::TokenLines& hypothesis, const Columns& references, double exponent,
         unsigned threads) {
        std::vector<metrics::GtmStats> all;
        {
          const nb::gil_scoped_release unlocked;
          all = gtm_of_lines(hypothesis, references, exponent, threads);
        }
        static_assert(kGtmFields == 3);
        return rows_of<double>(all);
      },
      nb::arg("hypothesis"), nb::arg("references"), nb::arg("exponent"), nb::arg("threads"),
      "A row per line: match size, hypothesis length, mean reference length");
}

}  // namespace demotic::bind
