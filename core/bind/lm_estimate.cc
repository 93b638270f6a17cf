#include <nanobind/stl/array.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include "bind/arrays.h"
#include "lm/classes.h"
#include "lm/estimate.h"
#include "lm/estimate_counted.h"

namespace demotic::bind {
namespace {

// A Tick that tells Python and lets Ctrl-C through; kernels call it without the interpreter lock.
lm::Tick python_tick(nb::object advance) {
  return [advance = std::move(advance)](uint64_t amount) {
    const nb::gil_scoped_acquire locked;
    if (PyErr_CheckSignals() != 0) throw nb::python_error();
    if (!advance.is_none()) advance(amount);
  };
}

// Collects one order's n-grams.
class NgramArrays final : public lm::NgramSink {
 public:
  explicit NgramArrays(size_t order) : order_(order) {}
  void begin(std::span<const uint64_t>, lm::Counts) override {}
  void word(std::string_view) override {}
  void ngram(std::span<const uint32_t> words, float prob, float backoff) override {
    if (words.size() != order_) return;
    words_.insert(words_.end(), words.begin(), words.end());
    prob_.push_back(prob);
    backoff_.push_back(backoff);
  }
  void end() override {}

  nb::tuple arrays() {
    const size_t count = prob_.size();
    return nb::make_tuple(numpy(std::move(words_), {count, order_}), numpy(std::move(prob_)),
                          numpy(std::move(backoff_)));
  }

 private:
  size_t order_;
  std::vector<uint32_t> words_;
  std::vector<float> prob_, backoff_;
};

class WordList final : public lm::NgramSink {
 public:
  std::vector<std::string> words;
  void begin(std::span<const uint64_t>, lm::Counts) override {}
  void word(std::string_view word) override { words.emplace_back(word); }
  void ngram(std::span<const uint32_t>, float, float) override {}
  void end() override {}
};

void word_classes(nb::module_& m) {
  nb::class_<lm::BigramCounts>(m, "BigramCounts", "Counts of neighbouring words")
      .def(nb::init<bool>(), nb::arg("skip_special") = false)
      .def(
          "add",
          [](lm::BigramCounts& counts, nb::bytes lines) {
            const std::string_view view(lines.c_str(), lines.size());
            const nb::gil_scoped_release unlocked;
            counts.add(view);
          },
          nb::arg("lines"), "Count in whole lines of UTF-8")
      .def("next_file", &lm::BigramCounts::next_file)
      .def_prop_ro("lines", &lm::BigramCounts::lines)
      .def_prop_ro("words",
                   [](const lm::BigramCounts& counts) { return counts.vocab().size() - 1; });

  nb::class_<lm::ClassExchange>(m, "ClassExchange", "Words move between classes while that helps")
      .def(nb::init<lm::BigramCounts&, uint32_t, uint64_t, unsigned>(), nb::arg("counts"),
           nb::arg("classes"), nb::arg("min_count"), nb::arg("threads"), Unlocked())
      .def("__len__", &lm::ClassExchange::items)
      .def("improve", &lm::ClassExchange::improve, nb::arg("begin"), nb::arg("end"), Unlocked(),
           "Look at some items once; the number of moves made")
      .def_prop_ro("log_likelihood", &lm::ClassExchange::log_likelihood)
      .def(
          "assignment",
          [](const lm::ClassExchange& exchange, const lm::BigramCounts& counts) {
            const std::vector<uint32_t> classes = unlocked([&] { return exchange.classes(); });
            nb::dict out;
            for (size_t rank = 0; rank < classes.size(); ++rank) {
              const std::string_view word = counts.vocab().word(exchange.words()[rank]);
              out[nb::str(word.data(), word.size())] = classes[rank];
            }
            return out;
          },
          nb::arg("counts"), "Word -> class, frequent words first");
}

void counted_text(nb::module_& m) {
  m.def(
      "count_ngrams",
      [](const lm::TrainingText& text, unsigned order, const Input<uint32_t>& renumbered,
         uint32_t words) {
        lm::NgramCounts found =
            unlocked([&] { return count_ngrams(text, order, span_of(renumbered), words); });
        return nb::make_tuple(numpy(std::move(found.keys)), numpy(std::move(found.counts)));
      },
      nb::arg("text"), nb::arg("order"), nb::arg("renumbered").noconvert(), nb::arg("words"),
      "Distinct n-grams as bytes, the last word first, and how often each is there");

  nb::class_<lm::CountedText>(m, "LmCountedText", "N-grams of a text that was counted in pieces")
      .def(
          "__init__",
          [](lm::CountedText* self, const text::Vocab& vocab, const Input<uint64_t>& frequencies,
             unsigned order, uint64_t memory, std::string temp, bool discount_fallback,
             std::vector<uint64_t> prune, uint64_t vocab_limit, unsigned threads) {
            const nb::gil_scoped_release unlocked;
            new (self) lm::CountedText(vocab, copy_of(frequencies),
                                       {order, memory, std::move(temp), discount_fallback,
                                        std::move(prune), vocab_limit, threads});
          },
          nb::arg("vocab"), nb::arg("frequencies").noconvert(), nb::arg("order"), nb::arg("memory"),
          nb::arg("temp"), nb::arg("discount_fallback"), nb::arg("prune"), nb::arg("vocab_limit"),
          nb::arg("threads"))
      .def(
          "add",
          [](lm::CountedText& text, const Input<uint8_t>& keys, const Input<int64_t>& counts) {
            const nb::gil_scoped_release unlocked;
            text.add(span_of(keys), span_of(counts));
          },
          nb::arg("keys").noconvert(), nb::arg("counts").noconvert(),
          "N-grams as count_ngrams gives them")
      .def(
          "estimate",
          [](lm::CountedText& text, nb::object advance) {
            const lm::Tick tick = python_tick(std::move(advance));
            const nb::gil_scoped_release unlocked;
            return text.estimate(tick);
          },
          nb::arg("advance"), "Interpolated modified Kneser-Ney; the n-grams are used up");
}

}  // namespace

void lm_estimate(nb::module_& m) {
  word_classes(m);
  counted_text(m);

  nb::class_<lm::TrainingText>(m, "LmText", "Tokenised text to estimate a language model from")
      .def(nb::init<std::string, uint64_t, bool>(), nb::arg("temp"), nb::arg("memory"),
           nb::arg("skip_special"))
      .def(
          "add",
          [](lm::TrainingText& text, nb::bytes lines) {
            const std::string_view view(lines.c_str(), lines.size());
            const nb::gil_scoped_release unlocked;
            text.add(view);
          },
          nb::arg("lines"), "Append whole lines of UTF-8")
      .def("next_file", &lm::TrainingText::next_file)
      .def(
          "vocabulary",
          [](const lm::TrainingText& text) {
            auto [joined, frequencies] = unlocked([&] {
              std::string lines;
              for (uint32_t id = lm::kEnd + 1; id < text.vocab().size(); ++id)
                lines.append(text.vocab().word(id)).push_back('\n');
              return std::pair(std::move(lines), text.frequencies());
            });
            return nb::make_tuple(nb::bytes(joined.data(), joined.size()),
                                  numpy(std::move(frequencies)));
          },
          "Its words, one a line, and how often each id occurs: <unk>, <s>, </s>, these words")
      .def_prop_ro("words", &lm::TrainingText::words)
      .def_prop_ro("lines", &lm::TrainingText::lines);

  nb::class_<lm::Discounts>(m, "Discounts",
                            "What Kneser-Ney takes from counts of 1, 2 and 3 or more")
      .def_ro("amount", &lm::Discounts::amount)
      .def_ro("fallback", &lm::Discounts::fallback);

  nb::class_<lm::EstimatedModel>(m, "LmEstimated",
                                 "An estimated model that can be played to a sink")
      .def_prop_ro("order", &lm::EstimatedModel::order)
      .def_prop_ro("counts", &lm::EstimatedModel::counts)
      .def_prop_ro("discounts", &lm::EstimatedModel::discounts)
      .def(
          "play",
          [](const lm::EstimatedModel& model, lm::NgramSink& sink, nb::object advance) {
            const lm::Tick tick = python_tick(std::move(advance));
            const nb::gil_scoped_release unlocked;
            model.play(sink, tick);
          },
          nb::arg("sink"), nb::arg("advance") = nb::none())
      .def("words",
           [](const lm::EstimatedModel& model) {
             const nb::gil_scoped_release unlocked;
             WordList list;
             model.play(list, {});
             return list.words;
           })
      .def(
          "arrays",
          [](const lm::EstimatedModel& model, size_t order) {
            NgramArrays arrays(order);
            {
              const nb::gil_scoped_release unlocked;
              model.play(arrays, {});
            }
            return arrays.arrays();
          },
          nb::arg("order"), "Word ids, log10 probabilities and back-offs of one order");

  m.def(
      "lm_estimate",
      [](lm::TrainingText& text, unsigned order, uint64_t memory, std::string temp,
         bool discount_fallback, std::vector<uint64_t> prune, uint64_t vocab_limit,
         unsigned threads, nb::object advance) {
        const lm::EstimateOptions options{
            order,       memory, std::move(temp), discount_fallback, std::move(prune),
            vocab_limit, threads};
        const lm::Tick tick = python_tick(std::move(advance));
        const nb::gil_scoped_release unlocked;
        return estimate(std::move(text), options, tick);
      },
      nb::arg("text"), nb::arg("order"), nb::arg("memory"), nb::arg("temp"),
      nb::arg("discount_fallback"), nb::arg("prune"), nb::arg("vocab_limit"), nb::arg("threads"),
      nb::arg("advance"), "Interpolated modified Kneser-Ney; the text is used up");
}

}  // namespace demotic::bind
