#include <nanobind/stl/pair.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <tuple>
#include <utility>

#include "align/aligner.h"
#include "align/hmm.h"
#include "align/spelling.h"
#include "align/trainer.h"
#include "bind/arrays.h"

namespace demotic::bind {

namespace {

using Pair = std::pair<float, float>;
using HmmAnswer =
    std::tuple<double, std::vector<std::vector<float>>, std::vector<float>, std::vector<float>>;

align::Stage stage_of(std::string_view name) {
  if (name == "model1") return align::Stage::model1;
  if (name == "hmm") return align::Stage::hmm;
  throw io::Error(io::Fault::argument, "no such stage: " + std::string(name));
}

// One sentence's forward-backward, for a look inside: log-likelihood, posteriors, the empty word's,
// and the jump parameters that these posteriors alone would give.
HmmAnswer run_hmm(const std::vector<std::vector<float>>& emissions, const std::vector<float>& null,
                  float null_probability, const std::vector<float>& jump_parameters) {
  if (emissions.empty() || emissions[0].empty() || null.size() != emissions.size() ||
      emissions[0].size() > align::AlignerOptions::kLongest)
    throw io::Error(io::Fault::argument, "emissions of no sentence");
  const size_t states = emissions[0].size();
  std::vector<float> flat;
  for (const auto& row : emissions) {
    if (row.size() != states) throw io::Error(io::Fault::argument, "emissions of unequal rows");
    flat.insert(flat.end(), row.begin(), row.end());
  }
  align::Jumps jumps(static_cast<uint32_t>(states), jump_parameters);
  const align::HmmInput input{static_cast<uint32_t>(emissions.size()),
                              static_cast<uint32_t>(states),
                              flat.data(),
                              null.data(),
                              null_probability,
                              &jumps};
  align::HmmSentence hmm;
  const double log_likelihood = hmm.run(input);
  std::vector<std::vector<float>> posteriors;
  std::vector<float> null_posteriors;
  for (uint32_t j = 0; j < input.observations; ++j) {
    posteriors.emplace_back(hmm.posteriors(j), hmm.posteriors(j) + states);
    null_posteriors.push_back(hmm.null_posterior(j));
  }
  align::JumpCounts counts(static_cast<uint32_t>(states));
  hmm.count_jumps(input, counts);
  jumps.reestimate(counts, 0);
  return {log_likelihood,
          posteriors,
          null_posteriors,
          {jumps.parameters().begin(), jumps.parameters().end()}};
}

std::vector<float> parameters(const align::Jumps& jumps) {
  return {jumps.parameters().begin(), jumps.parameters().end()};
}

// Pairs of numbers of one type, one after the other, and back.
template <class T, class Pair>
std::vector<T> flat(const std::vector<Pair>& pairs) {
  std::vector<T> out;
  out.reserve(2 * pairs.size());
  for (const Pair& pair : pairs) {
    out.push_back(pair.forward);
    out.push_back(pair.backward);
  }
  return out;
}

template <class Pair, class T>
std::vector<Pair> paired(const Input<T>& numbers) {
  std::vector<Pair> out(numbers.shape(0) / 2);
  for (size_t at = 0; at < out.size(); ++at)
    out[at] = {numbers.data()[2 * at], numbers.data()[2 * at + 1]};
  return out;
}

// The six sums of jumps one after the other.
template <class Each>
void for_each_sum(align::JumpCounts& jumps, Each&& each) {
  for (auto* sum : {&jumps.made, &jumps.chances, &jumps.started, &jumps.start_chances, &jumps.ended,
                    &jumps.end_chances})
    each(*sum);
}

std::vector<int64_t> numbers_of(align::JumpCounts jumps) {
  std::vector<int64_t> out;
  for_each_sum(jumps, [&](auto& sum) { out.insert(out.end(), sum.begin(), sum.end()); });
  return out;
}

align::JumpCounts jumps_of(const Input<int64_t>& numbers, uint32_t max_length) {
  align::JumpCounts jumps(max_length);
  size_t at = 0;
  for_each_sum(jumps, [&](auto& sum) { at += sum.size(); });
  if (at != numbers.shape(0)) throw io::Error(io::Fault::argument, "jumps of other lengths");
  const int64_t* next = numbers.data();
  for_each_sum(jumps, [&](auto& sum) {
    std::copy(next, next + sum.size(), sum.begin());
    next += sum.size();
  });
  return jumps;
}

// What goes to pieces of a text elsewhere, and what comes back from them.
void bind_sums(nb::class_<align::AlignerTrainer>& trainer) {
  trainer
      .def(
          "__init__",
          [](align::AlignerTrainer* self, const Input<uint32_t>& row_ends,
             const Input<uint32_t>& targets, const text::Vocab& vocab,
             const align::AlignerOptions& options) {
            const nb::gil_scoped_release unlocked;
            new (self) align::AlignerTrainer(copy_of(row_ends), copy_of(targets), vocab, options);
          },
          nb::arg("row_ends").noconvert(), nb::arg("targets").noconvert(), nb::arg("vocab"),
          nb::arg("options"), "For the cells of a text that is elsewhere")
      .def(
          "cell_arrays",
          [](const align::AlignerTrainer& trainer) {
            auto [ends, targets] = unlocked([&] {
              return std::pair(
                  std::vector<uint32_t>(trainer.row_ends().begin(), trainer.row_ends().end()),
                  std::vector<uint32_t>(trainer.targets().begin(), trainer.targets().end()));
            });
            return nb::make_tuple(numpy(std::move(ends)), numpy(std::move(targets)));
          },
          "Where the row of each source word ends, and the target word of each cell")
      .def(
          "weights",
          [](const align::AlignerTrainer& trainer) {
            auto [cells, null, forward, backward] = unlocked([&] {
              const align::TrainerWeights weights = trainer.weights();
              return std::tuple(flat<float>(weights.cells), flat<float>(weights.null),
                                weights.forward_jumps, weights.backward_jumps);
            });
            return nb::make_tuple(numpy(std::move(cells)), numpy(std::move(null)),
                                  numpy(std::move(forward)), numpy(std::move(backward)));
          },
          "Of cells, the spare one last, and of the empty word, forward and backward by turns; of "
          "jumps, forward, then backward")
      .def(
          "take",
          [](align::AlignerTrainer& trainer, const Input<float>& cells, const Input<float>& null,
             const Input<float>& forward, const Input<float>& backward) {
            const nb::gil_scoped_release unlocked;
            trainer.take({paired<align::DirectedWeights>(cells),
                          paired<align::DirectedWeights>(null), copy_of(forward),
                          copy_of(backward)});
          },
          nb::arg("cells").noconvert(), nb::arg("null").noconvert(), nb::arg("forward").noconvert(),
          nb::arg("backward").noconvert(), "Go by the weights that another trainer gave")
      .def(
          "counts",
          [](const align::AlignerTrainer& trainer) {
            auto [cells, null, forward, backward, likelihood] = unlocked([&] {
              const align::TrainerCounts counts = trainer.counts();
              return std::tuple(flat<int64_t>(counts.cells), flat<int64_t>(counts.null),
                                numbers_of(counts.forward_jumps), numbers_of(counts.backward_jumps),
                                counts.log_likelihood);
            });
            return nb::make_tuple(numpy(std::move(cells)), numpy(std::move(null)),
                                  numpy(std::move(forward)), numpy(std::move(backward)),
                                  likelihood);
          },
          "What was expected since the weights were set, in whole numbers that add up")
      .def(
          "weights_of",
          [](const align::AlignerTrainer& trainer, const Input<uint32_t>& cells) {
            return numpy(unlocked([&] { return flat<float>(trainer.weights_of(span_of(cells))); }));
          },
          nb::arg("cells").noconvert(), "Of some cells")
      .def(
          "add_counts_of",
          [](align::AlignerTrainer& trainer, const Input<uint32_t>& cells,
             const Input<int64_t>& counts) {
            const nb::gil_scoped_release unlocked;
            trainer.add_counts_of(span_of(cells), span_of(counts));
          },
          nb::arg("cells").noconvert(), nb::arg("counts").noconvert(), "To those of some cells")
      .def(
          "add_counts",
          [](align::AlignerTrainer& trainer, std::string_view stage, uint32_t max_length,
             const Input<int64_t>& cells, const Input<int64_t>& null, const Input<int64_t>& forward,
             const Input<int64_t>& backward, int64_t likelihood) {
            const nb::gil_scoped_release unlocked;
            trainer.add_counts(
                stage_of(stage),
                {paired<align::DirectedCounts>(cells), paired<align::DirectedCounts>(null),
                 jumps_of(forward, max_length), jumps_of(backward, max_length), likelihood});
          },
          nb::arg("stage"), nb::arg("max_length"), nb::arg("cells").noconvert(),
          nb::arg("null").noconvert(), nb::arg("forward").noconvert(),
          nb::arg("backward").noconvert(), nb::arg("likelihood"),
          "Add what other trainers counted; cells may be left out");
}

void bind_trainer(nb::module_& m) {
  nb::class_<align::AlignerOptions>(m, "AlignerOptions", "What the aligner's arithmetic depends on")
      .def(nb::init<>())
      .def_rw("max_length", &align::AlignerOptions::max_length)
      .def_rw("agreement", &align::AlignerOptions::agreement)
      .def_rw("null_probability", &align::AlignerOptions::null_probability)
      .def_rw("lexical_prior", &align::AlignerOptions::lexical_prior)
      .def_rw("spelling_prior", &align::AlignerOptions::spelling_prior)
      .def_rw("jump_smoothing", &align::AlignerOptions::jump_smoothing);

  nb::class_<align::AlignerTrainer> trainer(m, "AlignerTrainer",
                                            "Expectation-maximisation of the word aligner");
  trainer
      .def(nb::init<const text::TokenLines&, const text::TokenLines&, const text::Vocab&,
                    const align::AlignerOptions&, std::string, uint64_t, unsigned>(),
           nb::arg("source"), nb::arg("target"), nb::arg("vocab"), nb::arg("options"),
           nb::arg("folder"), nb::arg("memory"), nb::arg("threads"), nb::keep_alive<1, 2>(),
           nb::keep_alive<1, 3>(), Unlocked())
      .def(
          "expect",
          [](align::AlignerTrainer& trainer, std::string_view stage, size_t begin, size_t end,
             unsigned threads) { trainer.expect(stage_of(stage), begin, end, threads); },
          nb::arg("stage"), nb::arg("begin"), nb::arg("end"), nb::arg("threads"), Unlocked(),
          "Count the links that sentence pairs from begin up to end are expected to have")
      .def("maximise", &align::AlignerTrainer::maximise, nb::arg("threads"), Unlocked(),
           "Set the parameters from the counts; the log-likelihood that the old ones gave")
      .def("prune", &align::AlignerTrainer::prune, nb::arg("threads"), Unlocked())
      .def("model", &align::AlignerTrainer::model, nb::arg("vocab"), Unlocked())
      .def_prop_ro("cells", &align::AlignerTrainer::cells)
      .def_prop_ro("skipped", &align::AlignerTrainer::skipped)
      .def("__len__", &align::AlignerTrainer::pairs);
  bind_sums(trainer);
}

void bind_model(nb::module_& m) {
  nb::class_<align::AlignerModel>(m, "AlignerModel", "A trained word aligner")
      .def_static("load", &align::AlignerModel::load, nb::arg("path"), Unlocked())
      .def("save", &align::AlignerModel::save, nb::arg("path"), nb::arg("config"), Unlocked())
      .def(
          "align",
          [](const align::AlignerModel& model, nb::bytes source, nb::bytes target,
             unsigned threads) {
            const std::string_view from(source.c_str(), source.size());
            const std::string_view to(target.c_str(), target.size());
            align::DirectedLinks links;
            {
              const nb::gil_scoped_release unlocked;
              links = model.align(from, to, threads);
            }
            return std::pair<align::Links, align::Links>(std::move(links.forward),
                                                         std::move(links.backward));
          },
          nb::arg("source"), nb::arg("target"), nb::arg("threads"),
          "Links of two UTF-8 texts with the same number of lines: forward, backward")
      .def(
          "weights",
          [](const align::AlignerModel& model, std::string_view source, std::string_view target) {
            const align::DirectedWeights weights = model.weights(source, target);
            return Pair(weights.forward, weights.backward);
          },
          nb::arg("source"), nb::arg("target"))
      .def(
          "null_weights",
          [](const align::AlignerModel& model, std::string_view word) {
            const align::DirectedWeights weights = model.null_weights(word);
            return Pair(weights.forward, weights.backward);
          },
          nb::arg("word"))
      .def_prop_ro(
          "forward_jumps",
          [](const align::AlignerModel& model) { return parameters(model.forward_jumps()); })
      .def_prop_ro(
          "backward_jumps",
          [](const align::AlignerModel& model) { return parameters(model.backward_jumps()); })
      .def_prop_ro("config",
                   [](const align::AlignerModel& model) { return std::string(model.config()); })
      .def_prop_ro("words", &align::AlignerModel::words)
      .def_prop_ro("cells", &align::AlignerModel::cells);
}

}  // namespace

void align(nb::module_& m) {
  bind_trainer(m);
  bind_model(m);
  m.def("run_hmm", &run_hmm, nb::arg("emissions"), nb::arg("null"), nb::arg("null_probability"),
        nb::arg("jump_parameters"), Unlocked(),
        "Forward-backward of one sentence: log-likelihood, posteriors, those of the empty word, "
        "and re-estimated jump parameters");
  m.def("spelling_likeness", &align::spelling_likeness, nb::arg("a"), nb::arg("b"));
}

}  // namespace demotic::bind
