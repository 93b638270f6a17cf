#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <memory>
#include <optional>
#include <utility>

#include "bind/arrays.h"
#include "grammar/label_corpus_builder.h"
#include "grammar/label_model.h"
#include "io/error.h"
#include "learn/cost_perceptron.h"
#include "learn/cost_softmax.h"
#include "learn/label_task.h"

namespace demotic::bind {

namespace {

// Tasks refer to their corpus, and outlive the Python object that made it.
struct Corpora {
  std::shared_ptr<const grammar::LabelCorpora> made;
};

struct Task {
  std::shared_ptr<const grammar::LabelCorpora> made;
  learn::LabelTask task;
};

learn::LabelMixture mixture(const std::vector<Input<float>>& weights,
                            const std::vector<double>& shares, bool for_rollout) {
  if (weights.size() != shares.size())
    throw io::Error(io::Fault::argument, "a mixture needs a share for each of its policies");
  learn::LabelMixture made;
  for (const Input<float>& each : weights) made.weights.push_back(span_of(each));
  made.shares = shares;
  made.for_rollout = for_rollout;
  return made;
}

uint32_t templates_by_name(const std::string& name) {
  if (name == "paper") return grammar::kPaperTemplates;
  if (name == "context") return grammar::kContextTemplates;
  if (name == "classes") return grammar::kClassTemplates;
  throw io::Error(io::Fault::argument, "labels have no features called '" + name + "'", 0,
                  "paper, context or classes");
}

learn::LabelLoss loss_by_name(const std::string& name) {
  if (name == "hamming") return learn::LabelLoss::hamming;
  if (name == "bleu") return learn::LabelLoss::bleu;
  throw io::Error(io::Fault::argument, "there is no loss '" + name + "'", 0, "hamming or bleu");
}

learn::RollOut roll_out_by_name(const std::string& name) {
  if (name == "expert") return learn::RollOut::expert;
  if (name == "policy") return learn::RollOut::policy;
  if (name == "none") return learn::RollOut::none;
  throw io::Error(io::Fault::argument, "nobody called '" + name + "' rolls out", 0,
                  "expert, policy or none");
}

void corpora(nb::module_& m) {
  nb::class_<Corpora>(m, "LabelCorpora", "Items with labels and features, to learn from")
      .def_prop_ro(
          "keys",
          [](const Corpora& c) {
            return numpy(unlocked([&] { return std::vector<uint64_t>(c.made->keys); }));
          },
          nb::rv_policy::automatic)
      .def_prop_ro("label_counts", [](const Corpora& c) { return c.made->train.label_counts; })
      .def_prop_ro("sentences", [](const Corpora& c) { return c.made->train.sentences(); })
      .def_prop_ro("held_out", [](const Corpora& c) { return c.made->held_out.sentences(); })
      .def_prop_ro("items", [](const Corpora& c) { return c.made->train.items(); })
      .def_prop_ro("skipped", [](const Corpora& c) { return c.made->skipped; })
      .def_prop_ro("beyond", [](const Corpora& c) { return c.made->beyond; })
      .def(
          "gold",
          [](const Corpora& c, size_t sentence, bool held_out) {
            const events::LabelCorpus& corpus = held_out ? c.made->held_out : c.made->train;
            if (sentence >= corpus.sentences())
              throw io::Error(io::Fault::argument, "there is no such sentence");
            const auto [first, last] = corpus.sentence(sentence);
            std::vector<std::pair<uint32_t, bool>> all;
            for (size_t i = first; i < last; ++i)
              all.push_back({corpus.gold[i], corpus.forced[i] != 0});
            return all;
          },
          nb::arg("sentence"), nb::arg("held_out"), "Labels of a sentence, and which are forced");

  nb::class_<grammar::LabelCorpusBuilder>(m, "LabelCorpusBuilder", "Aligned text to LabelCorpora")
      .def(
          "__init__",
          [](grammar::LabelCorpusBuilder* self, const grammar::ItgOptions& items,
             const std::string& features, uint32_t min_count, uint32_t max_reductions,
             uint32_t holdout, bool words, bool stack, const std::vector<uint16_t>& classes) {
            new (self) grammar::LabelCorpusBuilder({templates_by_name(features), min_count,
                                                    max_reductions, holdout, words, stack, classes},
                                                   items);
          },
          nb::arg("items"), nb::arg("features"), nb::arg("min_count"), nb::arg("max_reductions"),
          nb::arg("holdout"), nb::arg("words"), nb::arg("stack"), nb::arg("classes"))
      .def("add", &grammar::LabelCorpusBuilder::add, nb::arg("source"), nb::arg("target"),
           nb::arg("links"), nb::arg("begin"), nb::arg("end"), Unlocked())
      .def(
          "finish",
          [](grammar::LabelCorpusBuilder& builder) {
            return Corpora{std::make_shared<const grammar::LabelCorpora>(builder.finish())};
          },
          Unlocked());
}

// Whoever learns from costs has the same face.
template <class Learner>
void cost_learner(nb::module_& m, const char* name, const char* what) {
  nb::class_<Learner>(m, name, what)
      .def(nb::init<uint32_t, std::vector<uint32_t>, uint64_t>(), nb::arg("rows"), nb::arg("order"),
           nb::arg("seed"), Unlocked())
      .def("learn", &Learner::pass, nb::arg("examples"), Unlocked(),
           "Once through the examples; how often it was wrong")
      .def("averaged", [](const Learner& learner) {
        return numpy(unlocked([&] { return learner.averaged(); }));
      });
}

void learners(nb::module_& m) {
  nb::class_<learn::CostExamples>(m, "CostExamples", "Choices among labels, with their costs")
      .def(nb::init<>())
      .def("__len__", &learn::CostExamples::size)
      .def("append", &learn::CostExamples::append, nb::arg("more"), Unlocked())
      .def_prop_ro(
          "rows",
          [](const learn::CostExamples& e) {
            auto copied = unlocked([&] { return std::vector<uint32_t>(e.rows); });
            return numpy(std::move(copied), {e.size(), e.width});
          },
          nb::rv_policy::automatic)
      .def_prop_ro(
          "costs",
          [](const learn::CostExamples& e) {
            auto copied = unlocked([&] { return std::vector<uint8_t>(e.costs); });
            return numpy(std::move(copied), {e.size(), e.labels});
          },
          nb::rv_policy::automatic);

  nb::class_<Task>(m, "LabelTask", "Labelling items from left to right, as a task")
      .def(
          "__init__",
          [](Task* self, const Corpora& corpora, bool held_out, bool masked, bool depth, bool stack,
             const std::string& loss) {
            const events::LabelCorpus& corpus =
                held_out ? corpora.made->held_out : corpora.made->train;
            const learn::LabelTaskOptions options{.masked = masked,
                                                  .depth_rows = depth ? grammar::kDepthRows : 0,
                                                  .stack = stack,
                                                  .loss = loss_by_name(loss)};
            new (self) Task{corpora.made, learn::LabelTask(corpus, options)};
          },
          nb::arg("corpora"), nb::arg("held_out"), nb::arg("masked"), nb::arg("depth"),
          nb::arg("stack"), nb::arg("loss"))
      .def_prop_ro("rows", [](const Task& t) { return t.task.rows(); })
      .def_prop_ro("order",
                   [](const Task& t) {
                     const auto order = t.task.order();
                     return std::vector<uint32_t>(order.begin(), order.end());
                   })
      .def(
          "examples",
          [](const Task& t, const std::vector<Input<float>>& in,
             const std::vector<double>& in_shares, bool in_whole, const std::string& kind,
             const std::vector<Input<float>>& out, const std::vector<double>& out_shares,
             bool out_whole, uint64_t seed, bool shared, unsigned threads) {
            const learn::LabelMixture roll_in = mixture(in, in_shares, in_whole);
            const learn::LabelMixture roll_out = mixture(out, out_shares, out_whole);
            return unlocked([&] {
              return t.task.examples(roll_in, roll_out_by_name(kind), roll_out,
                                     {.seed = seed, .shared = shared}, threads);
            });
          },
          nb::arg("roll_in"), nb::arg("in_shares"), nb::arg("in_whole"), nb::arg("kind"),
          nb::arg("roll_out"), nb::arg("out_shares"), nb::arg("out_whole"), nb::arg("seed"),
          nb::arg("shared"), nb::arg("threads"))
      .def(
          "accuracy",
          [](const Task& t, const std::vector<Input<float>>& weights,
             const std::vector<double>& shares, uint64_t seed) {
            const learn::LabelMixture policy = mixture(weights, shares, false);
            const auto found = unlocked([&] { return t.task.accuracy(policy, seed); });
            return std::pair{found.right, found.labels};
          },
          nb::arg("weights"), nb::arg("shares"), nb::arg("seed"),
          "How many labels are right, and how many there are, where there is a choice")
      .def(
          "order_bleu",
          [](const Task& t, const std::vector<Input<float>>& weights,
             const std::vector<double>& shares, uint64_t seed) {
            const learn::LabelMixture policy = mixture(weights, shares, false);
            return unlocked([&] { return t.task.order_bleu(policy, seed); });
          },
          nb::arg("weights"), nb::arg("shares"), nb::arg("seed"),
          "BLEU of the items' target words in the order of the labels")
      .def(
          "labels",
          [](const Task& t, size_t sentence, const std::vector<Input<float>>& weights,
             const std::vector<double>& shares, uint64_t seed) {
            const learn::LabelMixture policy = mixture(weights, shares, false);
            const auto found = unlocked([&] { return t.task.labels(sentence, policy, seed); });
            return std::vector<uint32_t>(found.begin(), found.end());
          },
          nb::arg("sentence"), nb::arg("weights"), nb::arg("shares"), nb::arg("seed"))
      .def(
          "costs_to_go",
          [](const Task& t, size_t sentence) {
            return unlocked([&] { return t.task.costs_to_go(sentence); });
          },
          nb::arg("sentence"))
      .def(
          "log_likelihood",
          [](const Task& t, const Input<float>& weights, double temperature) {
            const auto values = span_of(weights);
            return unlocked([&] { return t.task.log_likelihood(values, temperature); });
          },
          nb::arg("weights"), nb::arg("temperature"));

  cost_learner<learn::CostPerceptron>(m, "CostPerceptron", "An averaged perceptron, from costs");
  cost_learner<learn::CostSoftmax>(m, "CostSoftmax", "Logistic regression, from costs");
  m.def(
      "mean_margin",
      [](const learn::CostExamples& examples, const Input<float>& weights,
         const std::vector<uint32_t>& order) {
        const auto values = span_of(weights);
        return unlocked([&] { return learn::mean_margin(examples, values, order); });
      },
      nb::arg("examples"), nb::arg("weights"), nb::arg("order"));
}

grammar::Mask mask_by_name(const std::string& name) {
  if (name == "none") return grammar::Mask::none;
  if (name == "full") return grammar::Mask::full;
  throw io::Error(io::Fault::argument, "there is no mask '" + name + "'", 0, "none or full");
}

void models(nb::module_& m) {
  nb::class_<grammar::LabelModel>(m, "LabelModel", "See demotic.grammar.LabelModel")
      .def(nb::init<const std::string&, std::optional<bool>>(), nb::arg("path"),
           nb::arg("verify").none(), Unlocked())
      .def_static(
          "save",
          [](const std::string& path, const std::string& features, const std::string& mask,
             bool depth, bool stack, const std::vector<uint16_t>& classes, double temperature,
             const Input<uint64_t>& keys, const std::vector<uint64_t>& counts,
             const Input<float>& weights, const text::Vocab& source, const text::Vocab& target) {
            const grammar::LabelModel::Content content{templates_by_name(features),
                                                       mask_by_name(mask),
                                                       depth,
                                                       stack,
                                                       classes,
                                                       temperature,
                                                       span_of(keys),
                                                       counts,
                                                       span_of(weights),
                                                       source.view(),
                                                       target.view()};
            unlocked([&] { grammar::LabelModel::save(path, content); });
          },
          nb::arg("path"), nb::arg("features"), nb::arg("mask"), nb::arg("depth"), nb::arg("stack"),
          nb::arg("classes"), nb::arg("temperature"), nb::arg("keys"), nb::arg("counts"),
          nb::arg("weights"), nb::arg("source"), nb::arg("target"))
      .def_prop_ro("looks_at",
                   [](const grammar::LabelModel& model) {
                     return model.templates() == grammar::kPaperTemplates     ? "paper"
                            : model.templates() == grammar::kContextTemplates ? "context"
                                                                              : "classes";
                   })
      .def_prop_ro("stack", &grammar::LabelModel::sees_stack)
      .def_prop_ro("mask",
                   [](const grammar::LabelModel& model) {
                     return model.mask() == grammar::Mask::full ? "full" : "none";
                   })
      .def_prop_ro("depth", &grammar::LabelModel::sees_depth)
      .def_prop_ro("temperature", &grammar::LabelModel::temperature)
      .def_prop_ro("features", &grammar::LabelModel::features)
      .def(
          "scores",
          [](const grammar::LabelModel& model, const std::vector<uint32_t>& sentence, size_t begin,
             size_t end, const std::vector<uint32_t>& target, uint32_t depth,
             const std::vector<uint32_t>& labels, const std::vector<uint32_t>& borders) {
            if (begin >= end || end > sentence.size() || target.empty())
              throw io::Error(io::Fault::argument, "no such item in the sentence");
            grammar::LabelKeys keys;
            grammar::place_keys(sentence, begin, end, model.templates(), model.classes(), keys);
            keys[grammar::kTargetSide] = grammar::target_key(target);
            std::vector<float> scores(model.stride(), 0.0f);
            for (uint32_t t = 0; t < model.templates(); ++t) model.add(model.row(keys[t]), scores);
            if (model.sees_depth()) model.add(model.depth_row(depth), scores);
            if (model.sees_stack()) {
              events::LabelState state;
              for (const uint32_t label : labels) state.taken(label);
              if (borders.size() > 1) {
                state.top_first = borders[0];
                state.top_last = borders[1];
              }
              if (borders.size() > 2) state.below_last = borders[2];
              events::StateKeys more;
              events::state_keys(state, keys[grammar::kSourceSide], target.front(), target.back(),
                                 more);
              for (const uint64_t key : more) model.add(model.row(key), scores);
            }
            scores.resize(model.labels());
            return scores;
          },
          nb::arg("sentence"), nb::arg("begin"), nb::arg("end"), nb::arg("target"),
          nb::arg("depth"), nb::arg("labels") = std::vector<uint32_t>(),
          nb::arg("borders") = std::vector<uint32_t>(),
          "Of each label for an item, its words given by their ids; after these labels, on a stack "
          "whose top fragments have these words at their borders: first and last of the top, last "
          "of the one below")
      .def_prop_ro("counts", [](const grammar::LabelModel& model) {
        std::vector<uint64_t> all;
        for (uint32_t label = 0; label < model.labels(); ++label) all.push_back(model.count(label));
        return all;
      });
}

}  // namespace

void labels(nb::module_& m) {
  corpora(m);
  learners(m);
  models(m);
}

}  // namespace demotic::bind
