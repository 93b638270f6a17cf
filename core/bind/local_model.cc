#include "learn/local_model.h"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/vector.h>

#include <optional>
#include <vector>

#include "bind/arrays.h"
#include "bind/bind.h"
#include "io/error.h"

namespace demotic::bind {

namespace {

template <class T>
auto view(io::Array<T> events::EventGroups::* array) {
  return [array](const events::EventGroups& e) {
    const io::Array<T>& values = e.*array;
    return nb::ndarray<nb::numpy, const T>(values.data(), {values.size()}, nb::handle());
  };
}

// Of an array that need not be there.
template <class T>
io::Array<T> array_of(const std::optional<Input<T>>& given) {
  return given ? io::Array<T>(copy_of(*given)) : io::Array<T>();
}

learn::LearningRule rule_named(const std::string& name) {
  if (name == "sgd") return learn::LearningRule::sgd;
  if (name == "perceptron") return learn::LearningRule::perceptron;
  if (name == "averaged-perceptron") return learn::LearningRule::averaged_perceptron;
  throw io::Error(io::Fault::argument, "there is no learner '" + name + "'");
}

learn::EventLoss loss_named(const std::string& name) {
  if (name == "likelihood") return learn::EventLoss::likelihood;
  if (name == "softmax-margin") return learn::EventLoss::softmax_margin;
  if (name == "expected-cost") return learn::EventLoss::expected_cost;
  throw io::Error(io::Fault::argument, "there is no loss '" + name + "'", 0,
                  "likelihood, softmax-margin or expected-cost");
}

learn::LocalWeights weights_of(const Input<double>& dense, const Input<float>& sparse) {
  learn::LocalWeights w;
  w.dense = copy_of(dense);
  w.sparse = copy_of(sparse);
  return w;
}

void check_weights(const events::EventGroups& events, const learn::LocalWeights& w) {
  if (w.dense.size() != events.width || w.sparse.size() != events.sparse_size)
    throw io::Error(io::Fault::argument, "a weight is needed per feature");
}

void bind_events(nb::module_& m) {
  const auto kept = nb::rv_policy::reference_internal;
  nb::class_<events::EventGroups>(m, "EventGroups", "See demotic.learn.EventGroups")
      .def(
          "__init__",
          [](events::EventGroups* self, uint32_t width, uint32_t sparse_size,
             Input<uint64_t> group_ptr, Input<float> features, Input<uint32_t> binary,
             Input<uint32_t> group, Input<uint32_t> label,
             const std::optional<Input<uint64_t>>& sparse_ends,
             const std::optional<Input<uint32_t>>& sparse_ids,
             const std::optional<Input<float>>& sparse_values,
             const std::optional<Input<float>>& cost) {
            const nb::gil_scoped_release unlocked;
            const size_t groups = group_ptr.shape(0) == 0 ? 0 : group_ptr.shape(0) - 1;
            events::EventGroups events{.width = width,
                                       .sparse_size = sparse_size,
                                       .group_ptr = io::Array<uint64_t>(copy_of(group_ptr)),
                                       .features = io::Array<float>(copy_of(features)),
                                       .binary = io::Array<uint32_t>(copy_of(binary)),
                                       .sparse_ends = array_of(sparse_ends),
                                       .sparse_ids = array_of(sparse_ids),
                                       .sparse_values = array_of(sparse_values),
                                       .cost = array_of(cost),
                                       .event_ptr = io::Array<uint64_t>(events::event_borders(
                                           {group.data(), group.shape(0)}, groups)),
                                       .group = io::Array<uint32_t>(copy_of(group)),
                                       .label = io::Array<uint32_t>(copy_of(label))};
            check(events);
            new (self) events::EventGroups(std::move(events));
          },
          nb::arg("width"), nb::arg("sparse_size"), nb::arg("group_ptr").noconvert(),
          nb::arg("features").noconvert(), nb::arg("binary").noconvert(),
          nb::arg("group").noconvert(), nb::arg("label").noconvert(),
          nb::arg("sparse_ends").noconvert() = nb::none(),
          nb::arg("sparse_ids").noconvert() = nb::none(),
          nb::arg("sparse_values").noconvert() = nb::none(),
          nb::arg("cost").noconvert() = nb::none())
      .def_ro("width", &events::EventGroups::width, "Dense features")
      .def_ro("sparse_size", &events::EventGroups::sparse_size, "Sparse features that there are")
      .def_prop_ro("groups", &events::EventGroups::groups)
      .def_prop_ro("candidates", &events::EventGroups::candidates)
      .def("__len__", &events::EventGroups::events)
      .def_prop_ro("group_ptr", view(&events::EventGroups::group_ptr), kept)
      .def_prop_ro("features", view(&events::EventGroups::features), kept)
      .def_prop_ro("binary", view(&events::EventGroups::binary), kept)
      .def_prop_ro("sparse_ends", view(&events::EventGroups::sparse_ends), kept)
      .def_prop_ro("sparse_ids", view(&events::EventGroups::sparse_ids), kept)
      .def_prop_ro("sparse_values", view(&events::EventGroups::sparse_values), kept)
      .def_prop_ro("cost", view(&events::EventGroups::cost), kept)
      .def_prop_ro("group", view(&events::EventGroups::group), kept)
      .def_prop_ro("label", view(&events::EventGroups::label), kept);
}

void bind_sums(nb::module_& m) {
  nb::class_<learn::Objective>(m, "LocalObjective", "See demotic.learn.Objective")
      .def_ro("loss", &learn::Objective::loss)
      .def_ro("cost", &learn::Objective::cost)
      .def_ro("events", &learn::Objective::events)
      .def_ro("right", &learn::Objective::right)
      .def_ro("trivial", &learn::Objective::trivial);
  m.def(
      "local_objective",
      [](const events::EventGroups& events, Input<double> dense, Input<float> sparse,
         const std::string& loss, unsigned threads) {
        const nb::gil_scoped_release unlocked;
        const learn::LocalWeights w = weights_of(dense, sparse);
        check_weights(events, w);
        return learn::objective(events, w, loss_named(loss), threads);
      },
      nb::arg("events"), nb::arg("dense").noconvert(), nb::arg("sparse").noconvert(),
      nb::arg("loss"), nb::arg("threads"));
  m.def(
      "local_gradient",
      [](const events::EventGroups& events, Input<double> dense, Input<float> sparse,
         const std::string& loss, unsigned threads) {
        learn::Gradient g = unlocked([&] {
          const learn::LocalWeights w = weights_of(dense, sparse);
          check_weights(events, w);
          return learn::gradient(events, w, loss_named(loss), threads);
        });
        return nb::make_tuple(numpy(std::move(g.dense)), numpy(std::move(g.sparse)));
      },
      nb::arg("events"), nb::arg("dense").noconvert(), nb::arg("sparse").noconvert(),
      nb::arg("loss"), nb::arg("threads"));
  m.def(
      "local_probabilities",
      [](const events::EventGroups& events, Input<double> dense, Input<float> sparse,
         size_t group) {
        return numpy(unlocked([&] {
          const learn::LocalWeights w = weights_of(dense, sparse);
          check_weights(events, w);
          if (group >= events.groups()) throw nb::index_error("no such group");
          return learn::probabilities(events, w, group);
        }));
      },
      nb::arg("events"), nb::arg("dense").noconvert(), nb::arg("sparse").noconvert(),
      nb::arg("group"));
}

void bind_learner(nb::module_& m) {
  nb::class_<learn::LocalLearner>(m, "LocalLearner", "See demotic.learn.sgd")
      .def(
          "__init__",
          [](learn::LocalLearner* self, const events::EventGroups& events, const std::string& rule,
             const std::string& loss, double eta_dense, double eta_sparse, bool adagrad, double l2,
             const std::vector<bool>& train_dense, bool train_sparse, uint64_t seed, bool by_group,
             uint32_t minibatch, bool hogwild, Input<double> dense, Input<float> sparse) {
            const nb::gil_scoped_release unlocked;
            new (self) learn::LocalLearner(events,
                                           {.rule = rule_named(rule),
                                            .loss = loss_named(loss),
                                            .eta_dense = eta_dense,
                                            .eta_sparse = eta_sparse,
                                            .adagrad = adagrad,
                                            .l2 = l2,
                                            .train_dense = {train_dense.begin(), train_dense.end()},
                                            .train_sparse = train_sparse,
                                            .seed = seed,
                                            .by_group = by_group,
                                            .minibatch = minibatch,
                                            .hogwild = hogwild},
                                           weights_of(dense, sparse));
          },
          nb::arg("events"), nb::arg("rule"), nb::arg("loss"), nb::arg("eta_dense"),
          nb::arg("eta_sparse"), nb::arg("adagrad"), nb::arg("l2"), nb::arg("train_dense"),
          nb::arg("train_sparse"), nb::arg("seed"), nb::arg("by_group"), nb::arg("minibatch"),
          nb::arg("hogwild"), nb::arg("dense").noconvert(), nb::arg("sparse").noconvert(),
          nb::keep_alive<1, 2>())
      .def("run", &learn::LocalLearner::run, nb::arg("pass_number"), nb::arg("begin"),
           nb::arg("end"), nb::arg("threads"), Unlocked(), "Visit a slice of a pass")
      .def_prop_ro("visits", &learn::LocalLearner::visits, "Of a whole pass")
      .def("end_pass", &learn::LocalLearner::end_pass, nb::arg("visited"), Unlocked())
      .def("scale_eta", &learn::LocalLearner::scale_eta, nb::arg("factor"))
      .def("weights", [](const learn::LocalLearner& learner) {
        learn::LocalWeights w = unlocked([&] { return learner.weights(); });
        return nb::make_tuple(numpy(std::move(w.dense)), numpy(std::move(w.sparse)));
      });
}

}  // namespace

void local_model(nb::module_& m) {
  bind_events(m);
  bind_sums(m);
  bind_learner(m);
}

}  // namespace demotic::bind
