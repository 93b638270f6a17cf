#include "trees/chart_parser.h"

#include <algorithm>
#include <limits>

#include "io/checksum.h"
#include "io/error.h"

namespace demotic::trees {

namespace {

using Item = ParseSpace::Item;
using Kind = ParseSpace::Kind;

bool same_item(const Item& a, const Item& b) {
  return a.kind == b.kind && a.label == b.label && a.head == b.head &&
         a.head_label == b.head_label && a.previous == b.previous;
}

uint64_t hash_item(const Item& a) {
  uint64_t h = io::mix64(uint64_t{a.label} << 32 | a.head_label);
  h = io::mix64(h ^ (uint64_t{a.previous} << 32 | a.head));
  return io::mix64(h ^ static_cast<uint64_t>(a.kind));
}

uint64_t hash_cost(uint64_t a, uint64_t b, uint64_t c, uint64_t d) {
  return io::mix64(io::mix64(io::mix64(io::mix64(a) ^ b) ^ c) ^ d);
}

}  // namespace

bool ChartParser::parse(std::span<const uint32_t> words, std::span<const uint32_t> tags,
                        ParseSpace& space, ParsedTree& tree) const {
  if (words.size() != tags.size() || words.empty())
    throw io::Error(io::Fault::argument, "a sentence needs words, and a tag for each");
  for (size_t k = 0; k < words.size(); ++k)
    if (words[k] >= grammar_.words() || tags[k] >= grammar_.symbols())
      throw io::Error(io::Fault::argument, "there is no such word or tag");
  const auto search = [&](const ChartParser& parser) {
    space.start(parser, words, tags);
    for (size_t length = 1; length <= words.size(); ++length)
      for (size_t begin = 0; begin + length <= words.size(); ++begin)
        space.fill(begin, begin + length);
    return space.write(tree);
  };
  // What a narrow beam loses, a wide one often finds.
  return search(*this) || search(ChartParser(grammar_, {3 * options_.items, 2.5 * options_.width}));
}

void ParseSpace::start(const ChartParser& parser, std::span<const uint32_t> words,
                       std::span<const uint32_t> tags) {
  parser_ = &parser;
  grammar_ = &parser.grammar_;
  words_ = words;
  tags_ = tags;
  verbs_.assign(1, 0);
  for (const uint32_t tag : tags) verbs_.push_back(verbs_.back() + grammar_->is_verb(tag));
  items_.clear();
  for (Cell& each : cells_) {
    each.complete.clear();
    each.right.clear();
    each.left.clear();
  }
  cells_.resize((words.size() + 1) * (words.size() + 1));
  remembered_.clear();
  memos_.clear();
  priors_.assign(size_t{grammar_->symbols()} * words.size(), -1.0);
}

double ParseSpace::prior(uint32_t label, uint32_t head) {
  double& value = priors_[size_t{label} * words_.size() + head];
  if (value < 0.0) value = grammar_->prior_cost(label, tags_[head], words_[head]);
  return value;
}

template <class Compute>
double ParseSpace::remembered(uint64_t key, Compute&& compute) {
  const auto next = static_cast<uint32_t>(memos_.size());
  const uint32_t at =
      remembered_.find_or_add(key, next, [&](uint32_t i) { return memos_[i].key == key; });
  if (at == next) memos_.push_back({key, compute()});
  return memos_[at].value;
}

Block ParseSpace::block_of(const Item& item) const {
  return {item.label, item.head_label, tags_[item.head], words_[item.head], item.previous, false};
}

// `edge`: where the block ends on this side.
double ParseSpace::attach_cost(Side side, const Item& block, size_t edge, const Item& modifier) {
  const bool verb =
      side == Side::right ? verb_within(block.head + 1, edge) : verb_within(edge, block.head);
  const uint64_t key =
      hash_cost(uint64_t{block.label} << 32 | block.head_label,
                uint64_t{block.previous} << 32 | modifier.label,
                uint64_t{block.head} << 32 | modifier.head, static_cast<uint64_t>(side) * 2 + verb);
  return remembered(key, [&] {
    Block made = block_of(block);
    made.verb = verb;
    return grammar_->modifier_cost(side, made,
                                   {modifier.label, tags_[modifier.head], words_[modifier.head]});
  });
}

double ParseSpace::stop_cost(Side side, const Item& block, size_t edge) {
  const bool verb =
      side == Side::right ? verb_within(block.head + 1, edge) : verb_within(edge, block.head);
  const uint64_t key = hash_cost(
      uint64_t{block.label} << 32 | block.head_label, uint64_t{block.previous} << 32 | kStop,
      uint64_t{block.head} << 32 | kStop, static_cast<uint64_t>(side) * 2 + verb);
  return remembered(key, [&] {
    Block made = block_of(block);
    made.verb = verb;
    return grammar_->stop_cost(side, made);
  });
}

void ParseSpace::offer(const Item& item) {
  const auto next = static_cast<uint32_t>(offers_.size());
  const uint32_t at = offered_.find_or_add(hash_item(item), next,
                                           [&](uint32_t i) { return same_item(offers_[i], item); });
  if (at == next)
    offers_.push_back(item);
  else if (item.cost < offers_[at].cost)
    offers_[at] = item;
}

void ParseSpace::combine(size_t begin, size_t end) {
  for (size_t middle = begin + 1; middle < end; ++middle) {
    const Cell& first = cell(begin, middle);
    const Cell& second = cell(middle, end);
    for (const uint32_t b : first.right) {
      const Item block = items_[b];
      for (const uint32_t m : second.complete) {
        const Item& modifier = items_[m];
        if (!grammar_->allowed(block.label, Side::right, modifier.label)) continue;
        const double cost =
            block.cost + modifier.cost + attach_cost(Side::right, block, middle, modifier);
        offer({Kind::right, block.label, block.head_label, modifier.label, block.head, b, m, cost,
               cost + prior(block.label, block.head)});
      }
    }
    for (const uint32_t b : second.left) {
      const Item block = items_[b];
      for (const uint32_t m : first.complete) {
        const Item& modifier = items_[m];
        if (!grammar_->allowed(block.label, Side::left, modifier.label)) continue;
        const double cost =
            block.cost + modifier.cost + attach_cost(Side::left, block, middle, modifier);
        offer({Kind::left, block.label, block.head_label, modifier.label, block.head, b, m, cost,
               cost + prior(block.label, block.head)});
      }
    }
  }
}

// The best offers of a kind become items.
void ParseSpace::keep_offers(Kind kind, std::vector<uint32_t>& list) {
  std::vector<uint32_t> best;
  for (uint32_t i = 0; i < offers_.size(); ++i)
    if (offers_[i].kind == kind) best.push_back(i);
  const auto better = [&](uint32_t a, uint32_t b) {
    return offers_[a].rank < offers_[b].rank || (offers_[a].rank == offers_[b].rank && a < b);
  };
  const size_t most = std::min<size_t>(best.size(), parser_->options_.items);
  std::partial_sort(best.begin(), best.begin() + static_cast<ptrdiff_t>(most), best.end(), better);
  best.resize(most);
  for (const uint32_t i : best) {
    if (offers_[i].rank > offers_[best[0]].rank + parser_->options_.width) break;
    const auto number = static_cast<uint32_t>(items_.size());
    items_.push_back(offers_[i]);
    placed_.add(hash_item(offers_[i]), number);
    list.push_back(number);
  }
}

// True if it is new, or better than the same item so far.
bool ParseSpace::add(const Item& item, Cell& made, uint32_t& number) {
  const auto next = static_cast<uint32_t>(items_.size());
  number = placed_.find_or_add(hash_item(item), next,
                               [&](uint32_t i) { return same_item(items_[i], item); });
  if (number == next) {
    items_.push_back(item);
    (item.kind == Kind::complete ? made.complete
     : item.kind == Kind::right  ? made.right
                                 : made.left)
        .push_back(number);
    return true;
  }
  if (item.cost >= items_[number].cost) return false;
  items_[number] = item;
  return true;
}

// Blocks stop taking modifiers, and what is complete becomes the head child of nodes above it.
void ParseSpace::close(size_t begin, size_t end, Cell& made) {
  double best[3] = {std::numeric_limits<double>::infinity(),
                    std::numeric_limits<double>::infinity(),
                    std::numeric_limits<double>::infinity()};
  std::vector<uint32_t> waiting;
  for (const auto* list : {&made.complete, &made.right, &made.left})
    for (const uint32_t i : *list) {
      double& least = best[static_cast<size_t>(items_[i].kind)];
      least = std::min(least, items_[i].rank);
      waiting.push_back(i);
    }
  const auto put = [&](const Item& item) {
    double& least = best[static_cast<size_t>(item.kind)];
    if (item.rank > least + parser_->options_.width) return;
    least = std::min(least, item.rank);
    uint32_t number;
    if (add(item, made, number)) waiting.push_back(number);
  };
  for (size_t at = 0; at < waiting.size(); ++at) {
    const Item item = items_[waiting[at]];
    if (item.kind == Kind::right) {
      const double cost = item.cost + stop_cost(Side::right, item, end);
      put({Kind::left, item.label, item.head_label, kFirst, item.head, waiting[at], kNoItem, cost,
           cost + prior(item.label, item.head)});
    } else if (item.kind == Kind::left) {
      const double cost = item.cost + stop_cost(Side::left, item, begin);
      put({Kind::complete, item.label, 0, 0, item.head, waiting[at], kNoItem, cost,
           cost + prior(item.label, item.head)});
    } else if (item.label != grammar_->top()) {
      for (const uint32_t node : grammar_->parents(item.label)) {
        if (node == grammar_->top() && begin != 0) continue;
        const double cost =
            item.cost + grammar_->head_cost(node, item.label, tags_[item.head], words_[item.head]);
        put({Kind::right, node, item.label, kFirst, item.head, waiting[at], kNoItem, cost,
             cost + prior(node, item.head)});
      }
    }
  }
}

void ParseSpace::trim(std::vector<uint32_t>& list) const {
  const auto better = [&](uint32_t a, uint32_t b) {
    return items_[a].rank < items_[b].rank || (items_[a].rank == items_[b].rank && a < b);
  };
  std::sort(list.begin(), list.end(), better);
  if (list.size() > parser_->options_.items) list.resize(parser_->options_.items);
  while (!list.empty() && items_[list.back()].rank > items_[list[0]].rank + parser_->options_.width)
    list.pop_back();
}

void ParseSpace::fill(size_t begin, size_t end) {
  offers_.clear();
  offered_.clear();
  placed_.clear();
  combine(begin, end);
  Cell& made = cell(begin, end);
  keep_offers(Kind::right, made.right);
  keep_offers(Kind::left, made.left);
  if (end == begin + 1) {
    const auto token = static_cast<uint32_t>(begin);
    uint32_t number;
    add({Kind::complete, tags_[begin], 0, 0, token, kNoItem, kNoItem, 0.0,
         prior(tags_[begin], token)},
        made, number);
  }
  close(begin, end, made);
  trim(made.complete);
  trim(made.right);
  trim(made.left);
}

bool ParseSpace::write(ParsedTree& tree) {
  uint32_t best = kNoItem;
  double least = std::numeric_limits<double>::infinity();
  for (const uint32_t i : cell(0, words_.size()).complete) {
    if (items_[i].label != grammar_->top()) continue;
    const uint32_t head = items_[i].head;
    const double cost = items_[i].cost + grammar_->root_cost(tags_[head], words_[head]);
    if (cost < least) {
      least = cost;
      best = i;
    }
  }
  if (best == kNoItem) return false;
  tree = {};
  tree.cost = least;
  tree.child_begin.push_back(0);
  // Post-order: a node is written when it comes up the second time, after all that is below it.
  struct Frame {
    uint32_t item;
    std::vector<uint32_t> children;  // items, from left to right
    size_t head = 0, next = 0;
    std::vector<uint32_t> written;
  };
  const auto opened = [&](uint32_t item) {
    Frame frame{item, {}, 0, 0, {}};
    if (items_[item].block == kNoItem) return frame;
    std::vector<uint32_t> rights;
    uint32_t at = items_[item].block;
    for (; items_[at].kind == Kind::left && items_[at].modifier != kNoItem; at = items_[at].block)
      frame.children.push_back(items_[at].modifier);
    for (at = items_[at].block; items_[at].modifier != kNoItem; at = items_[at].block)
      rights.push_back(items_[at].modifier);
    frame.head = frame.children.size();
    frame.children.push_back(items_[at].block);
    frame.children.insert(frame.children.end(), rights.rbegin(), rights.rend());
    return frame;
  };
  std::vector<Frame> stack{opened(best)};
  while (!stack.empty()) {
    Frame& top = stack.back();
    if (top.next < top.children.size()) {
      const uint32_t child = top.children[top.next++];
      stack.push_back(opened(child));
      continue;
    }
    const auto number = static_cast<uint32_t>(tree.label.size());
    tree.label.push_back(items_[top.item].label);
    tree.head_child.push_back(top.written.empty() ? UINT32_MAX : top.written[top.head]);
    tree.child.insert(tree.child.end(), top.written.begin(), top.written.end());
    tree.child_begin.push_back(static_cast<uint32_t>(tree.child.size()));
    stack.pop_back();
    if (!stack.empty()) stack.back().written.push_back(number);
  }
  return true;
}

}  // namespace demotic::trees
