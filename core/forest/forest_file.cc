#include "forest/forest_file.h"

#include <algorithm>
#include <memory>
#include <string_view>
#include <vector>

#include "forest/builder.h"
#include "forest/feature_map.h"
#include "io/container.h"

namespace demotic::forest {

namespace {

constexpr std::string_view kKind = "forest";
constexpr uint32_t kVersion = 1;

// New numbers in order of first use.
class Renumber {
 public:
  explicit Renumber(const Names& names) : names_(names), number_(names.size(), kNone) {}
  uint32_t operator()(uint32_t old) {
    if (number_[old] == kNone) {
      number_[old] = static_cast<uint32_t>(used_.size());
      used_.emplace_back(names_[old]);
    }
    return number_[old];
  }
  std::vector<int32_t> side(std::span<const int32_t> symbols) {
    std::vector<int32_t> result(symbols.begin(), symbols.end());
    for (int32_t& symbol : result)
      if (symbol >= 0) symbol = static_cast<int32_t>((*this)(static_cast<uint32_t>(symbol)));
    return result;
  }
  Names names() const { return Names(used_); }

 private:
  const Names& names_;
  std::vector<uint32_t> number_;
  std::vector<std::string> used_;
};

// The dense features of a forest's space, and of the others those that the forest has: a model may
// have millions.
std::shared_ptr<const features::FeatureSpace> own_features(const Forest& f) {
  const features::FeatureSpace& space = f.features();
  if (space.dense() == space.size()) return f.names->features;
  std::vector<uint32_t> used;
  for (uint32_t e = 0; e < f.edges(); ++e)
    for_each_feature(f, e, [&](uint32_t id, float) {
      if (id >= space.dense()) used.push_back(id);
    });
  std::sort(used.begin(), used.end());
  used.erase(std::unique(used.begin(), used.end()), used.end());
  std::vector<std::string> names;
  for (uint32_t id = 0; id < space.dense(); ++id) names.push_back(space.name(id));
  for (const uint32_t id : used) names.push_back(space.name(id));
  return features::dense_space(names);
}

Names names_of(const features::FeatureSpace& space) {
  std::vector<std::string> names;
  for (uint32_t id = 0; id < space.named(); ++id) names.push_back(space.name(id));
  return Names(names);
}

// Files may be damaged: no name may be there twice.
std::shared_ptr<const features::FeatureSpace> space_of(const Names& names) {
  std::vector<std::string> dense;
  for (uint32_t i = 0; i < names.size(); ++i) dense.emplace_back(names[i]);
  try {
    return features::dense_space(dense);
  } catch (const io::Error& error) {
    throw io::Error(io::Fault::corrupt, error.what());
  }
}

// One list of sections for writing and reading: `io(name, array)` does either.
template <class F, class Io>
void sections(F& f, Io&& io) {
  io("in_off", f.in_off);
  io("tail_off", f.tail_off);
  io("tails", f.tails);
  io("rule", f.rule);
  io("score", f.score);
  io("loss", f.loss);
  io("label", f.label);
  io("span", f.span);
  io("context_off", f.context_off);
  io("context", f.context);
  io("dense_id", f.dense_id);
  io("dense", f.dense);
  io("edge_feature_off", f.edge_feature_off);
  io("edge_feature_id", f.edge_feature_id);
  io("edge_feature_value", f.edge_feature_value);
}

template <class R, class Io>
void rule_sections(R& rules, Io&& io) {
  io("rule_lhs", rules.lhs);
  io("rule_origin", rules.origin);
  io("source_off", rules.source_off);
  io("source", rules.source);
  io("target_off", rules.target_off);
  io("target", rules.target);
  io("rule_feature_off", rules.feature_off);
  io("rule_feature_id", rules.feature_id);
  io("rule_feature_value", rules.feature_value);
}

struct Write {
  io::ContainerWriter& out;
  template <class T>
  void operator()(std::string_view name, const Array<T>& array) const {
    out.section<T>(name, array.view());
  }
  void operator()(const std::string& name, const Names& names) const {
    (*this)(name + ".bytes", names.bytes());
    (*this)(name + ".ends", names.ends());
  }
};

struct Read {
  const std::shared_ptr<const io::Container>& in;
  template <class T>
  void operator()(std::string_view name, Array<T>& array) const {
    array = Array<T>(in->section<T>(name), in);
  }
  void operator()(const std::string& name, Names& names) const {
    Array<char> bytes;
    Array<uint32_t> ends;
    (*this)(name + ".bytes", bytes);
    (*this)(name + ".ends", ends);
    names = Names(std::move(bytes), std::move(ends));
  }
};

}  // namespace

Forest compact(const Forest& f) {
  Renumber words(f.names->words), labels(f.names->labels);
  const ForestRules& old = *f.rules;
  std::vector<uint32_t> rule_number(old.size(), kNone);
  RulesBuilder rules;
  Forest result = f;
  std::vector<uint32_t> rule(f.edges()), label(f.nodes());
  for (uint32_t e = 0; e < f.edges(); ++e) {
    const uint32_t r = f.rule[e];
    if (rule_number[r] == kNone)
      rule_number[r] =
          rules.add(labels(old.lhs[r]), words.side(old.source_side(r)),
                    words.side(old.target_side(r)), row(old.feature_off, old.feature_id, r),
                    row(old.feature_off, old.feature_value, r), old.origin[r]);
    rule[e] = rule_number[r];
  }
  for (uint32_t v = 0; v < f.nodes(); ++v) label[v] = labels(f.label[v]);
  result.rule = Array<uint32_t>(std::move(rule));
  result.label = Array<uint32_t>(std::move(label));
  if (f.context_width > 0) result.context = Array<int32_t>(words.side(f.context));
  result.rules = rules.finish();
  auto names = std::make_shared<ForestNames>();
  *names = {words.names(), labels.names(), f.names->features};
  result.names = std::move(names);
  return in_space(result, own_features(result));
}

void save(const Forest& f, const std::string& path) {
  const Forest small = compact(f);
  io::ContainerWriter out(path, kKind, kVersion);
  const Write write{out};
  const uint32_t numbers[] = {small.context_width};
  out.section<uint32_t>("numbers", numbers);
  sections(small, write);
  rule_sections(*small.rules, write);
  write("words", small.names->words);
  write("labels", small.names->labels);
  write("features", names_of(small.features()));
  out.finish();
}

Forest load(const std::string& path) {
  const auto in = std::make_shared<const io::Container>(path, kKind, kVersion);
  in->verify();
  const Read read{in};
  Forest f;
  const std::span<const uint32_t> numbers = in->section<uint32_t>("numbers");
  if (numbers.size() != 1) throw io::Error(io::Fault::corrupt, "damaged section 'numbers'");
  f.context_width = numbers[0];
  sections(f, read);
  auto rules = std::make_shared<ForestRules>();
  rule_sections(*rules, read);
  auto names = std::make_shared<ForestNames>();
  read("words", names->words);
  read("labels", names->labels);
  Names features;
  read("features", features);
  check(features, "damaged feature table", io::Fault::corrupt);
  names->features = space_of(features);
  f.rules = std::move(rules);
  f.names = std::move(names);
  check(f, io::Fault::corrupt);
  return f;
}

}  // namespace demotic::forest
