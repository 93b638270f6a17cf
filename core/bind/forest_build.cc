#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <memory>
#include <string>

#include "bind/arrays.h"
#include "bind/features.h"
#include "bind/forest_parts.h"
#include "forest/builder.h"

namespace demotic::bind {

namespace {

class Columns {
 public:
  explicit Columns(const nb::dict& arrays) : arrays_(arrays) {}

  template <class T>
  std::span<const T> column(const char* name) const {
    if (!arrays_.contains(name))
      throw io::Error(io::Fault::argument, std::string("there is no array '") + name + "'");
    Input<T> array;
    if (!nb::try_cast(arrays_[name], array, false))
      throw io::Error(io::Fault::argument, std::string("array '") + name + "' has the wrong type");
    return span_of(array);
  }
  std::span<const uint32_t> offsets(const char* name, size_t rows, size_t values) const {
    const std::span<const uint32_t> off = column<uint32_t>(name);
    if (off.size() != rows + 1 || off[0] != 0 || off[rows] != values ||
        !std::is_sorted(off.begin(), off.end()))
      throw io::Error(io::Fault::argument,
                      std::string("array '") + name + "' is not a list of borders");
    return off;
  }

 private:
  const nb::dict& arrays_;
};

template <class T>
std::span<const T> slice(std::span<const uint32_t> off, std::span<const T> values, size_t i) {
  return values.subspan(off[i], off[i + 1] - off[i]);
}

template <class T>
std::span<const T> sized(std::span<const T> values, size_t size, const char* name) {
  if (values.size() != size)
    throw io::Error(io::Fault::argument, std::string("array '") + name + "' has the wrong length");
  return values;
}

std::shared_ptr<const forest::ForestRules> rules_from(const Columns& in) {
  const auto lhs = in.column<uint32_t>("rule_lhs");
  const size_t count = lhs.size();
  const auto origin = sized(in.column<uint32_t>("rule_origin"), count, "rule_origin");
  const auto source = in.column<int32_t>("source");
  const auto source_off = in.offsets("source_off", count, source.size());
  const auto target = in.column<int32_t>("target");
  const auto target_off = in.offsets("target_off", count, target.size());
  const auto id = in.column<uint32_t>("rule_feature_id");
  const auto value = sized(in.column<float>("rule_feature_value"), id.size(), "rule_feature_value");
  const auto off = in.offsets("rule_feature_off", count, id.size());
  const nb::gil_scoped_release unlocked;
  forest::RulesBuilder rules;
  for (size_t r = 0; r < count; ++r)
    rules.add(lhs[r], slice(source_off, source, r), slice(target_off, target, r), slice(off, id, r),
              slice(off, value, r), origin[r]);
  return rules.finish();
}

forest::Forest build(const nb::dict& arrays, const std::vector<std::string>& words,
                     const std::vector<std::string>& labels,
                     std::shared_ptr<features::FeatureSpace> space, uint32_t root,
                     uint32_t context_width) {
  const Columns in(arrays);
  auto names = std::make_shared<forest::ForestNames>();
  *names = {forest::Names(words), forest::Names(labels), std::move(space)};
  const auto dense_id = in.column<uint32_t>("dense_id");
  forest::ForestBuilder builder(names, rules_from(in), {dense_id.begin(), dense_id.end()},
                                context_width);

  const auto label = in.column<uint32_t>("label");
  const auto where = sized(in.column<uint32_t>("span"), 2 * label.size(), "span");
  const auto context = in.column<int32_t>("context");
  const auto context_off = in.offsets("context_off", label.size(), context.size());
  const auto head = in.column<uint32_t>("head");
  const size_t edges = head.size();
  const auto tails = in.column<uint32_t>("tails");
  const auto tail_off = in.offsets("tail_off", edges, tails.size());
  const auto rule = sized(in.column<uint32_t>("rule"), edges, "rule");
  const auto score = sized(in.column<double>("score"), edges, "score");
  const auto loss = sized(in.column<float>("loss"), edges, "loss");
  const size_t width = dense_id.size();
  const auto dense = sized(in.column<float>("dense"), edges * width, "dense");
  const auto id = in.column<uint32_t>("edge_feature_id");
  const auto value = sized(in.column<float>("edge_feature_value"), id.size(), "edge_feature_value");
  const auto off = in.offsets("edge_feature_off", edges, id.size());

  const nb::gil_scoped_release unlocked;
  for (size_t v = 0; v < label.size(); ++v)
    builder.add_node(label[v], where[2 * v], where[2 * v + 1], slice(context_off, context, v));
  for (size_t e = 0; e < edges; ++e)
    builder.add_edge({.head = head[e],
                      .tails = slice(tail_off, tails, e),
                      .rule = rule[e],
                      .score = score[e],
                      .loss = loss[e],
                      .dense = dense.subspan(e * width, width),
                      .feature_ids = slice(off, id, e),
                      .feature_values = slice(off, value, e)});
  return builder.finalize(root);
}

}  // namespace

void forest_build(nb::module_& m) {
  m.def("forest_build", &build, nb::arg("arrays"), nb::arg("words"), nb::arg("labels"),
        nb::arg("space"), nb::arg("root"), nb::arg("context_width"));
}

}  // namespace demotic::bind
