#include "trees/cell_search.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "io/checksum.h"
#include "io/error.h"

namespace demotic::trees {

namespace {

uint64_t key_of(uint32_t name, uint32_t first, uint32_t second) {
  return io::mix64(io::mix64(uint64_t{name} << 32 | first) ^ (uint64_t{second} + 0x9e3779b9ull));
}

// ln(1 + exp(-h)), whatever the size of h.
double cost_of(double h) { return h > 0 ? std::log1p(std::exp(-h)) : -h + std::log1p(std::exp(h)); }

template <class T>
std::span<const T> row(std::span<const T> values, std::span<const uint32_t> begins, size_t i) {
  return values.subspan(begins[i], begins[i + 1] - begins[i]);
}

void refuse(bool wrong) {
  if (wrong) throw io::Error(io::Fault::argument, "arrays that do not fit the cells of a tree");
}

void check_begins(std::span<const uint32_t> begins, size_t rows, size_t size) {
  refuse(begins.size() != rows + 1 || begins[0] != 0 || begins[rows] != size);
  for (size_t i = 0; i < rows; ++i) refuse(begins[i] > begins[i + 1]);
}

}  // namespace

void PermutationModel::check() const {
  const auto refuse_if = [](bool wrong) {
    if (wrong) throw io::Error(io::Fault::corrupt, "decision trees that do not fit each other");
  };
  const DecisionTrees& t = trees_;
  refuse_if(t.atom.size() != t.other.size() || t.atom.size() != t.value.size());
  uint32_t before = 0;
  for (const uint32_t end : t.classifier_ends) {
    refuse_if(end < before || end > t.tree_ends.size());
    before = end;
  }
  before = 0;
  for (const uint32_t end : t.tree_ends) {
    refuse_if(end <= before || end > t.atom.size());
    for (uint32_t at = before; at < end; ++at) {
      if (t.atom[at] == DecisionTrees::kLeaf)
        refuse_if(!(std::abs(t.value[at]) < 1e9));
      else  // both ways lead on, so that every walk ends
        refuse_if(at + 1 >= end || t.other[at] <= at - before || t.other[at] >= end - before);
    }
    before = end;
  }
}

PermutationModel::PermutationModel(DecisionTrees trees, uint32_t features,
                                   std::span<const uint32_t> name, std::span<const uint32_t> first,
                                   std::span<const uint32_t> second, std::span<const uint32_t> atom)
    : trees_(std::move(trees)), features_(features) {
  check();
  if (name.size() != first.size() || name.size() != second.size() || name.size() != atom.size())
    throw io::Error(io::Fault::corrupt, "dynamic features that do not fit each other");
  std::vector<uint8_t> dynamic(features, 0);
  for (size_t k = 0; k < name.size(); ++k) {
    if (atom[k] >= features)
      throw io::Error(io::Fault::corrupt, "a dynamic feature that there is none of");
    dynamic[atom[k]] = 1;
    const uint64_t key = key_of(name[k], first[k], second[k]);
    const auto next = static_cast<uint32_t>(keys_.size());
    if (index_.find_or_add(key, next, [&](uint32_t i) { return keys_[i] == key; }) != next)
      continue;
    keys_.push_back(key);
    atoms_.push_back(atom[k]);
  }
  still_.resize(trees_.classifier_ends.size());
  moving_.resize(trees_.classifier_ends.size());
  uint32_t tree = 0, at = 0;
  for (size_t c = 0; c < trees_.classifier_ends.size(); ++c)
    for (; tree < trees_.classifier_ends[c]; ++tree) {
      bool moves = false;
      for (; at < trees_.tree_ends[tree]; ++at)
        moves = moves || (trees_.atom[at] < features && dynamic[trees_.atom[at]]);
      (moves ? moving_ : still_)[c].push_back(tree);
    }
}

double PermutationModel::walk(uint32_t tree, std::span<const uint8_t> holds) const {
  const uint32_t begin = tree == 0 ? 0 : trees_.tree_ends[tree - 1];
  uint32_t at = begin;
  while (trees_.atom[at] != DecisionTrees::kLeaf) {
    const uint32_t atom = trees_.atom[at];
    at = atom < holds.size() && holds[atom] ? at + 1 : begin + trees_.other[at];
  }
  return trees_.value[at];
}

uint32_t PermutationModel::find(uint32_t name, uint32_t first, uint32_t second) const {
  const uint64_t key = key_of(name, first, second);
  const uint32_t at = index_.find(key, [&](uint32_t i) { return keys_[i] == key; });
  return at == HashIndex::kNone ? kNoWord : atoms_[at];
}

void CellInput::check(uint32_t features) const {
  cells.check();
  const size_t attachments = cells.block.size();
  check_begins(leaf_begins, cells.tokens, leaf_target.size());
  for (size_t token = 0; token < cells.tokens; ++token)
    refuse(leaf_begins[token] == leaf_begins[token + 1]);
  refuse(leaf_cost.size() != leaf_target.size() || keep.size() != attachments ||
         swap.size() != attachments || classifier.size() != attachments);
  check_begins(atom_begins, attachments, atoms.size());
  check_begins(name_begins, attachments * kSlots, names.size());
  for (const uint32_t atom : atoms) refuse(atom >= features);
  for (const double cost : leaf_cost) refuse(!(std::abs(cost) < 1e9));
  for (size_t a = 0; a < attachments; ++a)
    refuse(!(std::abs(keep[a]) < 1e9 && std::abs(swap[a]) < 1e9));
  if (!pairs.empty()) check_pairs();
}

void CellInput::check_pairs() const {
  refuse(pair_begins.size() != cells.block.size());
  for (const double cost : pairs) refuse(!(cost >= 0.0 && cost < 1e9));
  std::vector<size_t> heads(cells.size());  // candidates of each cell's head
  for (size_t cell = 0; cell < cells.size(); ++cell) {
    if (cell < cells.tokens) {
      heads[cell] = leaf_begins[cell + 1] - leaf_begins[cell];
      continue;
    }
    for (uint32_t a = cells.begins[cell]; a < cells.begins[cell + 1]; ++a) {
      heads[cell] = heads[cells.block[a]];
      refuse(pair_begins[a] + heads[cell] * heads[cells.sibling[a]] > pairs.size());
    }
  }
}

void CellSearch::run(const CellInput& input) {
  input.check(model_.features());
  refuse(!(options_.order_weight >= 0.0 && options_.order_weight < 1e9));
  refuse(!(options_.yield_weight >= 0.0 && options_.yield_weight < 1e9));
  refuse(yields_ && yields_->leaves() != input.leaf_target.size());
  input_ = &input;
  items_.clear();
  edges_.clear();
  sets_.assign(1, {});
  set_index_.clear();
  cells_.resize(input.cells.size());
  for (size_t token = 0; token < input.cells.tokens; ++token) fill_leaf(token);
  for (size_t cell = input.cells.tokens; cell < input.cells.size(); ++cell) fill_block(cell);
}

// What the words of an item cost where they meet; the root's meet the borders of the sentence.
void CellSearch::add_yield(Item& item, Edge& edge) {
  if (!yields_) return;
  if (edge.block == kNone) {
    item.yield = yields_->leaf(edge.choice, edge.yield);
  } else {
    const bool block_first = (input_->cells.right[edge.choice] != 0) != edge.swapped;
    const uint64_t block = items_[edge.block].yield, sibling = items_[edge.sibling].yield;
    item.yield =
        yields_->join(block_first ? block : sibling, block_first ? sibling : block, edge.yield);
  }
  if (item.cell + 1 == input_->cells.size()) {
    edge.yield += yields_->sentence(item.yield);
    item.yield = 0;
  }
  item.cost += options_.yield_weight * edge.yield;
}

void CellSearch::offer(Item item, Edge edge) {
  add_yield(item, edge);
  least_ = std::min(least_, item.cost);
  const auto next = static_cast<uint32_t>(offers_.size());
  uint32_t at = next;
  if (options_.recombine) {
    const uint64_t hash = io::mix64(io::mix64(uint64_t{item.target} << 32 | item.dependents) ^
                                    io::mix64(item.yield + (item.empty ? 1u : 2u)));
    at = offered_.find_or_add(hash, next, [&](uint32_t i) {
      return offers_[i].target == item.target && offers_[i].dependents == item.dependents &&
             offers_[i].empty == item.empty && offers_[i].yield == item.yield;
    });
  }
  const auto number = static_cast<uint32_t>(offered_edges_.size());
  offered_edges_.push_back(edge);
  offered_edges_.back().head = at;
  if (at == next) {
    item.best = number;
    offers_.push_back(item);
  } else if (item.cost < offers_[at].cost) {
    offers_[at].cost = item.cost;
    offers_[at].best = number;
  }
}

void CellSearch::keep_best(size_t cell) {
  std::vector<uint32_t> order(offers_.size());
  for (uint32_t i = 0; i < order.size(); ++i) order[i] = i;
  std::sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) {
    return offers_[a].cost < offers_[b].cost || (offers_[a].cost == offers_[b].cost && a < b);
  });
  if (order.size() > options_.items) order.resize(options_.items);
  while (offers_[order.back()].cost > least_ + options_.width) order.pop_back();
  std::vector<uint32_t> number(offers_.size(), kNone);
  cells_[cell].clear();
  for (const uint32_t i : order) {
    number[i] = static_cast<uint32_t>(items_.size());
    cells_[cell].push_back(number[i]);
    items_.push_back(offers_[i]);
  }
  for (uint32_t e = 0; e < offered_edges_.size(); ++e) {
    Edge edge = offered_edges_[e];
    const uint32_t offered = edge.head;
    if (number[offered] == kNone) continue;
    edge.head = number[offered];
    if (offers_[offered].best == e) items_[edge.head].best = static_cast<uint32_t>(edges_.size());
    edges_.push_back(edge);
  }
}

void CellSearch::fill_leaf(size_t token) {
  offers_.clear();
  offered_edges_.clear();
  offered_.clear();
  least_ = std::numeric_limits<double>::infinity();
  for (uint32_t i = input_->leaf_begins[token]; i < input_->leaf_begins[token + 1]; ++i) {
    const uint32_t target = input_->leaf_target[i];
    const double cost = input_->leaf_cost[i];
    offer({static_cast<uint32_t>(token), target, 0, static_cast<uint32_t>(token),
           i - input_->leaf_begins[token], target == kNull, cost, kNone},
          {0, i, kNone, kNone, false, cost});
  }
  keep_best(token);
}

void CellSearch::open(uint32_t attachment) {
  memos_.clear();
  remembered_.clear();
  for (const uint32_t atom : row(input_->atoms, input_->atom_begins, attachment)) holds_[atom] = 1;
  const uint32_t classifier = input_->classifier[attachment];
  still_ = {input_->keep[attachment], input_->swap[attachment]};
  for (const uint32_t tree : model_.still(classifier)) still_.first += model_.walk(tree, holds_);
  for (const uint32_t tree : model_.still(size_t{classifier} + 1))
    still_.second += model_.walk(tree, holds_);
}

void CellSearch::close(uint32_t attachment) {
  for (const uint32_t atom : row(input_->atoms, input_->atom_begins, attachment)) holds_[atom] = 0;
}

void CellSearch::hold(Slot slot, uint32_t attachment, uint32_t first, uint32_t second) {
  const size_t place = size_t{attachment} * kSlots + static_cast<size_t>(slot);
  for (const uint32_t name : row(input_->names, input_->name_begins, place)) {
    const uint32_t atom = model_.find(name, first, second);
    if (atom == PermutationModel::kNoWord || holds_[atom]) continue;
    holds_[atom] = 1;
    held_.push_back(atom);
  }
}

double CellSearch::moving_score(size_t classifier) const {
  double sum = 0.0;
  for (const uint32_t tree : model_.moving(classifier)) sum += model_.walk(tree, holds_);
  return sum;
}

CellSearch::Costs CellSearch::costs(uint32_t attachment, const Item& block, const Item& sibling) {
  const uint32_t classifier = input_->classifier[attachment];
  if (model_.moving(classifier).empty() && model_.moving(size_t{classifier} + 1).empty())
    return {cost_of(still_.first), cost_of(still_.second)};
  const uint64_t key = io::mix64(io::mix64(uint64_t{block.target} << 32 | block.dependents) ^
                                 (uint64_t{sibling.target} << 32 | sibling.dependents));
  const auto next = static_cast<uint32_t>(memos_.size());
  const uint32_t at =
      remembered_.find_or_add(key, next, [&](uint32_t i) { return memos_[i].key == key; });
  if (at != next) return memos_[at].costs;
  constexpr uint32_t kNoWord = PermutationModel::kNoWord;
  hold(Slot::head, attachment, block.target, kNoWord);
  hold(Slot::sibling, attachment, sibling.target, kNoWord);
  hold(Slot::both, attachment, block.target, sibling.target);
  for (const uint32_t target : sets_[block.dependents])
    hold(Slot::head_dependent, attachment, target, kNoWord);
  for (const uint32_t target : sets_[sibling.dependents])
    hold(Slot::sibling_dependent, attachment, target, kNoWord);
  const Costs found{cost_of(still_.first + moving_score(classifier)),
                    cost_of(still_.second + moving_score(size_t{classifier} + 1))};
  for (const uint32_t atom : held_) holds_[atom] = 0;
  held_.clear();
  memos_.push_back({key, found});
  return found;
}

double CellSearch::pair_cost(uint32_t attachment, const Item& block, const Item& sibling) const {
  if (input_->pairs.empty()) return 0.0;
  const size_t row = input_->leaf_begins[sibling.token + 1] - input_->leaf_begins[sibling.token];
  return input_->pairs[input_->pair_begins[attachment] + block.rank * row + sibling.rank];
}

uint32_t CellSearch::with(uint32_t dependents, uint32_t target) {
  if (target == kNull) return dependents;
  std::vector<uint32_t> made = sets_[dependents];
  const auto place = std::lower_bound(made.begin(), made.end(), target);
  if (place != made.end() && *place == target) return dependents;
  made.insert(place, target);
  const auto next = static_cast<uint32_t>(sets_.size());
  const uint32_t at = set_index_.find_or_add(io::checksum64(made.data(), made.size() * 4), next,
                                             [&](uint32_t i) { return sets_[i] == made; });
  if (at == next) sets_.push_back(std::move(made));
  return at;
}

void CellSearch::fill_block(size_t cell) {
  offers_.clear();
  offered_edges_.clear();
  offered_.clear();
  least_ = std::numeric_limits<double>::infinity();
  const CellsView& cells = input_->cells;
  for (uint32_t a = cells.begins[cell]; a < cells.begins[cell + 1]; ++a) {
    open(a);
    for (const uint32_t b : cells_[cells.block[a]]) {
      const Item block = items_[b];
      for (const uint32_t s : cells_[cells.sibling[a]]) {
        const Item sibling = items_[s];
        const double below = block.cost + sibling.cost;
        if (below > least_ + options_.width) break;  // items stand in the order of their costs
        Item made{static_cast<uint32_t>(cell),
                  block.target,
                  with(block.dependents, sibling.target),
                  block.token,
                  block.rank,
                  block.empty && sibling.empty,
                  below,
                  kNone};
        const double pair = pair_cost(a, block, sibling);
        const auto take = [&](bool swapped, double order) {
          made.cost = below + pair + options_.order_weight * order;
          offer(made, {0, a, b, s, swapped, order + pair});
        };
        if ((block.empty || sibling.empty) && !options_.score_erased) {
          take(false, 0.0);
          continue;
        }
        const Costs each = costs(a, block, sibling);
        take(false, each.first);
        take(true, each.second);
      }
    }
    close(a);
  }
  keep_best(cell);
}

std::vector<uint32_t> CellSearch::best_edges() const {
  std::vector<uint32_t> waiting{root()}, found;
  while (!waiting.empty()) {
    const Item& item = items_[waiting.back()];
    waiting.pop_back();
    found.push_back(item.best);
    const Edge& edge = edges_[item.best];
    if (edge.block == kNone) continue;
    waiting.push_back(edge.block);
    waiting.push_back(edge.sibling);
  }
  std::sort(found.begin(), found.end(), [&](uint32_t a, uint32_t b) {
    return items_[edges_[a].head].cell < items_[edges_[b].head].cell;
  });
  return found;
}

std::vector<CellSearch::Word> CellSearch::yield() const {
  std::vector<Word> found;
  std::vector<uint32_t> waiting{root()};
  while (!waiting.empty()) {
    const Item& item = items_[waiting.back()];
    waiting.pop_back();
    const Edge& edge = edges_[item.best];
    if (edge.block == kNone) {
      if (item.target != kNull) found.push_back({item.cell, item.target});
      continue;
    }
    const bool block_first = (input_->cells.right[edge.choice] != 0) != edge.swapped;
    waiting.push_back(block_first ? edge.sibling : edge.block);
    waiting.push_back(block_first ? edge.block : edge.sibling);
  }
  return found;
}

}  // namespace demotic::trees
