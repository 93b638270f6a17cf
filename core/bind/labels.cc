#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/variant.h>
#include <nanobind/stl/vector.h>

#include <memory>
#include <optional>
#include <utility>
#include <variant>

#include "bind/arrays.h"
#include "bind/gains.h"
#include "features/tree_ensembles.h"
#include "grammar/label_corpus_builder.h"
#include "grammar/label_model.h"
#include "io/error.h"
#include "learn/cost_boosting.h"
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

// Weights of rows, or trees; both stay alive as arguments.
using Policy = std::variant<Input<float>, const features::TreeEnsembles*>;

learn::LabelPolicy policy_of(const Policy& policy) {
  if (const auto* weights = std::get_if<Input<float>>(&policy)) return {span_of(*weights), nullptr};
  const features::TreeEnsembles* const trees = std::get<const features::TreeEnsembles*>(policy);
  if (trees == nullptr) throw io::Error(io::Fault::argument, "no policy");
  return {{}, &trees->view()};
}

learn::LabelMixture mixture(const std::vector<Policy>& policies, const std::vector<double>& shares,
                            bool for_rollout) {
  if (policies.size() != shares.size())
    throw io::Error(io::Fault::argument, "a mixture needs a share for each of its policies");
  learn::LabelMixture made;
  for (const Policy& each : policies) made.policies.push_back(policy_of(each));
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
          [](const Task& t, const std::vector<Policy>& in, const std::vector<double>& in_shares,
             bool in_whole, const std::string& kind, const std::vector<Policy>& out,
             const std::vector<double>& out_shares, bool out_whole, uint64_t seed, bool shared,
             unsigned threads) {
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
          [](const Task& t, const std::vector<Policy>& weights, const std::vector<double>& shares,
             uint64_t seed) {
            const learn::LabelMixture policy = mixture(weights, shares, false);
            const auto found = unlocked([&] { return t.task.accuracy(policy, seed); });
            return std::pair{found.right, found.labels};
          },
          nb::arg("weights"), nb::arg("shares"), nb::arg("seed"),
          "How many labels are right, and how many there are, where there is a choice")
      .def(
          "order_bleu",
          [](const Task& t, const std::vector<Policy>& weights, const std::vector<double>& shares,
             uint64_t seed) {
            const learn::LabelMixture policy = mixture(weights, shares, false);
            return unlocked([&] { return t.task.order_bleu(policy, seed); });
          },
          nb::arg("weights"), nb::arg("shares"), nb::arg("seed"),
          "BLEU of the items' target words in the order of the labels")
      .def(
          "labels",
          [](const Task& t, size_t sentence, const std::vector<Policy>& weights,
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
          [](const Task& t, const Policy& policy, double temperature) {
            const learn::LabelPolicy chooses = policy_of(policy);
            return unlocked([&] { return t.task.log_likelihood(chooses, temperature); });
          },
          nb::arg("policy"), nb::arg("temperature"));

  cost_learner<learn::CostPerceptron>(m, "CostPerceptron", "An averaged perceptron, from costs");
  cost_learner<learn::CostSoftmax>(m, "CostSoftmax", "Logistic regression, from costs");
  m.def(
      "boost_costs",
      [](const learn::CostExamples& examples, uint32_t rows, const std::vector<uint32_t>& order,
         double lambda_min, double decay, uint32_t max_trees, const std::string& gain,
         double min_gain_factor, uint32_t max_depth, bool converge, bool per_leaf,
         unsigned threads) {
        const learn::BoostOptions options{lambda_min,         decay,           max_trees,
                                          gain_by_name(gain), min_gain_factor, max_depth,
                                          converge,           per_leaf,        false};
        return unlocked([&] {
          return features::TreeEnsembles(
              learn::boost_costs(examples, rows, order, options, threads), rows);
        });
      },
      nb::arg("examples"), nb::arg("rows"), nb::arg("order"), nb::arg("lambda_min"),
      nb::arg("decay"), nb::arg("max_trees"), nb::arg("gain"), nb::arg("min_gain_factor"),
      nb::arg("max_depth"), nb::arg("converge"), nb::arg("per_leaf"), nb::arg("threads"));
  m.def(
      "mean_margin",
      [](const learn::CostExamples& examples, const features::TreeEnsembles& trees,
         const std::vector<uint32_t>& order) {
        return unlocked(
            [&] { return learn::mean_margin(examples, trees.view(), trees.features(), order); });
      },
      nb::arg("examples"), nb::arg("trees"), nb::arg("order"));
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
             const Input<uint64_t>& keys, const std::vector<uint64_t>& counts, const Policy& policy,
             const text::Vocab& source, const text::Vocab& target) {
            const learn::LabelPolicy chooses = policy_of(policy);
            const grammar::LabelModel::Content content{templates_by_name(features),
                                                       mask_by_name(mask),
                                                       depth,
                                                       stack,
                                                       classes,
                                                       temperature,
                                                       span_of(keys),
                                                       counts,
                                                       chooses.weights,
                                                       source.view(),
                                                       target.view(),
                                                       chooses.trees};
            unlocked([&] { grammar::LabelModel::save(path, content); });
          },
          nb::arg("path"), nb::arg("features"), nb::arg("mask"), nb::arg("depth"), nb::arg("stack"),
          nb::arg("classes"), nb::arg("temperature"), nb::arg("keys"), nb::arg("counts"),
          nb::arg("policy"), nb::arg("source"), nb::arg("target"))
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
      .def_prop_ro("trees",
                   [](const grammar::LabelModel& model) {
                     return model.trees() == nullptr ? 0 : model.trees()->tree_ends.size();
                   })
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
            std::vector<uint32_t> rows;
            for (uint32_t t = 0; t < model.templates(); ++t) rows.push_back(model.row(keys[t]));
            if (model.sees_depth()) rows.push_back(model.depth_row(depth));
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
              for (const uint64_t key : more) rows.push_back(model.row(key));
            }
            std::vector<float> scores(model.stride(), 0.0f);
            if (model.trees() != nullptr) {
              grammar::LabelAtoms atoms(model);
              for (const uint32_t row : rows) atoms.add(row);
              atoms.score(scores);
            } else {
              for (const uint32_t row : rows) model.add(row, scores);
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
