#include "forest/kbest.h"

#include <algorithm>
#include <cmath>

#include "forest/inside_outside.h"
#include "io/checksum.h"

namespace demotic::forest {

namespace {

constexpr uint64_t kBase = 0x9e3779b97f4a7c15ull;  // odd, so its powers never vanish

// Where infinite sums meet: an order of scores has no place for what is no number.
double ordered(double score) { return std::isnan(score) ? kLogZero : score; }

constexpr size_t kMany = size_t{1} << 32;

uint64_t word_hash(int32_t word) { return io::mix64(static_cast<uint64_t>(word) + 0x51ed27ull); }

}  // namespace

KBest::KBest(const Forest& f, std::span<const double> score, const KBestOptions& options)
    : f_(f), edge_score_(score), options_(options), nodes_(f.nodes()) {
  if (options.unique) string_index_.reserve(600);
  if (options_.max_pops == 0) options_.max_pops = 50 * std::min(options_.k, kMany) + 1000;
  std::vector<MaxPlus> beta(f.nodes());
  inside<MaxPlus>(f, [&](uint32_t e) { return MaxPlus{score[e], e}; }, beta);
  best_.resize(f.nodes());
  for (uint32_t v = 0; v < f.nodes(); ++v) best_[v] = beta[v].value;
}

bool KBest::reach(size_t rank) {
  if (rank >= options_.k) return false;
  run(f_.root(), rank);
  return nodes_[f_.root()].results.size() > rank;
}

// Answer one demand after another; a node that needs a result of a tail puts that demand on top.
void KBest::run(uint32_t root, size_t root_rank) {
  stack_.push_back({root, root_rank});
  while (!stack_.empty()) {
    const Demand demand = stack_.back();
    if (known(demand.node, demand.rank)) {
      stack_.pop_back();
      continue;
    }
    const uint32_t v = demand.node;
    Node& node = nodes_[v];
    if (!node.seeded) seed(v);
    if (!expand_pending(v)) continue;
    if (node.heap.empty()) {
      node.done = true;
      continue;
    }
    if (node.pops >= options_.max_pops) {
      node.done = truncated_ = true;
      continue;
    }
    if (tails_ready(node.heap.front())) accept(v);
  }
}

bool KBest::worse(const Item& a, const Item& b) const {
  if (a.score != b.score) return a.score < b.score;
  if (a.edge != b.edge) return a.edge > b.edge;
  const size_t arity = f_.tails_of(a.edge).size();
  const auto first = ranks_.begin() + a.ranks;
  return std::lexicographical_compare(ranks_.begin() + b.ranks, ranks_.begin() + b.ranks + arity,
                                      first, first + static_cast<std::ptrdiff_t>(arity));
}

void KBest::seed(uint32_t v) {
  Node& node = nodes_[v];
  node.seeded = true;
  for (uint32_t e = f_.in_off[v]; e < f_.in_off[v + 1]; ++e) {
    double score = edge_score_[e];
    for (const uint32_t tail : f_.tails_of(e)) score += best_[tail];
    node.heap.push_back({ordered(score), e, kNone, 0, 1});
  }
  const auto better = [](const Item& a, const Item& b) {
    return a.score != b.score ? a.score > b.score : a.edge < b.edge;
  };
  // Without the filter each accepted result comes from a seed among the k best.
  if (!options_.unique && node.heap.size() > options_.k) {
    const auto cut = node.heap.begin() + static_cast<std::ptrdiff_t>(options_.k);
    std::nth_element(node.heap.begin(), cut, node.heap.end(), better);
    node.heap.erase(cut, node.heap.end());
    std::sort(node.heap.begin(), node.heap.end(), better);
  }
  for (Item& item : node.heap) {
    item.ranks = static_cast<uint32_t>(ranks_.size());
    ranks_.resize(ranks_.size() + f_.tails_of(item.edge).size(), 0);
  }
  std::make_heap(node.heap.begin(), node.heap.end(),
                 [this](const Item& a, const Item& b) { return worse(a, b); });
}

double KBest::total(uint32_t e, uint32_t ranks) const {
  double score = edge_score_[e];
  for (const uint32_t tail : f_.tails_of(e)) score += nodes_[tail].results[ranks_[ranks++]].score;
  return ordered(score);
}

bool KBest::expand_pending(uint32_t v) {
  Node& node = nodes_[v];
  if (!node.has_pending) return true;
  const std::span<const uint32_t> tails = f_.tails_of(node.pending.edge);
  for (; node.next < tails.size(); ++node.next) {
    const uint32_t tail = tails[node.next];
    const uint32_t rank = ranks_[node.pending.ranks + node.next] + 1;
    if (!known(tail, rank)) {
      stack_.push_back({tail, rank});
      return false;
    }
    if (nodes_[tail].results.size() <= rank) continue;
    if (ranks_.size() + tails.size() >= kNone)
      throw io::Error(io::Fault::argument, "too many derivations asked for");
    const auto ranks = static_cast<uint32_t>(ranks_.size());
    for (size_t i = 0; i < tails.size(); ++i) {
      const uint32_t same = ranks_[node.pending.ranks + i];
      ranks_.push_back(same);
    }
    ++ranks_[ranks + node.next];
    node.heap.push_back({total(node.pending.edge, ranks), node.pending.edge, ranks, 0, 1});
    std::push_heap(node.heap.begin(), node.heap.end(),
                   [this](const Item& a, const Item& b) { return worse(a, b); });
  }
  node.has_pending = false;
  return true;
}

bool KBest::tails_ready(const Item& item) {
  const std::span<const uint32_t> tails = f_.tails_of(item.edge);
  for (size_t i = 0; i < tails.size(); ++i)
    if (const uint32_t rank = ranks_[item.ranks + i]; !known(tails[i], rank)) {
      stack_.push_back({tails[i], rank});
      return false;
    }
  return true;
}

void KBest::accept(uint32_t v) {
  Node& node = nodes_[v];
  std::pop_heap(node.heap.begin(), node.heap.end(),
                [this](const Item& a, const Item& b) { return worse(a, b); });
  Item item = node.heap.back();
  node.heap.pop_back();
  ++node.pops;
  ++pops_;
  const std::span<const uint32_t> tails = f_.tails_of(item.edge);
  node.pending = item;
  node.has_pending = true;
  node.next = static_cast<uint32_t>(tails.size());  // the last coordinate > 0, or the first of all
  while (node.next > 0 && ranks_[item.ranks + node.next - 1] == 0) --node.next;
  if (node.next > 0) --node.next;
  if (options_.unique) {
    set_string(item);
    if (!new_string(v, item)) return;
  }
  node.results.push_back(item);
}

// hash(xy) = hash(x) * base^|y| + hash(y): a node's hash follows from its tails' hashes.
void KBest::set_string(Item& item) const {
  const std::span<const uint32_t> tails = f_.tails_of(item.edge);
  item.hash = 0;
  item.weight = 1;
  for (const int32_t symbol : f_.target_side(item.edge)) {
    uint64_t hash = 0;
    uint64_t weight = kBase;
    if (text::is_slot(symbol)) {
      const uint32_t slot = text::slot_of(symbol);
      const Item& part = nodes_[tails[slot]].results[ranks_[item.ranks + slot]];
      hash = part.hash;
      weight = part.weight;
    } else {
      hash = word_hash(symbol);
    }
    item.hash = item.hash * weight + hash;
    item.weight *= weight;
  }
}

bool KBest::new_string(uint32_t v, const Item& item) {
  const auto next = static_cast<uint32_t>(strings_.size());
  const auto same = [&](uint32_t number) {
    const String& known = strings_[number];
    if (known.node != v) return false;
    const Item& other = nodes_[v].results[known.result];
    return other.hash == item.hash && other.weight == item.weight &&
           string_of(other) == string_of(item);
  };
  if (string_index_.find_or_add(io::mix64(item.hash ^ io::mix64(v)), next, same) != next)
    return false;
  strings_.push_back({v, static_cast<uint32_t>(nodes_[v].results.size())});
  return true;
}

std::vector<int32_t> KBest::string_of(const Item& item) const {
  struct Frame {
    const Item* item;
    size_t symbol;
  };
  std::vector<int32_t> words;
  std::vector<Frame> stack{{&item, 0}};
  size_t length = 0;  // in symbols: rules may write no word
  while (!stack.empty()) {
    const Item& top = *stack.back().item;
    const std::span<const int32_t> program = f_.target_side(top.edge);
    if (stack.back().symbol == program.size()) {
      stack.pop_back();
      continue;
    }
    check_length(++length);
    const int32_t symbol = program[stack.back().symbol++];
    if (!text::is_slot(symbol)) {
      words.push_back(symbol);
      continue;
    }
    const uint32_t slot = text::slot_of(symbol);
    stack.push_back({&nodes_[f_.tails_of(top.edge)[slot]].results[ranks_[top.ranks + slot]], 0});
  }
  return words;
}

Derivation KBest::derivation(size_t rank) const {
  Derivation d;
  std::vector<const Item*> open{&nodes_[f_.root()].results[rank]};
  while (!open.empty()) {
    const Item& item = *open.back();
    open.pop_back();
    d.push_back(item.edge);
    const std::span<const uint32_t> tails = f_.tails_of(item.edge);
    for (size_t i = tails.size(); i-- > 0;)
      open.push_back(&nodes_[tails[i]].results[ranks_[item.ranks + i]]);
    check_length(d.size() + open.size());
  }
  return d;
}

}  // namespace demotic::forest
