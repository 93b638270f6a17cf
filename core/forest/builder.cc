#include "forest/builder.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <queue>
#include <string>

namespace demotic::forest {

namespace {

[[noreturn]] void wrong_edge(uint32_t e, const std::string& what) {
  throw io::Error(io::Fault::format, "edge " + std::to_string(e) + ": " + what);
}

template <class T>
void append(std::vector<T>& to, std::span<const T> values) {
  to.insert(to.end(), values.begin(), values.end());
}

uint32_t size32(size_t size) {
  if (size >= kNone)
    throw io::Error(io::Fault::argument, "a forest holds at most 2^32 - 2 of anything");
  return static_cast<uint32_t>(size);
}

}  // namespace

uint32_t RulesBuilder::add(uint32_t lhs, std::span<const int32_t> source,
                           std::span<const int32_t> target, std::span<const uint32_t> feature_ids,
                           std::span<const float> feature_values, uint32_t origin) {
  if (feature_ids.size() != feature_values.size())
    throw io::Error(io::Fault::argument,
                    "rule " + std::to_string(size()) + ": features without values");
  lhs_.push_back(lhs);
  origin_.push_back(origin);
  append(source_, source);
  source_off_.push_back(size32(source_.size()));
  append(target_, target);
  target_off_.push_back(size32(target_.size()));
  append(feature_id_, feature_ids);
  append(feature_value_, feature_values);
  feature_off_.push_back(size32(feature_id_.size()));
  return size() - 1;
}

std::shared_ptr<const ForestRules> RulesBuilder::finish() {
  auto rules = std::make_shared<ForestRules>();
  rules->lhs = Array<uint32_t>(std::move(lhs_));
  rules->origin = Array<uint32_t>(std::move(origin_));
  rules->source_off = Array<uint32_t>(std::move(source_off_));
  rules->source = Array<int32_t>(std::move(source_));
  rules->target_off = Array<uint32_t>(std::move(target_off_));
  rules->target = Array<int32_t>(std::move(target_));
  rules->feature_off = Array<uint32_t>(std::move(feature_off_));
  rules->feature_id = Array<uint32_t>(std::move(feature_id_));
  rules->feature_value = Array<float>(std::move(feature_value_));
  *this = RulesBuilder();
  return rules;
}

ForestBuilder::ForestBuilder(std::shared_ptr<const ForestNames> names,
                             std::shared_ptr<const ForestRules> rules,
                             std::vector<uint32_t> dense_ids, uint32_t context_width)
    : names_(std::move(names)),
      rules_(std::move(rules)),
      dense_id_(std::move(dense_ids)),
      context_width_(context_width) {
  check(*rules_, *names_, io::Fault::format);
  for (const uint32_t id : dense_id_)
    if (id >= names_->features->size())
      throw io::Error(io::Fault::format, "an unknown dense feature");
  set_arities();
}

ForestBuilder::ForestBuilder(const Forest& model, uint32_t context_width)
    : names_(model.names),
      rules_(model.rules),
      dense_id_(model.dense_id.begin(), model.dense_id.end()),
      context_width_(context_width) {
  set_arities();
}

void ForestBuilder::set_arities() {
  arity_.resize(rules_->size());
  for (uint32_t r = 0; r < rules_->size(); ++r) {
    const std::span<const int32_t> side = rules_->target_side(r);
    arity_[r] = static_cast<uint32_t>(std::count_if(side.begin(), side.end(), text::is_slot));
  }
}

uint32_t ForestBuilder::add_node(uint32_t label, uint32_t begin, uint32_t end,
                                 std::span<const int32_t> context) {
  const std::string place = "node " + std::to_string(label_.size()) + ": ";
  if (label >= names_->labels.size()) throw io::Error(io::Fault::format, place + "unknown label");
  if (begin > end) throw io::Error(io::Fault::format, place + "its span ends before it begins");
  if (context.size() > 2 * size_t{context_width_} + 1)
    throw io::Error(io::Fault::format, place + "its context is too long");
  for (const int32_t word : context)
    if (word != kGap && (word < 0 || static_cast<uint32_t>(word) >= names_->words.size()))
      throw io::Error(io::Fault::format, place + "unknown word in its context");
  label_.push_back(label);
  span_.push_back(begin);
  span_.push_back(end);
  append(context_, context);
  context_off_.push_back(size32(context_.size()));
  return size32(label_.size()) - 1;
}

uint32_t ForestBuilder::add_edge(const EdgeSpec& edge) {
  const uint32_t e = edges();
  if (edge.rule >= rules_->size()) wrong_edge(e, "unknown rule " + std::to_string(edge.rule));
  if (edge.tails.size() != arity_[edge.rule])
    wrong_edge(e, std::to_string(edge.tails.size()) + " tails for a rule with " +
                      std::to_string(arity_[edge.rule]) + " nonterminals");
  if (std::isnan(edge.score) || edge.score == INFINITY)
    wrong_edge(e, "its score is not a finite number");
  if (!std::isfinite(edge.loss)) wrong_edge(e, "its loss is not a finite number");
  if (!edge.dense.empty() && edge.dense.size() != dense_id_.size())
    wrong_edge(e, std::to_string(edge.dense.size()) + " dense values for " +
                      std::to_string(dense_id_.size()) + " dense features");
  if (edge.feature_ids.size() != edge.feature_values.size())
    wrong_edge(e, "features without values");
  for (size_t i = 0; i < edge.feature_ids.size(); ++i) {
    if (edge.feature_ids[i] >= names_->features->size()) wrong_edge(e, "unknown feature");
    if (!std::isfinite(edge.feature_values[i]))
      wrong_edge(e, "the value of feature '" + names_->features->name(edge.feature_ids[i]) +
                        "' is not finite");
  }
  for (size_t d = 0; d < edge.dense.size(); ++d)
    if (!std::isfinite(edge.dense[d]))
      wrong_edge(
          e, "the value of feature '" + names_->features->name(dense_id_[d]) + "' is not finite");
  head_.push_back(edge.head);
  append(tails_, edge.tails);
  tail_off_.push_back(size32(tails_.size()));
  rule_.push_back(edge.rule);
  score_.push_back(edge.score);
  loss_.push_back(edge.loss);
  if (edge.dense.empty())
    dense_.resize(dense_.size() + dense_id_.size(), 0.0f);
  else
    append(dense_, edge.dense);
  append(feature_id_, edge.feature_ids);
  append(feature_value_, edge.feature_values);
  feature_off_.push_back(size32(feature_id_.size()));
  return size32(head_.size()) - 1;
}

uint32_t ForestBuilder::copy_edge(const Forest& model, uint32_t e, uint32_t head,
                                  std::span<const uint32_t> tails) {
  EdgeSpec edge{.head = head,
                .tails = tails,
                .rule = model.rule[e],
                .score = model.score[e],
                .loss = model.loss[e],
                .dense = model.dense_of(e)};
  if (!model.edge_feature_off.empty()) {
    edge.feature_ids = row(model.edge_feature_off, model.edge_feature_id, e);
    edge.feature_values = row(model.edge_feature_off, model.edge_feature_value, e);
  }
  return add_edge(edge);
}

std::string ForestBuilder::describe(uint32_t node) const {
  return "node " + std::to_string(node) + " (" + std::string(names_->labels[label_[node]]) + " " +
         std::to_string(span_[2 * node]) + "-" + std::to_string(span_[2 * node + 1]) + ")";
}

// Kahn's algorithm; of all orders the one that is smallest in insertion order.
std::vector<uint32_t> ForestBuilder::topological_order() const {
  const uint32_t n = nodes();
  std::vector<uint32_t> order(n);
  bool sorted = true;
  for (uint32_t e = 0; e < edges(); ++e) {
    if (head_[e] >= n) wrong_edge(e, "there is no node " + std::to_string(head_[e]));
    for (const uint32_t tail : tails_of(e)) {
      if (tail >= n) wrong_edge(e, "there is no node " + std::to_string(tail));
      sorted = sorted && tail < head_[e];
    }
  }
  for (uint32_t v = 0; v < n; ++v) order[v] = v;
  if (sorted) return order;

  std::vector<uint32_t> use_off(n + 1, 0);
  for (const uint32_t tail : tails_) ++use_off[tail + 1];
  for (uint32_t v = 0; v < n; ++v) use_off[v + 1] += use_off[v];
  std::vector<uint32_t> uses(tails_.size());
  std::vector<uint32_t> at(use_off.begin(), use_off.end() - 1);
  std::vector<uint32_t> waiting(n, 0);  // tail positions below each node that are not placed yet
  for (uint32_t e = 0; e < edges(); ++e)
    for (const uint32_t tail : tails_of(e)) {
      uses[at[tail]++] = head_[e];
      ++waiting[head_[e]];
    }
  std::priority_queue<uint32_t, std::vector<uint32_t>, std::greater<>> ready;
  for (uint32_t v = 0; v < n; ++v)
    if (waiting[v] == 0) ready.push(v);
  order.clear();
  while (!ready.empty()) {
    const uint32_t v = ready.top();
    ready.pop();
    order.push_back(v);
    for (uint32_t i = use_off[v]; i < use_off[v + 1]; ++i)
      if (--waiting[uses[i]] == 0) ready.push(uses[i]);
  }
  if (order.size() < n) report_cycle(waiting);
  return order;
}

// Every node that still waits has a tail that waits: walking down must come back to a node.
void ForestBuilder::report_cycle(const std::vector<uint32_t>& waiting) const {
  std::vector<uint32_t> down(nodes(), kNone);
  for (uint32_t e = 0; e < edges(); ++e)
    for (const uint32_t tail : tails_of(e))
      if (waiting[head_[e]] > 0 && waiting[tail] > 0) down[head_[e]] = tail;
  uint32_t v = static_cast<uint32_t>(
      std::find_if(waiting.begin(), waiting.end(), [](uint32_t w) { return w > 0; }) -
      waiting.begin());
  for (uint32_t step = 0; step < nodes(); ++step) v = down[v];
  std::string path = describe(v);
  uint32_t shown = 0;
  for (uint32_t u = down[v]; u != v; u = down[u]) {
    if (++shown > 5) {
      path += " <- ...";
      break;
    }
    path += " <- " + describe(u);
  }
  throw io::Error(io::Fault::format, "a cycle: " + path + " <- " + describe(v), 0,
                  "a derivation may not contain itself; remove the unary rules that make the loop");
}

std::vector<char> ForestBuilder::useful(const std::vector<uint32_t>& order, uint32_t root) const {
  const uint32_t n = nodes();
  std::vector<uint32_t> in_off(n + 1, 0);
  for (const uint32_t head : head_) ++in_off[head + 1];
  for (uint32_t v = 0; v < n; ++v) in_off[v + 1] += in_off[v];
  std::vector<uint32_t> in(head_.size());
  std::vector<uint32_t> at(in_off.begin(), in_off.end() - 1);
  for (uint32_t e = 0; e < edges(); ++e) in[at[head_[e]]++] = e;

  std::vector<char> productive(n, 0);
  const auto alive = [&](uint32_t e) {
    const std::span<const uint32_t> tails = tails_of(e);
    return score_[e] != -INFINITY &&
           std::all_of(tails.begin(), tails.end(), [&](uint32_t t) { return productive[t] != 0; });
  };
  for (const uint32_t v : order)
    productive[v] = std::any_of(in.begin() + in_off[v], in.begin() + in_off[v + 1], alive) ? 1 : 0;

  std::vector<char> reached(n, 0);
  reached[root] = productive[root];
  std::vector<char> keep(edges(), 0);
  for (size_t i = n; i-- > 0;) {
    const uint32_t v = order[i];
    if (reached[v] == 0) continue;
    for (uint32_t k = in_off[v]; k < in_off[v + 1]; ++k) {
      if (!alive(in[k])) continue;
      keep[in[k]] = 1;
      for (const uint32_t tail : tails_of(in[k])) reached[tail] = 1;
    }
  }
  return keep;
}

Forest ForestBuilder::finalize(uint32_t root, Provenance* provenance) const {
  Forest forest;
  if (!try_finalize(root, forest, provenance))
    throw io::Error(io::Fault::format, "the root, " + describe(root) + ", has no derivation");
  return forest;
}

bool ForestBuilder::try_finalize(uint32_t root, Forest& forest, Provenance* provenance) const {
  if (root >= nodes())
    throw io::Error(io::Fault::format,
                    nodes() == 0 ? "a forest without nodes" : "the root is not one of the nodes");
  const std::vector<uint32_t> order = topological_order();
  const std::vector<char> keep = useful(order, root);

  std::vector<uint32_t> count(nodes(), 0);  // kept edges by head
  size_t kept = 0;
  for (uint32_t e = 0; e < edges(); ++e)
    if (keep[e] != 0) ++count[head_[e]], ++kept;
  if (count[root] == 0) return false;

  std::vector<uint32_t> label, span, context_off{0}, in_off{0}, node_origin;
  std::vector<int32_t> context;
  std::vector<uint32_t> number(nodes(), kNone);
  for (const uint32_t v : order) {
    if (count[v] == 0) continue;
    number[v] = static_cast<uint32_t>(label.size());
    node_origin.push_back(v);
    label.push_back(label_[v]);
    span.insert(span.end(), {span_[2 * v], span_[2 * v + 1]});
    in_off.push_back(in_off.back() + count[v]);
    if (context_width_ > 0) {
      context.insert(context.end(), context_.begin() + context_off_[v],
                     context_.begin() + context_off_[v + 1]);
      context_off.push_back(static_cast<uint32_t>(context.size()));
    }
  }
  std::vector<uint32_t> edge_origin(kept);
  std::vector<uint32_t> at(in_off.begin(), in_off.end() - 1);
  for (uint32_t e = 0; e < edges(); ++e)
    if (keep[e] != 0) edge_origin[at[number[head_[e]]]++] = e;

  std::vector<uint32_t> tail_off{0}, tails, rule, feature_off{0}, feature_id;
  std::vector<double> score;
  std::vector<float> loss, dense, feature_value;
  for (const uint32_t e : edge_origin) {
    for (const uint32_t tail : tails_of(e)) tails.push_back(number[tail]);
    tail_off.push_back(static_cast<uint32_t>(tails.size()));
    rule.push_back(rule_[e]);
    score.push_back(score_[e]);
    loss.push_back(loss_[e]);
    const auto width = static_cast<std::ptrdiff_t>(dense_id_.size());
    dense.insert(dense.end(), dense_.begin() + e * width, dense_.begin() + (e + 1) * width);
    feature_id.insert(feature_id.end(), feature_id_.begin() + feature_off_[e],
                      feature_id_.begin() + feature_off_[e + 1]);
    feature_value.insert(feature_value.end(), feature_value_.begin() + feature_off_[e],
                         feature_value_.begin() + feature_off_[e + 1]);
    feature_off.push_back(static_cast<uint32_t>(feature_id.size()));
  }

  forest = Forest();
  forest.in_off = Array<uint32_t>(std::move(in_off));
  forest.tail_off = Array<uint32_t>(std::move(tail_off));
  forest.tails = Array<uint32_t>(std::move(tails));
  forest.rule = Array<uint32_t>(std::move(rule));
  forest.score = Array<double>(std::move(score));
  forest.loss = Array<float>(std::move(loss));
  forest.label = Array<uint32_t>(std::move(label));
  forest.span = Array<uint32_t>(std::move(span));
  forest.context_width = context_width_;
  if (context_width_ > 0) {
    forest.context_off = Array<uint32_t>(std::move(context_off));
    forest.context = Array<int32_t>(std::move(context));
  }
  forest.dense_id = Array<uint32_t>(dense_id_);
  forest.dense = Array<float>(std::move(dense));
  if (!feature_id.empty()) {
    forest.edge_feature_off = Array<uint32_t>(std::move(feature_off));
    forest.edge_feature_id = Array<uint32_t>(std::move(feature_id));
    forest.edge_feature_value = Array<float>(std::move(feature_value));
  }
  forest.rules = rules_;
  forest.names = names_;
  if (provenance != nullptr) *provenance = {std::move(node_origin), std::move(edge_origin)};
  return true;
}

}  // namespace demotic::forest
