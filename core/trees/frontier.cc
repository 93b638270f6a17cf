#include "trees/frontier.h"

#include <algorithm>

#include "io/checksum.h"
#include "io/error.h"

namespace demotic::trees {

namespace {

constexpr size_t kContext = 3;  // items on either side
constexpr uint32_t kNoRank = UINT32_MAX;
constexpr uint64_t kEdge = UINT32_MAX;

// What an atom is about; where, for those of single items, is added to it.
enum About : uint64_t {
  label,
  word,
  tag,
  coarse,
  head_child,
  first_child,
  last_child,  // of single items
  any_label,
  any_tag,
  any_coarse,
  left_label,
  left_tag,
  right_label,
  right_tag,
  count,
  words_below,
  at_begin,
  at_end,
  production,
  before_production,
  production_after,
};
constexpr uint64_t kAbouts = 32;

uint64_t key_of(uint64_t about, uint64_t value) { return io::mix64(io::mix64(about + 1) ^ value); }

uint64_t bucket(uint64_t n) { return n <= 4 ? n : n <= 6 ? 5 : n <= 10 ? 6 : n <= 20 ? 7 : 8; }

}  // namespace

void FrontierSymbols::check() const {
  bool wrong = punctuation.size() != size() || head_right.size() != head_label.size() ||
               head_label.size() != head_child.size();
  for (const auto* each : {&coarse, &head_label, &head_child})
    for (const uint32_t symbol : *each) wrong = wrong || symbol >= size();
  if (wrong) throw io::Error(io::Fault::corrupt, "labels of a parser that do not fit each other");
}

ItemTable::ItemTable(const FrontierSymbols& symbols)
    : symbols_(symbols), ranks_(symbols.size() * symbols.size(), kNoRank) {
  for (uint32_t k = 0; k < symbols.head_label.size(); ++k) {
    uint32_t& rank = ranks_[symbols.head_label[k] * symbols.size() + symbols.head_child[k]];
    if (rank == kNoRank) rank = k;
  }
}

void ItemTable::start(std::span<const uint32_t> tags, std::span<const uint32_t> words) {
  if (tags.size() != words.size() || tags.empty())
    throw io::Error(io::Fault::argument, "a sentence needs words, and a tag for each");
  tags_ = tags;
  words_ = words;
  items_.clear();
  index_.clear();
  for (uint32_t i = 0; i < tags.size(); ++i) {
    if (tags[i] >= symbols_.size()) throw io::Error(io::Fault::argument, "there is no such tag");
    items_.push_back({tags[i], i, i, i + 1, {}, 0, 0});
  }
}

uint32_t ItemTable::head_of(uint32_t label, std::span<const uint32_t> children) const {
  uint32_t best = kNoRank, found = 0;
  bool any = false;
  for (uint32_t i = 0; i < children.size(); ++i) {
    const uint32_t rank = ranks_[label * symbols_.size() + items_[children[i]].label];
    const bool mark = is_punctuation(children[i]);
    if (mark) continue;
    const bool better =
        !any || rank < best || (rank == best && rank != kNoRank && symbols_.head_right[rank]);
    if (!better) continue;
    any = true;
    best = rank;
    found = i;
  }
  return found;
}

uint32_t ItemTable::node(uint32_t label, std::span<const uint32_t> children) {
  FrontierItem made{label, 0, 0, 0, {}, static_cast<uint32_t>(children.size()), 0};
  std::copy(children.begin(), children.end(), made.children);
  const uint64_t hash = io::mix64(io::checksum64(made.children, sizeof made.children) ^ label);
  const auto next = static_cast<uint32_t>(items_.size());
  const uint32_t at = index_.find_or_add(hash, next, [&](uint32_t i) {
    return items_[i].label == label && items_[i].arity == made.arity &&
           std::equal(children.begin(), children.end(), items_[i].children);
  });
  if (at != next) return at;
  made.head = head_of(label, children);
  made.token = items_[children[made.head]].token;
  made.begin = items_[children.front()].begin;
  made.end = items_[children.back()].end;
  items_.push_back(made);
  return next;
}

std::vector<uint32_t> ItemTable::put(std::span<const uint32_t> frontier, FrontierSpan span,
                                     uint32_t label) {
  std::vector<uint32_t> next(frontier.begin(), frontier.begin() + span.begin);
  next.push_back(node(label, frontier.subspan(span.begin, span.size)));
  next.insert(next.end(), frontier.begin() + span.begin + span.size, frontier.end());
  return next;
}

bool ItemTable::chain_has(uint32_t item, uint32_t label) const {
  for (; !items_[item].is_leaf(); item = items_[item].children[0]) {
    if (items_[item].label == label) return true;
    if (items_[item].arity > 1) return false;
  }
  return false;
}

std::vector<FrontierSpan> spans_of(const ItemTable& items, std::span<const uint32_t> frontier) {
  const auto size = static_cast<uint32_t>(frontier.size());
  uint32_t leftmost = 0;  // node
  while (leftmost < size && items[frontier[leftmost]].is_leaf()) ++leftmost;
  std::vector<FrontierSpan> found;
  for (uint32_t begin = 0; begin < size && begin <= leftmost; ++begin) {
    if (items.is_punctuation(frontier[begin])) continue;
    for (uint32_t end = begin + 1; end <= size && end <= begin + kMostChildren; ++end)
      if (!items.is_punctuation(frontier[end - 1])) found.push_back({begin, end - begin});
  }
  return found;
}

uint32_t single(const ItemTable& items, std::span<const uint32_t> frontier) {
  uint32_t found = UINT32_MAX;
  for (const uint32_t item : frontier) {
    if (items.is_punctuation(item)) continue;
    if (found != UINT32_MAX) return UINT32_MAX;
    found = item;
  }
  return found;
}

void atoms_of(const ItemTable& items, std::span<const uint32_t> frontier, FrontierSpan span,
              std::vector<uint64_t>& atoms) {
  atoms.clear();
  const FrontierSymbols& symbols = items.symbols();
  uint64_t where = 0;
  const auto add = [&](uint64_t about, uint64_t value) {
    atoms.push_back(key_of(about + kAbouts * where, value));
  };
  const auto see = [&](uint32_t i, bool near) {
    const FrontierItem& item = items[i];
    const uint32_t its_tag = items.tag(item.token);
    add(label, item.label);
    add(tag, its_tag);
    add(coarse, symbols.coarse[its_tag]);
    if (!near) return;
    add(word, items.word(item.token));
    if (item.is_leaf()) return;
    add(head_child, items[item.children[item.head]].label);
    add(first_child, items[item.children[0]].label);
    add(last_child, items[item.children[item.arity - 1]].label);
  };
  const size_t end = span.begin + span.size;
  for (size_t k = 0; k < 3; ++k) {  // from the start and from the end
    where = 1 + k;
    if (k < span.size) see(frontier[span.begin + k], k < 2);
    where = 4 + k;
    if (k < span.size) see(frontier[end - 1 - k], k < 2);
  }
  for (size_t k = 0; k < kContext; ++k) {
    where = 7 + k;
    if (k < span.begin) see(frontier[span.begin - 1 - k], k == 0);
    if (k == span.begin) add(label, kEdge);
    where = 10 + k;
    if (end + k < frontier.size()) see(frontier[end + k], k == 0);
    if (end + k == frontier.size()) add(label, kEdge);
  }
  where = 0;
  uint64_t all = span.size;
  for (size_t k = span.begin; k < end; ++k) {
    const FrontierItem& item = items[frontier[k]];
    const uint32_t its_tag = items.tag(item.token);
    add(any_label, item.label);
    add(any_tag, its_tag);
    add(any_coarse, symbols.coarse[its_tag]);
    all = io::mix64(all) ^ item.label;
  }
  const auto group = [&](size_t from, size_t to, uint64_t labels, uint64_t tags) {
    for (size_t k = from; k < to; ++k) {
      add(labels, items[frontier[k]].label);
      add(tags, items.tag(items[frontier[k]].token));
    }
  };
  group(span.begin < kContext ? 0 : span.begin - kContext, span.begin, left_label, left_tag);
  group(end, std::min(end + kContext, frontier.size()), right_label, right_tag);
  add(count, span.size);
  add(words_below, bucket(items[frontier[end - 1]].end - items[frontier[span.begin]].begin));
  add(at_begin, span.begin == 0);
  add(at_end, end == frontier.size());
  add(production, all);
  const uint64_t left = span.begin > 0 ? items[frontier[span.begin - 1]].label : kEdge;
  const uint64_t right = end < frontier.size() ? items[frontier[end]].label : kEdge;
  add(before_production, io::mix64(all) ^ left);
  add(production_after, io::mix64(all) ^ right);
  std::sort(atoms.begin(), atoms.end());
  atoms.erase(std::unique(atoms.begin(), atoms.end()), atoms.end());
}

}  // namespace demotic::trees
