#include "decode/context_free_forest.h"

#include <algorithm>
#include <utility>

namespace demotic::decode {

void ContextFreeForestBuilder::operator()(std::span<const uint32_t> sentence,
                                          ContextFreeForest& out) {
  const ParseOptions& options = plan_.options();
  out.clear();
  own_ = plan_.has_own_goal();
  glue_ = options.glue == Glue::always || (options.glue == Glue::automatic && !own_);
  glue_any_ = !plan_.has_own_default();
  limit_ = options.span_limit;
  out.span_limit = limit_;
  if (sentence.empty()) return;
  while (true) {
    const bool within = parse(sentence);
    if (within && prefix_.back() != kNoNode) break;
    if (!relax(!within)) return;
  }
  const auto size = static_cast<uint32_t>(sentence.size());
  whole_.edges.push_back({kGoal, {prefix_[size], kNoNode}});
  add_node(plan_.goal(), 0, size);
  trim(out);
  out.span_limit = limit_;
}

// What to try next when there were too many edges or no derivation; false if nothing is left.
bool ContextFreeForestBuilder::relax(bool too_large) {
  const ParseOptions& options = plan_.options();
  if (too_large && limit_ > 1) {
    limit_ = limit_ > 5 ? 5 : limit_ > 2 ? 2 : 1;
    return true;
  }
  if (options.glue == Glue::never) return false;
  limit_ = options.span_limit;
  if (own_) {  // S of the grammar does not cover the sentence, or not at any price to be paid
    own_ = false;
    glue_ = true;
    return true;
  }
  return !std::exchange(glue_any_, true);
}

uint32_t ContextFreeForestBuilder::add_node(uint32_t category, uint32_t begin, uint32_t end) {
  const auto node = static_cast<uint32_t>(whole_.nodes.size());
  whole_.nodes.push_back({category, begin, end});
  whole_.in_ends.push_back(static_cast<uint32_t>(whole_.edges.size()));
  previous_at_.push_back(last_at_[end]);
  last_at_[end] = node;
  return node;
}

// A span limit of 1 without long rules of S is what must be there.
bool ContextFreeForestBuilder::within_budget() const {
  const uint64_t most = plan_.options().max_edges;
  if (limit_ == 1 && !own_) return true;
  return whole_.edges.size() + items_.size() <= most && work_ / 16 <= most;
}

// False when the forest outgrew its budget.
bool ContextFreeForestBuilder::parse(std::span<const uint32_t> sentence) {
  whole_.clear();
  previous_at_.clear();
  last_at_.assign(sentence.size() + 1, kNoNode);
  prefix_.assign(sentence.size() + 1, kNoNode);
  pending_.resize(plan_.labels().size());
  work_ = 0;
  for (auto begin = static_cast<uint32_t>(sentence.size()); begin-- > 0;)
    if (!parse_from(begin, sentence)) return false;
  return true;
}

bool ContextFreeForestBuilder::parse_from(uint32_t begin, std::span<const uint32_t> sentence) {
  const auto size = static_cast<uint32_t>(sentence.size());
  const bool unlimited = own_ || (glue_ && begin == 0);
  const uint32_t last = unlimited || limit_ > size - begin ? size : begin + limit_;
  items_.assign(1, {grammar::RuleTable::kRoot, {kNoNode, kNoNode}});
  columns_.assign({0, 1});
  for (uint32_t end = begin + 1; end <= last; ++end) {
    advance(begin, end, sentence);
    finish_span(begin, end, sentence);
    columns_.push_back(static_cast<uint32_t>(items_.size()));
    if (!within_budget()) return false;
  }
  return true;
}

// Items that end at `end`: those that end one word before, over the word; those that end earlier,
// over a finished node in between.
void ContextFreeForestBuilder::advance(uint32_t begin, uint32_t end,
                                       std::span<const uint32_t> sentence) {
  const uint32_t width = end - begin;
  const bool wide = width > limit_;
  if (wide && !own_) return;
  const auto step = [&](const Item& item, text::Symbol symbol) {
    const uint32_t next = table_.step(item.trie, symbol);
    return next == grammar::RuleTable::kNone || (wide && !plan_.leads_to_goal(next))
               ? grammar::RuleTable::kNone
               : next;
  };
  if (sentence[end - 1] != text::kUnknown) {
    work_ += columns_[width] - columns_[width - 1];
    for (uint32_t i = columns_[width - 1]; i < columns_[width]; ++i) {
      const Item item = items_[i];
      const uint32_t next = step(item, static_cast<text::Symbol>(sentence[end - 1]));
      if (next != grammar::RuleTable::kNone) items_.push_back({next, item.tails});
    }
  }
  for (uint32_t node = last_at_[end]; node != kNoNode; node = previous_at_[node]) {
    const uint32_t middle = whole_.nodes[node].begin - begin;
    const text::Symbol symbol = grammar::category_symbol(whole_.nodes[node].category);
    work_ += 1 + columns_[middle + 1] - columns_[middle];
    for (uint32_t i = columns_[middle]; i < columns_[middle + 1]; ++i) {
      Item item = items_[i];
      if (item.tails[grammar::kMaxArity - 1] != kNoNode) continue;
      item.trie = step(item, symbol);
      if (item.trie == grammar::RuleTable::kNone) continue;
      item.tails[item.tails[0] == kNoNode ? 0 : 1] = node;
      items_.push_back(item);
    }
  }
}

bool ContextFreeForestBuilder::is_sound(uint32_t trie, uint32_t arity) {
  Sound& sound = sound_[trie];
  if (sound == Sound::unknown) {
    sound = Sound::yes;
    const uint32_t first = table_.first_rule(trie);
    for (uint32_t rule = first; rule < table_.last_rule(trie); ++rule)
      if (!table_.usable(rule, arity) || table_.lhs(rule) != table_.lhs(first)) sound = Sound::no;
  }
  return sound == Sound::yes;
}

// The rules behind a finished item become edges of their left-hand sides.
void ContextFreeForestBuilder::collect(uint32_t trie,
                                       const std::array<uint32_t, grammar::kMaxArity>& tails,
                                       bool wide) {
  const uint32_t arity = (tails[0] != kNoNode) + (tails[1] != kNoNode);
  const uint32_t first = table_.first_rule(trie);
  const uint32_t last = table_.last_rule(trie);
  if (first >= last) return;
  if (is_sound(trie, arity)) {
    const uint32_t lhs = table_.lhs(first);
    if (wide && lhs != plan_.s()) return;
    for (uint32_t rule = first; rule < last; ++rule) pending_[lhs].push_back({rule, tails});
    return;
  }
  for (uint32_t rule = first; rule < last; ++rule) {
    if (!table_.usable(rule, arity)) continue;  // of a damaged table
    const uint32_t lhs = table_.lhs(rule);
    if (!wide || lhs == plan_.s()) pending_[lhs].push_back({rule, tails});
  }
}

bool ContextFreeForestBuilder::passes_through(uint32_t word) const {
  if (word == text::kUnknown || table_.nodes() == 0) return true;
  const uint32_t trie = table_.step(grammar::RuleTable::kRoot, static_cast<text::Symbol>(word));
  return trie == grammar::RuleTable::kNone || table_.first_rule(trie) >= table_.last_rule(trie);
}

void ContextFreeForestBuilder::finish_span(uint32_t begin, uint32_t end,
                                           std::span<const uint32_t> sentence) {
  const bool wide = end - begin > limit_;
  const size_t items = items_.size();
  for (size_t i = columns_.back(); i < items; ++i) collect(items_[i].trie, items_[i].tails, wide);
  if (end == begin + 1 && passes_through(sentence[begin]))
    pending_[plan_.x()].push_back({kPassThrough, {kNoNode, kNoNode}});
  for (const uint32_t category : plan_.order()) {
    if (category == plan_.s() && begin == 0 && glue_) glue(end);
    std::vector<ForestEdge>& edges = pending_[category];
    if (edges.empty()) continue;
    whole_.edges.insert(whole_.edges.end(), edges.begin(), edges.end());
    edges.clear();
    const uint32_t node = add_node(category, begin, end);
    if (category == plan_.s() && begin == 0) prefix_[end] = node;
    const uint32_t trie = plan_.unary(category);
    if (trie == grammar::RuleTable::kNone) continue;
    collect(trie, {node, kNoNode}, wide);
    if (!wide || plan_.leads_to_goal(trie)) items_.push_back({trie, {node, kNoNode}});
  }
}

// S over the first words out of a category over them, or of a shorter S and a category.
void ContextFreeForestBuilder::glue(uint32_t end) {
  std::vector<ForestEdge>& edges = pending_[plan_.s()];
  for (uint32_t node = last_at_[end]; node != kNoNode; node = previous_at_[node]) {
    const ForestNode& part = whole_.nodes[node];
    if (part.category == plan_.s() || !(glue_any_ || part.category == plan_.x())) continue;
    if (part.begin == 0)
      edges.push_back({kGlueFirst, {node, kNoNode}});
    else if (prefix_[part.begin] != kNoNode)
      edges.push_back({kGlueNext, {prefix_[part.begin], node}});
  }
}

// Copies what Goal can reach.
void ContextFreeForestBuilder::trim(ContextFreeForest& out) {
  renumbered_.assign(whole_.nodes.size(), kNoNode);
  stack_.assign(1, whole_.goal());
  renumbered_[whole_.goal()] = 0;
  while (!stack_.empty()) {
    const uint32_t node = stack_.back();
    stack_.pop_back();
    for (const ForestEdge& edge : whole_.in(node))
      for (const uint32_t tail : edge.tails)
        if (tail != kNoNode && renumbered_[tail] == kNoNode) {
          renumbered_[tail] = 0;
          stack_.push_back(tail);
        }
  }
  for (uint32_t node = 0; node < whole_.nodes.size(); ++node) {
    if (renumbered_[node] == kNoNode) continue;
    for (ForestEdge edge : whole_.in(node)) {
      for (uint32_t& tail : edge.tails)
        if (tail != kNoNode) tail = renumbered_[tail];
      out.edges.push_back(edge);
    }
    renumbered_[node] = static_cast<uint32_t>(out.nodes.size());
    out.nodes.push_back(whole_.nodes[node]);
    out.in_ends.push_back(static_cast<uint32_t>(out.edges.size()));
  }
}

}  // namespace demotic::decode
