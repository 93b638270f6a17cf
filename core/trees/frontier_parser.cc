#include "trees/frontier_parser.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <queue>
#include <utility>

#include "io/checksum.h"
#include "io/error.h"

namespace demotic::trees {

namespace {

constexpr size_t kSeen = 3;  // items of context that costs depend on

// ln(1 + exp(-h)), whatever the size of h.
double cost_of(double h) { return h > 0 ? std::log1p(std::exp(-h)) : -h + std::log1p(std::exp(h)); }

void check_labels(const FrontierSymbols& symbols, std::span<const uint32_t> labels) {
  symbols.check();
  bool wrong = labels.empty();
  for (const uint32_t label : labels) wrong = wrong || label >= symbols.size();
  if (wrong) throw io::Error(io::Fault::corrupt, "labels of a parser that do not fit each other");
}

}  // namespace

FrontierLearner::FrontierLearner(FrontierSymbols symbols, std::vector<uint32_t> labels,
                                 uint32_t share, uint64_t seed)
    : symbols_(std::move(symbols)),
      labels_(std::move(labels)),
      items_((check_labels(symbols_, labels_), symbols_)),
      share_(std::max(1u, share)),
      random_(io::mix64(seed)) {}

void FrontierLearner::row(std::span<const uint64_t> atoms, uint32_t label, double weight) {
  for (const uint64_t atom : atoms) {
    const auto next = static_cast<uint32_t>(rows_.keys.size());
    const uint32_t at =
        index_.find_or_add(atom, next, [&](uint32_t i) { return rows_.keys[i] == atom; });
    if (at == next) {
      rows_.keys.push_back(atom);
      counts_.push_back(0);
    }
    ++counts_[at];
    rows_.atoms.push_back(at);
  }
  rows_.begins.push_back(rows_.atoms.size());
  rows_.label.push_back(label);
  rows_.weight.push_back(weight);
}

void FrontierLearner::add(std::span<const uint32_t> tags, std::span<const uint32_t> words,
                          std::span<const FrontierStep> steps) {
  items_.start(tags, words);
  std::vector<uint32_t> frontier(tags.size());
  std::iota(frontier.begin(), frontier.end(), 0u);
  std::vector<uint64_t> atoms;
  for (const FrontierStep& step : steps) {
    const auto at = std::find(labels_.begin(), labels_.end(), step.label);
    bool known = false;
    for (const FrontierSpan span : spans_of(items_, frontier)) {
      const bool right = span.begin == step.begin && span.size == step.size;
      known = known || right;
      if (!right && (random_ = io::mix64(random_ + 1)) % share_ != 0) continue;
      atoms_of(items_, frontier, span, atoms);
      const auto none = static_cast<uint32_t>(labels_.size());
      row(atoms, right ? static_cast<uint32_t>(at - labels_.begin()) : none,
          right ? 1.0 : static_cast<double>(share_));
    }
    if (!known || at == labels_.end())
      throw io::Error(io::Fault::argument, "a tree with a node that cannot be made");
    frontier = items_.put(frontier, {step.begin, step.size}, step.label);
  }
}

FrontierLearner::Rows FrontierLearner::finish(uint32_t least) const {
  Rows made;
  made.label = rows_.label;
  made.weight = rows_.weight;
  std::vector<uint32_t> number(counts_.size(), HashIndex::kNone);
  for (size_t i = 0; i < counts_.size(); ++i) {
    if (counts_[i] < least) continue;
    number[i] = static_cast<uint32_t>(made.keys.size());
    made.keys.push_back(rows_.keys[i]);
  }
  for (size_t row = 0; row + 1 < rows_.begins.size(); ++row) {
    for (uint64_t k = rows_.begins[row]; k < rows_.begins[row + 1]; ++k)
      if (number[rows_.atoms[k]] != HashIndex::kNone) made.atoms.push_back(number[rows_.atoms[k]]);
    made.begins.push_back(made.atoms.size());
  }
  return made;
}

FrontierParser::FrontierParser(FrontierSymbols symbols, std::vector<uint32_t> labels,
                               std::vector<uint64_t> keys, features::TreeEnsembles classifiers,
                               uint32_t top)
    : symbols_(std::move(symbols)),
      labels_(std::move(labels)),
      keys_(std::move(keys)),
      classifiers_(std::move(classifiers)),
      top_(top) {
  check_labels(symbols_, labels_);
  if (classifiers_.view().classifiers() != labels_.size() ||
      std::find(labels_.begin(), labels_.end(), top) == labels_.end())
    throw io::Error(io::Fault::corrupt, "a parser whose classifiers do not fit its labels");
  for (uint32_t i = 0; i < keys_.size(); ++i)
    index_.find_or_add(keys_[i], i, [&](uint32_t k) { return keys_[k] == keys_[i]; });
}

void FrontierParser::costs(const ItemTable& items, std::span<const uint32_t> frontier,
                           FrontierSpan span, std::vector<uint8_t>& holds,
                           std::span<double> costs) const {
  std::vector<uint64_t> atoms;
  std::vector<uint32_t> held;
  atoms_of(items, frontier, span, atoms);
  for (const uint64_t atom : atoms) {
    const uint32_t at = index_.find(atom, [&](uint32_t i) { return keys_[i] == atom; });
    if (at == HashIndex::kNone) continue;
    holds[at] = 1;
    held.push_back(at);
  }
  const auto has = [&](uint32_t atom) { return atom < holds.size() && holds[atom]; };
  for (size_t c = 0; c < labels_.size(); ++c)
    costs[c] = cost_of(classifiers_.view().score(c, -1.0, has));
  for (const uint32_t at : held) holds[at] = 0;
}

// One sentence's search.
class FrontierRun {
 public:
  FrontierRun(const FrontierParser& parser, const FrontierSearch& search)
      : parser_(parser),
        search_(search),
        items_(parser.symbols_),
        holds_(parser.keys_.size(), 0),
        labels_(parser.labels_.size()) {}

  std::vector<uint32_t> first(std::span<const uint32_t> tags, std::span<const uint32_t> words) {
    items_.start(tags, words);
    std::vector<uint32_t> frontier(tags.size());
    std::iota(frontier.begin(), frontier.end(), 0u);
    return frontier;
  }

  std::vector<std::pair<FrontierStep, double>> next(std::span<const uint32_t> tags,
                                                    std::span<const uint32_t> words,
                                                    std::span<const FrontierStep> taken) {
    std::vector<uint32_t> frontier = first(tags, words);
    for (const FrontierStep& step : taken) {
      if (step.size == 0 || step.size > kMostChildren || step.begin >= frontier.size() ||
          step.size > frontier.size() - step.begin)
        throw io::Error(io::Fault::argument, "a step over items that there are none of");
      frontier = items_.put(frontier, {step.begin, step.size}, step.label);
    }
    std::vector<std::pair<FrontierStep, double>> found;
    for (const Step& step : steps(frontier))
      found.push_back({{parser_.labels_[step.label], step.span.begin, step.span.size}, step.cost});
    return found;
  }

  bool run(std::span<const uint32_t> tags, std::span<const uint32_t> words, ParsedTree& tree) {
    follow(first(tags, words), 0.0);
    for (uint32_t pops = 1; pops < search_.pops && !waiting_.empty(); ++pops) {
      const Waiting next = waiting_.top();
      if (next.cost >= best_cost_) break;
      waiting_.pop();
      const Step& step = next.step;
      const std::vector<uint32_t> after =
          items_.put(states_[next.state], step.span, parser_.labels_[step.label]);
      if (parser_.labels_[step.label] == parser_.top_)
        finish(after, next.cost);
      else
        follow(after, next.cost);
    }
    if (best_.empty()) return false;
    write(tree);
    tree.cost = best_cost_;
    return true;
  }

 private:
  struct Step {
    FrontierSpan span;
    uint32_t label;  // which classifier
    double cost;
  };
  struct Waiting {
    double cost;
    uint32_t number;  // of equals the first
    uint32_t state;
    Step step;
    bool operator<(const Waiting& other) const {
      return cost > other.cost || (cost == other.cost && number > other.number);
    }
  };

  std::span<const double> costs(std::span<const uint32_t> frontier, FrontierSpan span) {
    std::vector<uint32_t> key{span.begin == 0, span.begin + span.size == frontier.size(),
                              span.size};
    const size_t end = span.begin + span.size;
    for (size_t k = 1; k <= kSeen; ++k) {
      key.push_back(k <= span.begin ? frontier[span.begin - k] : UINT32_MAX);
      key.push_back(end + k <= frontier.size() ? frontier[end + k - 1] : UINT32_MAX);
    }
    key.insert(key.end(), frontier.begin() + span.begin, frontier.begin() + end);
    const auto next = static_cast<uint32_t>(keys_.size());
    const uint32_t at = known_.find_or_add(io::checksum64(key.data(), key.size() * 4), next,
                                           [&](uint32_t i) { return keys_[i] == key; });
    if (at == next) {
      keys_.push_back(std::move(key));
      costs_.resize(costs_.size() + labels_);
      parser_.costs(items_, frontier, span, holds_,
                    std::span(costs_).subspan(size_t{at} * labels_, labels_));
    }
    return std::span<const double>(costs_).subspan(size_t{at} * labels_, labels_);
  }

  std::vector<Step> steps(std::span<const uint32_t> frontier) {
    const uint32_t one = single(items_, frontier);
    std::vector<Step> found;
    for (const FrontierSpan span : spans_of(items_, frontier)) {
      const std::span<const double> each = costs(frontier, span);
      for (uint32_t c = 0; c < labels_; ++c) {
        const uint32_t label = parser_.labels_[c];
        if (label == parser_.top_ && one == UINT32_MAX) continue;
        if (span.size == 1 && items_.chain_has(frontier[span.begin], label)) continue;
        found.push_back({span, c, each[c]});
      }
    }
    return found;
  }

  // To the end, always by what is cheapest.
  void follow(std::vector<uint32_t> frontier, double cost) {
    while (true) {
      std::vector<Step> all = steps(frontier);
      if (all.empty()) return;
      const size_t most = std::min<size_t>(all.size(), size_t{search_.open} + 1);
      const auto cheaper = [&](const Step& a, const Step& b) {
        return std::tuple(a.cost, a.span.begin, a.span.size, a.label) <
               std::tuple(b.cost, b.span.begin, b.span.size, b.label);
      };
      std::partial_sort(all.begin(), all.begin() + static_cast<ptrdiff_t>(most), all.end(),
                        cheaper);
      all.resize(most);
      const auto state = static_cast<uint32_t>(states_.size());
      states_.push_back(frontier);
      for (size_t i = 1; i < all.size(); ++i)
        if (cost + all[i].cost < best_cost_)
          waiting_.push({cost + all[i].cost, made_++, state, all[i]});
      cost += all[0].cost;
      if (cost >= best_cost_) return;
      frontier = items_.put(frontier, all[0].span, parser_.labels_[all[0].label]);
      if (parser_.labels_[all[0].label] == parser_.top_) return finish(frontier, cost);
    }
  }

  void finish(const std::vector<uint32_t>& frontier, double cost) {
    if (cost >= best_cost_) return;
    best_cost_ = cost;
    best_ = frontier;
  }

  // In post-order; what is beside TOP in the frontier becomes its children.
  void write(ParsedTree& tree) const {
    tree = {};
    tree.child_begin.push_back(0);
    struct Frame {
      std::vector<uint32_t> children, written;
      uint32_t label, head;
      size_t next = 0;
    };
    const auto opened = [&](uint32_t i) {
      const FrontierItem& item = items_[i];
      return Frame{{item.children, item.children + item.arity}, {}, item.label, item.head};
    };
    Frame root{{}, {}, parser_.top_, 0};
    for (const uint32_t item : best_) {
      const bool is_top = !items_[item].is_leaf() && items_[item].label == parser_.top_;
      if (is_top) root.head = static_cast<uint32_t>(root.children.size());
      root.children.push_back(is_top ? items_[item].children[0] : item);
    }
    std::vector<Frame> stack{std::move(root)};
    while (!stack.empty()) {
      Frame& last = stack.back();
      if (last.next < last.children.size()) {
        stack.push_back(opened(last.children[last.next++]));
        continue;
      }
      const auto number = static_cast<uint32_t>(tree.label.size());
      tree.label.push_back(last.label);
      tree.head_child.push_back(last.written.empty() ? UINT32_MAX : last.written[last.head]);
      tree.child.insert(tree.child.end(), last.written.begin(), last.written.end());
      tree.child_begin.push_back(static_cast<uint32_t>(tree.child.size()));
      stack.pop_back();
      if (!stack.empty()) stack.back().written.push_back(number);
    }
  }

  const FrontierParser& parser_;
  FrontierSearch search_;
  ItemTable items_;
  std::vector<uint8_t> holds_;
  size_t labels_;
  std::vector<std::vector<uint32_t>> states_, keys_;
  std::vector<double> costs_;  // by key and label
  HashIndex known_;
  std::priority_queue<Waiting> waiting_;
  uint32_t made_ = 0;
  std::vector<uint32_t> best_;
  double best_cost_ = std::numeric_limits<double>::infinity();
};

std::vector<std::pair<FrontierStep, double>> FrontierParser::next(
    std::span<const uint32_t> tags, std::span<const uint32_t> words,
    std::span<const FrontierStep> steps) const {
  return FrontierRun(*this, {}).next(tags, words, steps);
}

bool FrontierParser::parse(std::span<const uint32_t> tags, std::span<const uint32_t> words,
                           const FrontierSearch& search, ParsedTree& tree) const {
  return FrontierRun(*this, search).run(tags, words, tree);
}

}  // namespace demotic::trees
