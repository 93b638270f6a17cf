#include "learn/local_model.h"

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

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

learn::LearningRule rule_named(const std::string& name) {
  if (name == "sgd") return learn::LearningRule::sgd;
  if (name == "perceptron") return learn::LearningRule::perceptron;
  if (name == "averaged-perceptron") return learn::LearningRule::averaged_perceptron;
  throw io::Error(io::Fault::argument, "there is no learner '" + name + "'");
}

learn::LocalWeights weights_of(const Input<double>& dense, const Input<float>& binary) {
  learn::LocalWeights w;
  w.dense = copy_of(dense);
  w.binary = copy_of(binary);
  return w;
}

void check_weights(const events::EventGroups& events, const learn::LocalWeights& w) {
  if (w.dense.size() != events.width || w.binary.size() != events.binaries)
    throw io::Error(io::Fault::argument, "a weight is needed per feature");
}

void bind_events(nb::module_& m) {
  const auto kept = nb::rv_policy::reference_internal;
  nb::class_<events::EventGroups>(m, "EventGroups", "See demotic.learn.EventGroups")
      .def(
          "__init__",
          [](events::EventGroups* self, uint32_t width, uint32_t binaries,
             Input<uint64_t> group_ptr, Input<float> features, Input<uint32_t> binary,
             Input<uint32_t> group, Input<uint32_t> label) {
            const nb::gil_scoped_release unlocked;
            const size_t groups = group_ptr.shape(0) == 0 ? 0 : group_ptr.shape(0) - 1;
            events::EventGroups events{.width = width,
                                       .binaries = binaries,
                                       .group_ptr = io::Array<uint64_t>(copy_of(group_ptr)),
                                       .features = io::Array<float>(copy_of(features)),
                                       .binary = io::Array<uint32_t>(copy_of(binary)),
                                       .event_ptr = io::Array<uint64_t>(events::event_borders(
                                           {group.data(), group.shape(0)}, groups)),
                                       .group = io::Array<uint32_t>(copy_of(group)),
                                       .label = io::Array<uint32_t>(copy_of(label))};
            check(events);
            new (self) events::EventGroups(std::move(events));
          },
          nb::arg("width"), nb::arg("binaries"), nb::arg("group_ptr").noconvert(),
          nb::arg("features").noconvert(), nb::arg("binary").noconvert(),
          nb::arg("group").noconvert(), nb::arg("label").noconvert())
      .def_ro("width", &events::EventGroups::width)
      .def_ro("binaries", &events::EventGroups::binaries)
      .def_prop_ro("groups", &events::EventGroups::groups)
      .def_prop_ro("candidates", &events::EventGroups::candidates)
      .def("__len__", &events::EventGroups::events)
      .def_prop_ro("group_ptr", view(&events::EventGroups::group_ptr), kept)
      .def_prop_ro("features", view(&events::EventGroups::features), kept)
      .def_prop_ro("binary", view(&events::EventGroups::binary), kept)
      .def_prop_ro("group", view(&events::EventGroups::group), kept)
      .def_prop_ro("label", view(&events::EventGroups::label), kept);
}

void bind_sums(nb::module_& m) {
  nb::class_<learn::Objective>(m, "LocalObjective", "See demotic.learn.Objective")
      .def_ro("loss", &learn::Objective::loss)
      .def_ro("events", &learn::Objective::events)
      .def_ro("right", &learn::Objective::right)
      .def_ro("trivial", &learn::Objective::trivial);
  m.def(
      "local_objective",
      [](const events::EventGroups& events, Input<double> dense, Input<float> binary,
         unsigned threads) {
        const nb::gil_scoped_release unlocked;
        const learn::LocalWeights w = weights_of(dense, binary);
        check_weights(events, w);
        return learn::objective(events, w, threads);
      },
      nb::arg("events"), nb::arg("dense").noconvert(), nb::arg("binary").noconvert(),
      nb::arg("threads"));
  m.def(
      "local_gradient",
      [](const events::EventGroups& events, Input<double> dense, Input<float> binary,
         unsigned threads) {
        learn::Gradient g = unlocked([&] {
          const learn::LocalWeights w = weights_of(dense, binary);
          check_weights(events, w);
          return learn::gradient(events, w, threads);
        });
        return nb::make_tuple(numpy(std::move(g.dense)), numpy(std::move(g.binary)));
      },
      nb::arg("events"), nb::arg("dense").noconvert(), nb::arg("binary").noconvert(),
      nb::arg("threads"));
  m.def(
      "local_probabilities",
      [](const events::EventGroups& events, Input<double> dense, Input<float> binary,
         size_t group) {
        return numpy(unlocked([&] {
          const learn::LocalWeights w = weights_of(dense, binary);
          check_weights(events, w);
          if (group >= events.groups()) throw nb::index_error("no such group");
          return learn::probabilities(events, w, group);
        }));
      },
      nb::arg("events"), nb::arg("dense").noconvert(), nb::arg("binary").noconvert(),
      nb::arg("group"));
}

void bind_learner(nb::module_& m) {
  nb::class_<learn::LocalLearner>(m, "LocalLearner", "See demotic.learn.sgd")
      .def(
          "__init__",
          [](learn::LocalLearner* self, const events::EventGroups& events, const std::string& rule,
             double eta_dense, double eta_binary, bool adagrad, double l2,
             const std::vector<bool>& train_dense, bool train_binary, uint64_t seed, bool by_group,
             uint32_t minibatch, bool hogwild, Input<double> dense, Input<float> binary) {
            const nb::gil_scoped_release unlocked;
            new (self) learn::LocalLearner(events,
                                           {.rule = rule_named(rule),
                                            .eta_dense = eta_dense,
                                            .eta_binary = eta_binary,
                                            .adagrad = adagrad,
                                            .l2 = l2,
                                            .train_dense = {train_dense.begin(), train_dense.end()},
                                            .train_binary = train_binary,
                                            .seed = seed,
                                            .by_group = by_group,
                                            .minibatch = minibatch,
                                            .hogwild = hogwild},
                                           weights_of(dense, binary));
          },
          nb::arg("events"), nb::arg("rule"), nb::arg("eta_dense"), nb::arg("eta_binary"),
          nb::arg("adagrad"), nb::arg("l2"), nb::arg("train_dense"), nb::arg("train_binary"),
          nb::arg("seed"), nb::arg("by_group"), nb::arg("minibatch"), nb::arg("hogwild"),
          nb::arg("dense").noconvert(), nb::arg("binary").noconvert(), nb::keep_alive<1, 2>())
      .def("run", &learn::LocalLearner::run, nb::arg("pass_number"), nb::arg("begin"),
           nb::arg("end"), nb::arg("threads"), Unlocked(), "Visit a slice of a pass")
      .def_prop_ro("visits", &learn::LocalLearner::visits, "Of a whole pass")
      .def("end_pass", &learn::LocalLearner::end_pass, nb::arg("visited"), Unlocked())
      .def("scale_eta", &learn::LocalLearner::scale_eta, nb::arg("factor"))
      .def("weights", [](const learn::LocalLearner& learner) {
        learn::LocalWeights w = unlocked([&] { return learner.weights(); });
        return nb::make_tuple(numpy(std::move(w.dense)), numpy(std::move(w.binary)));
      });
}

}  // namespace

void local_model(nb::module_& m) {
  bind_events(m);
  bind_sums(m);
  bind_learner(m);
}

}  // namespace demotic::bind
