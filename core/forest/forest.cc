#include "forest/forest.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "text/utf8.h"

namespace demotic::forest {

namespace {

class Checker {
 public:
  explicit Checker(io::Fault fault) : fault_(fault) {}

  void require(bool good, const char* what) const {
    if (!good) throw io::Error(fault_, std::string("forest: ") + what);
  }
  void require(bool good, const char* kind, size_t index, const char* what) const {
    if (!good)
      throw io::Error(fault_, std::string(kind) + " " + std::to_string(index) + ": " + what);
  }
  void offsets(const Array<uint32_t>& off, size_t rows, size_t values, const char* what) const {
    require(off.size() == rows + 1 && off[0] == 0 && off[rows] == values, what);
    for (size_t i = 0; i < rows; ++i) require(off[i] <= off[i + 1], what);
  }
  void ids(std::span<const uint32_t> ids, size_t limit, const char* what) const {
    for (const uint32_t id : ids) require(id < limit, what);
  }
  template <class T>
  void finite(std::span<const T> values, const char* what) const {
    for (const T value : values) require(std::isfinite(value), what);
  }
  void names(const Names& names, const char* what) const {
    uint32_t last = 0;
    for (const uint32_t end : names.ends()) {
      require(end >= last && end <= names.bytes().size(), what);
      last = end;
    }
    require(last == names.bytes().size(), what);
    for (uint32_t i = 0; i < names.size(); ++i) require(text::is_utf8(names[i]), what);
  }

 private:
  io::Fault fault_;
};

// Each of `arity` slots once; words within the table.
bool well_formed(std::span<const int32_t> side, size_t arity, size_t words,
                 std::vector<char>& seen) {
  seen.assign(arity, 0);
  size_t slots = 0;
  for (const int32_t symbol : side) {
    if (!text::is_slot(symbol)) {
      if (static_cast<size_t>(symbol) >= words) return false;
      continue;
    }
    const uint32_t slot = text::slot_of(symbol);
    if (slot >= arity || seen[slot] != 0) return false;
    seen[slot] = 1;
    ++slots;
  }
  return slots == arity;
}

size_t slots_in(std::span<const int32_t> side) {
  return static_cast<size_t>(std::count_if(side.begin(), side.end(), text::is_slot));
}

}  // namespace

void check(const Names& names, const char* what, io::Fault fault) {
  Checker(fault).names(names, what);
}

void check(const ForestRules& rules, const ForestNames& names, io::Fault fault) {
  const Checker checker(fault);
  checker.names(names.words, "damaged word table");
  checker.names(names.labels, "damaged label table");
  checker.require(names.features != nullptr, "no features");
  const size_t count = rules.lhs.size();
  checker.require(rules.origin.size() == count, "rule arrays differ in length");
  checker.offsets(rules.source_off, count, rules.source.size(), "damaged source sides");
  checker.offsets(rules.target_off, count, rules.target.size(), "damaged target sides");
  checker.offsets(rules.feature_off, count, rules.feature_id.size(), "damaged rule features");
  checker.require(rules.feature_id.size() == rules.feature_value.size(), "damaged rule features");
  checker.ids(rules.feature_id, names.features->size(), "a rule has an unknown feature");
  std::vector<char> seen;
  for (size_t r = 0; r < count; ++r) {
    checker.require(rules.lhs[r] < names.labels.size(), "rule", r, "unknown left-hand side");
    const auto id = static_cast<uint32_t>(r);
    const std::span<const int32_t> target = rules.target_side(id);
    const size_t arity = slots_in(target);
    checker.require(well_formed(target, arity, names.words.size(), seen), "rule", r,
                    "the target side must hold known words and each nonterminal once");
    const std::span<const int32_t> source = rules.source_side(id);
    checker.require(source.empty() || well_formed(source, arity, names.words.size(), seen), "rule",
                    r, "the source side must hold known words and each nonterminal once");
    for (const float value : row(rules.feature_off, rules.feature_value, r))
      checker.require(std::isfinite(value), "rule", r, "a feature value is not finite");
  }
}

void check(const Forest& f, io::Fault fault) {
  const Checker checker(fault);
  checker.require(f.rules != nullptr && f.names != nullptr, "no rules");
  check(*f.rules, *f.names, fault);
  const size_t n = f.label.size();
  const size_t m = f.rule.size();
  checker.require(n > 0 && n < kNone && m < kNone, "no node, or too many");
  checker.offsets(f.in_off, n, m, "damaged edge offsets");
  checker.offsets(f.tail_off, m, f.tails.size(), "damaged tail offsets");
  checker.require(f.score.size() == m && f.loss.size() == m, "edge arrays differ in length");
  checker.require(f.span.size() == 2 * n, "node arrays differ in length");
  checker.ids(f.label, f.names->labels.size(), "a node has an unknown label");
  checker.finite<float>(f.loss, "a loss is not finite");
  checker.ids(f.dense_id, f.features().size(), "an unknown dense feature");
  checker.require(f.dense.size() == m * f.dense_id.size(), "damaged dense features");
  checker.finite<float>(f.dense, "a dense feature is not finite");
  const bool sparse = !f.edge_feature_off.empty();
  if (sparse)
    checker.offsets(f.edge_feature_off, m, f.edge_feature_id.size(), "damaged edge features");
  checker.require(sparse || f.edge_feature_id.empty(), "damaged edge features");
  checker.require(f.edge_feature_id.size() == f.edge_feature_value.size(), "damaged edge features");
  checker.ids(f.edge_feature_id, f.features().size(), "an edge has an unknown feature");
  checker.finite<float>(f.edge_feature_value, "an edge feature is not finite");
  if (f.context_width == 0) {
    checker.require(f.context.empty() && f.context_off.empty(), "damaged context");
  } else {
    checker.offsets(f.context_off, n, f.context.size(), "damaged context");
    for (const int32_t word : f.context)
      checker.require(
          word == kGap || (word >= 0 && static_cast<uint32_t>(word) < f.names->words.size()),
          "damaged context");
  }

  std::vector<char> used(n, 0);
  used[n - 1] = 1;
  for (size_t v = n; v-- > 0;) {
    checker.require(used[v] != 0, "node", v, "not part of any derivation of the root");
    checker.require(f.in_off[v] < f.in_off[v + 1], "node", v, "has no derivation");
    for (uint32_t e = f.in_off[v]; e < f.in_off[v + 1]; ++e) {
      checker.require(f.rule[e] < f.rules->size(), "edge", e, "unknown rule");
      checker.require(slots_in(f.target_side(e)) == f.tails_of(e).size(), "edge", e,
                      "its rule has another number of nonterminals");
      checker.require(std::isfinite(f.score[e]), "edge", e, "its score is not finite");
      for (const uint32_t tail : f.tails_of(e)) {
        checker.require(tail < v, "edge", e, "its tail does not come before its head");
        used[tail] = 1;
      }
    }
  }
}

std::vector<uint32_t> Forest::heads() const {
  std::vector<uint32_t> head(edges());
  for (uint32_t v = 0; v < nodes(); ++v)
    std::fill(head.begin() + in_off[v], head.begin() + in_off[v + 1], v);
  return head;
}

uint32_t Forest::max_arity() const {
  uint32_t most = 0;
  for (uint32_t e = 0; e < edges(); ++e) most = std::max(most, tail_off[e + 1] - tail_off[e]);
  return most;
}

Forest Forest::with_score(std::vector<double> values) const {
  if (values.size() != edges()) throw io::Error(io::Fault::argument, "needs one score per edge");
  for (size_t e = 0; e < values.size(); ++e)
    if (!std::isfinite(values[e]))
      throw io::Error(io::Fault::argument,
                      "edge " + std::to_string(e) + ": its score is not finite");
  Forest result = *this;
  result.score = Array<double>(std::move(values));
  return result;
}

Forest Forest::with_loss(std::vector<float> values) const {
  if (values.size() != edges()) throw io::Error(io::Fault::argument, "needs one loss per edge");
  for (size_t e = 0; e < values.size(); ++e)
    if (!std::isfinite(values[e]))
      throw io::Error(io::Fault::argument,
                      "edge " + std::to_string(e) + ": its loss is not finite");
  Forest result = *this;
  result.loss = Array<float>(std::move(values));
  return result;
}

namespace {

// Says why the score of an edge is not finite.
[[noreturn]] void overflow(const Forest& f, std::span<const double> weights, uint32_t e) {
  for_each_feature(f, e, [&](uint32_t id, float) {
    if (!std::isfinite(weights[id]))
      throw io::Error(io::Fault::argument,
                      "the weight of feature '" + f.features().name(id) + "' is not finite");
  });
  throw io::Error(io::Fault::argument, "edge " + std::to_string(e) + ": its score overflows");
}

double rule_score(const ForestRules& rules, uint32_t r, std::span<const double> weights) {
  double sum = 0.0;
  for (uint32_t i = rules.feature_off[r]; i < rules.feature_off[r + 1]; ++i)
    sum += weights[rules.feature_id[i]] * rules.feature_value[i];
  return sum;
}

}  // namespace

std::vector<double> edge_scores(const Forest& f, std::span<const double> weights) {
  if (weights.size() != f.features().size())
    throw io::Error(io::Fault::argument, std::to_string(weights.size()) + " weights for " +
                                             std::to_string(f.features().size()) + " features");
  const ForestRules& rules = *f.rules;
  const bool by_rule = rules.size() <= f.edges();  // else edges share few rules, or none
  std::vector<double> known(by_rule ? rules.size() : 0);
  for (uint32_t r = 0; r < known.size(); ++r) known[r] = rule_score(rules, r, weights);
  const size_t width = f.dense_id.size();
  std::vector<double> dense_weight(width);
  for (size_t d = 0; d < width; ++d) dense_weight[d] = weights[f.dense_id[d]];
  const bool sparse = !f.edge_feature_off.empty();
  std::vector<double> score(f.edges());
  for (uint32_t e = 0; e < f.edges(); ++e) {
    double sum = by_rule ? known[f.rule[e]] : rule_score(rules, f.rule[e], weights);
    const float* values = f.dense.data() + size_t{e} * width;
    for (size_t d = 0; d < width; ++d) sum += dense_weight[d] * values[d];
    if (sparse)
      for (uint32_t i = f.edge_feature_off[e]; i < f.edge_feature_off[e + 1]; ++i)
        sum += weights[f.edge_feature_id[i]] * f.edge_feature_value[i];
    if (!std::isfinite(sum)) overflow(f, weights, e);
    score[e] = sum;
  }
  return score;
}

}  // namespace demotic::forest
