#include "decode/context_free_forest.h"

#include <algorithm>
#include <utility>

namespace demotic::decode {

void ContextFreeForestBuilder::operator()(std::span<const uint32_t> sentence,
                                          ContextFreeForest& out, const ReorderingLimits& limits) {
  const ParseOptions& options = plan_.options();
  out.clear();
  own_ = plan_.has_own_goal();
  glue_ = options.glue == Glue::always || (options.glue == Glue::automatic && !own_);
  joined_ = plan_.has_own_default() ? Joined::default_category : Joined::others;
  limits_ = limits.empty() ? nullptr : &limits;
  limit_ = options.span_limit;
  out.span_limit = limit_;
  if (sentence.empty()) return;
  while (true) {
    const bool within = parse(sentence);
    if (within && prefix_.back() != kNoNode) break;
    if (!relax(!within)) return;
  }
  const auto size = static_cast<uint32_t>(sentence.size());
  add_group(plan_.goal(), kGoal, {prefix_[size]});
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
  if (limits_ != nullptr && !too_large && options.glue == Glue::never) {
    limits_ = nullptr;  // nothing puts pieces together in order: better a translation
    limit_ = options.span_limit;
    return true;
  }
  if (options.glue == Glue::never) return false;
  limit_ = options.span_limit;
  if (own_) {  // S of the grammar does not cover the sentence, or not at any price to be paid
    own_ = false;
    glue_ = true;
    return true;
  }
  if (joined_ == Joined::all) return false;
  joined_ = joined_ == Joined::default_category ? Joined::others : Joined::all;
  return true;
}

// A node of all groups that wait for its category.
uint32_t ContextFreeForestBuilder::add_node(uint32_t category, uint32_t begin, uint32_t end) {
  const auto node = static_cast<uint32_t>(whole_.nodes.size());
  std::vector<RuleGroup>& groups = pending_[category];
  for (const RuleGroup& group : groups) edges_ += group.rules;
  whole_.groups.insert(whole_.groups.end(), groups.begin(), groups.end());
  groups.clear();
  whole_.nodes.push_back({category, begin, end});
  whole_.group_ends.push_back(static_cast<uint32_t>(whole_.groups.size()));
  previous_at_.push_back(last_at_[end]);
  last_at_[end] = node;
  return node;
}

// A span limit of 1 without long rules of S is what must be there.
bool ContextFreeForestBuilder::within_budget() const {
  const uint64_t most = plan_.options().max_edges;
  if (limit_ == 1 && !own_) return true;
  return edges_ + items_.size() <= most && work_ / 16 <= most;
}

// False when the forest outgrew its budget.
bool ContextFreeForestBuilder::parse(std::span<const uint32_t> sentence) {
  whole_.clear();
  previous_at_.clear();
  last_at_.assign(sentence.size() + 1, kNoNode);
  prefix_.assign(sentence.size() + 1, kNoNode);
  pending_.resize(plan_.labels().size());
  for (std::vector<RuleGroup>& groups : pending_) groups.clear();  // of a parse that gave up
  work_ = 0;
  edges_ = 0;
  for (auto begin = static_cast<uint32_t>(sentence.size()); begin-- > 0;)
    if (!parse_from(begin, sentence)) return false;
  return true;
}

bool ContextFreeForestBuilder::parse_from(uint32_t begin, std::span<const uint32_t> sentence) {
  const auto size = static_cast<uint32_t>(sentence.size());
  const bool unlimited = own_ || (glue_ && begin == 0);
  const uint32_t last = unlimited || limit_ > size - begin ? size : begin + limit_;
  items_.assign(1, {grammar::RuleTable::kRoot, kNoTail});
  chain_.clear();
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
      if (next != grammar::RuleTable::kNone) items_.push_back({next, item.last_tail});
    }
  }
  for (uint32_t node = last_at_[end]; node != kNoNode; node = previous_at_[node]) {
    const uint32_t middle = whole_.nodes[node].begin - begin;
    const text::Symbol symbol = grammar::category_symbol(whole_.nodes[node].category);
    work_ += 1 + columns_[middle + 1] - columns_[middle];
    for (uint32_t i = columns_[middle]; i < columns_[middle + 1]; ++i) {
      const Item item = items_[i];
      const uint32_t next = step(item, symbol);
      if (next == grammar::RuleTable::kNone || arity_of(item) == grammar::kMaxArity) continue;
      items_.push_back(with_tail(next, item.last_tail, node));
    }
  }
}

ContextFreeForestBuilder::Item ContextFreeForestBuilder::with_tail(uint32_t trie,
                                                                   uint32_t last_tail,
                                                                   uint32_t node) {
  const uint32_t arity = last_tail == kNoTail ? 1 : chain_[last_tail].arity + 1;
  chain_.push_back({node, last_tail, arity});
  return {trie, static_cast<uint32_t>(chain_.size()) - 1};
}

ContextFreeForestBuilder::Sound ContextFreeForestBuilder::soundness(uint32_t trie, uint32_t arity) {
  Sound& sound = sound_[trie];
  if (sound == Sound::unknown) {
    sound = table_.owns_rules(trie) ? Sound::yes : Sound::never;
    const uint32_t first = table_.first_rule(trie);
    for (uint32_t rule = first; rule < table_.last_rule(trie) && sound == Sound::yes; ++rule)
      if (!table_.usable(rule, arity) || table_.lhs(rule) != table_.lhs(first))
        sound = Sound::in_part;
  }
  return sound;
}

// The rules behind a finished item become groups of their left-hand sides.
void ContextFreeForestBuilder::collect(const Item& item, bool wide) {
  const uint32_t first = table_.first_rule(item.trie);
  const uint32_t last = table_.last_rule(item.trie);
  if (first >= last) return;
  const uint32_t arity = arity_of(item);
  const Sound sound = soundness(item.trie, arity);
  if (sound == Sound::never) return;
  const auto add = [&](uint32_t begin, uint32_t end) {
    const uint32_t lhs = table_.lhs(begin);
    if (!wide || lhs == plan_.s()) add_group(lhs, begin, end - begin, item);
  };
  if (sound == Sound::yes) {
    add(first, last);
    return;
  }
  for (uint32_t begin = first; begin < last;) {
    uint32_t end = begin + 1;
    if (table_.usable(begin, arity)) {  // as all rules are but those of a damaged table
      while (end < last && table_.usable(end, arity) && table_.lhs(end) == table_.lhs(begin)) ++end;
      add(begin, end);
    }
    begin = end;
  }
}

void ContextFreeForestBuilder::add_group(uint32_t lhs, uint32_t first_rule, uint32_t rules,
                                         const Item& item) {
  const uint32_t arity = arity_of(item);
  const auto first_tail = static_cast<uint32_t>(whole_.tails.size());
  whole_.tails.resize(first_tail + arity);
  for (uint32_t at = item.last_tail; at != kNoTail; at = chain_[at].previous)
    whole_.tails[first_tail + chain_[at].arity - 1] = chain_[at].node;
  pending_[lhs].push_back({kNoNode, first_rule, rules, 0, first_tail, arity});
}

void ContextFreeForestBuilder::add_group(uint32_t lhs, uint32_t rule,
                                         std::initializer_list<uint32_t> tails) {
  const auto first_tail = static_cast<uint32_t>(whole_.tails.size());
  whole_.tails.insert(whole_.tails.end(), tails);
  pending_[lhs].push_back({kNoNode, rule, 1, 0, first_tail, static_cast<uint32_t>(tails.size())});
}

bool ContextFreeForestBuilder::passes_through(uint32_t word) const {
  if (word == text::kUnknown || table_.nodes() == 0) return true;
  const uint32_t trie = table_.step(grammar::RuleTable::kRoot, static_cast<text::Symbol>(word));
  return trie == grammar::RuleTable::kNone || table_.first_rule(trie) >= table_.last_rule(trie);
}

void ContextFreeForestBuilder::finish_span(uint32_t begin, uint32_t end,
                                           std::span<const uint32_t> sentence) {
  const bool wide = end - begin > limit_;
  const bool whole = wide || (limits_ != nullptr && limits_->forbid(begin, end));  // S alone
  const size_t items = items_.size();
  for (size_t i = columns_.back(); i < items; ++i) collect(items_[i], whole);
  if (end == begin + 1 && passes_through(sentence[begin])) add_group(plan_.x(), kPassThrough, {});
  for (const uint32_t category : plan_.order()) {
    if (category == plan_.s() && begin == 0 && glue_) glue(end);
    if (pending_[category].empty()) continue;
    const uint32_t node = add_node(category, begin, end);
    if (category == plan_.s() && begin == 0) prefix_[end] = node;
    const uint32_t trie = plan_.unary(category);
    if (trie == grammar::RuleTable::kNone) continue;
    const Item item = with_tail(trie, kNoTail, node);
    collect(item, whole);
    if (!wide || plan_.leads_to_goal(trie)) items_.push_back(item);
  }
}

bool ContextFreeForestBuilder::joins(const ForestNode& part) const {
  if (part.category == plan_.s()) return joined_ == Joined::all && part.begin > 0;
  return joined_ != Joined::default_category || part.category == plan_.x();
}

// S over the first words out of a category over them, or of a shorter S and a category.
void ContextFreeForestBuilder::glue(uint32_t end) {
  for (uint32_t node = last_at_[end]; node != kNoNode; node = previous_at_[node]) {
    const ForestNode& part = whole_.nodes[node];
    if (!joins(part)) continue;
    if (part.begin == 0)
      add_group(plan_.s(), kGlueFirst, {node});
    else if (prefix_[part.begin] != kNoNode)
      add_group(plan_.s(), kGlueNext, {prefix_[part.begin], node});
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
    for (const RuleGroup& group : whole_.in(node))
      for (const uint32_t tail : whole_.tails_of(group))
        if (renumbered_[tail] == kNoNode) {
          renumbered_[tail] = 0;
          stack_.push_back(tail);
        }
  }
  for (uint32_t node = 0; node < whole_.nodes.size(); ++node) {
    if (renumbered_[node] == kNoNode) continue;
    const auto number = static_cast<uint32_t>(out.nodes.size());
    for (RuleGroup group : whole_.in(node)) {
      const std::span<const uint32_t> tails = whole_.tails_of(group);
      group.head = number;
      group.first_edge = out.edges();
      group.first_tail = static_cast<uint32_t>(out.tails.size());
      for (const uint32_t tail : tails) out.tails.push_back(renumbered_[tail]);
      out.groups.push_back(group);
    }
    renumbered_[node] = number;
    out.nodes.push_back(whole_.nodes[node]);
    out.group_ends.push_back(static_cast<uint32_t>(out.groups.size()));
  }
}

}  // namespace demotic::decode
