#include "grammar/itg_items.h"

#include <algorithm>
#include <utility>

#include "events/stack_labels.h"
#include "io/error.h"

namespace demotic::grammar {

namespace {

constexpr uint32_t kNoNumber = UINT32_MAX;
constexpr uint32_t kMostWords = 255;  // positions within an item are bytes

}  // namespace

ItgExtractor::ItgExtractor(const ItgOptions& options) : options_(options) {
  if (options.max_words < 1 || options.max_words > kMostWords)
    throw io::Error(io::Fault::argument, "max_words must be from 1 to 255");
}

bool ItgExtractor::operator()(uint32_t source_size, uint32_t target_size,
                              std::span<const align::Link> links) {
  items_.clear();
  sub_items_.clear();
  composed_.clear();
  loosened_.clear();
  if (links.empty() || std::max(source_size, target_size) > options_.max_words) return false;
  compress(target_size, links);
  parse();
  decompress(source_size, target_size);
  compose();
  if (options_.loose)
    for (const std::vector<ItgItem>* all : {&items_, &composed_})
      for (const ItgItem& item : *all)
        if (!item.is_empty()) loosen(item, target_size);
  label();
  return true;
}

// Numbers linked words on both sides and finds the hull of each source word.
void ItgExtractor::compress(uint32_t target_size, std::span<const align::Link> links) {
  links_.assign(links.begin(), links.end());
  std::sort(links_.begin(), links_.end());
  links_.erase(std::unique(links_.begin(), links_.end()), links_.end());

  numbers_.assign(target_size, kNoNumber);
  for (const align::Link& link : links_) numbers_[link.target] = 0;
  target_places_.clear();
  for (uint32_t t = 0; t < target_size; ++t) {
    if (numbers_[t] == kNoNumber) continue;
    numbers_[t] = static_cast<uint32_t>(target_places_.size());
    target_places_.push_back(t);
  }
  target_links_before_.assign(target_places_.size() + 1, 0);
  source_places_.clear();
  words_.clear();
  for (const align::Link& link : links_) {
    const uint32_t target = numbers_[link.target];
    ++target_links_before_[target + 1];
    if (source_places_.empty() || source_places_.back() != link.source) {
      const auto word = static_cast<uint32_t>(source_places_.size());
      source_places_.push_back(link.source);
      words_.push_back({word, word + 1, target, target, 0, false, 0});
    }
    words_.back().high = target;  // links of a word ascend
    ++words_.back().links;
  }
  for (size_t t = 1; t < target_links_before_.size(); ++t)
    target_links_before_[t] += target_links_before_[t - 1];
}

void ItgExtractor::parse() {
  stack_.clear();
  leaves_.clear();
  sub_leaves_.clear();
  for (Element word : words_) {
    word.first_leaf = static_cast<uint32_t>(leaves_.size());
    word.is_block =
        word.links == target_links_before_[word.high + 1] - target_links_before_[word.low];
    if (word.is_block) leaves_.push_back({word.begin, word.end, word.low, word.high});
    stack_.push_back(word);
    while (reduce()) {
    }
  }
}

// The least number of elements at the top that are a block together become one.
bool ItgExtractor::reduce() {
  if (stack_.size() < 2) return false;
  Element all = stack_.back();
  for (size_t at = stack_.size() - 1; at-- > 0;) {
    const Element& next = stack_[at];
    all = {next.begin,
           all.end,
           std::min(all.low, next.low),
           std::max(all.high, next.high),
           all.links + next.links,
           true,
           next.first_leaf};
    if (all.links != target_links_before_[all.high + 1] - target_links_before_[all.low]) continue;
    const bool binary = at + 2 == stack_.size() && next.is_block && stack_.back().is_block;
    if (!binary) {
      keep_sub_items(all.first_leaf);
      leaves_.push_back({all.begin, all.end, all.low, all.high});
    }
    stack_.resize(at);
    stack_.push_back(all);
    return true;
  }
  return false;
}

void ItgExtractor::keep_sub_items(size_t first_leaf) {
  sub_leaves_.insert(sub_leaves_.end(), leaves_.begin() + static_cast<ptrdiff_t>(first_leaf),
                     leaves_.end());
  leaves_.resize(first_leaf);
}

void ItgExtractor::decompress(uint32_t source_size, uint32_t target_size) {
  const auto placed = [&](const Leaf& leaf) {
    return ItgItem{source_places_[leaf.begin], source_places_[leaf.end - 1] + 1,
                   target_places_[leaf.low], target_places_[leaf.high] + 1};
  };
  // Source words between leaves are items of their own.
  uint32_t source = 0;
  const auto add_empty_until = [&](uint32_t end) {
    for (; source < end; ++source) items_.push_back({source, source + 1, 0, 0});
  };
  by_target_.clear();
  for (const Leaf& leaf : leaves_) {
    const ItgItem item = placed(leaf);
    add_empty_until(item.source_begin);
    by_target_.push_back(static_cast<uint32_t>(items_.size()));
    items_.push_back(item);
    source = item.source_end;
  }
  add_empty_until(source_size);

  // Target words between items belong to one of their neighbours.
  std::sort(by_target_.begin(), by_target_.end(), [&](uint32_t a, uint32_t b) {
    return items_[a].target_begin < items_[b].target_begin;
  });
  for (size_t i = 0; i < by_target_.size(); ++i) {
    ItgItem& item = items_[by_target_[i]];
    if (options_.unaligned == Unaligned::next || i == 0)
      item.target_begin = i == 0 ? 0 : items_[by_target_[i - 1]].target_end;
    if (i + 1 == by_target_.size())
      item.target_end = target_size;
    else if (options_.unaligned == Unaligned::previous)
      item.target_end = items_[by_target_[i + 1]].target_begin;
  }

  if (options_.sub_items == SubItems::none) return;
  for (const Leaf& leaf : sub_leaves_)
    if (options_.sub_items == SubItems::all || leaf.end - leaf.begin == 1 || leaf.low == leaf.high)
      sub_items_.push_back(placed(leaf));
}

// Each target word is some item's: neighbours are a block if their words fill the hull.
void ItgExtractor::compose() {
  for (size_t first = 0; first < items_.size(); ++first) {
    ItgItem all = items_[first];
    uint32_t words = all.target_size();
    for (size_t last = first + 1; last < items_.size(); ++last) {
      const ItgItem& next = items_[last];
      if (next.source_end - all.source_begin > options_.compose) break;
      all.source_end = next.source_end;
      if (!next.is_empty()) {
        all.target_begin =
            words == 0 ? next.target_begin : std::min(all.target_begin, next.target_begin);
        all.target_end = std::max(all.target_end, next.target_end);
        words += next.target_size();
      }
      if (words > 0 && words == all.target_size()) composed_.push_back(all);
    }
  }
}

void ItgExtractor::loosen(const ItgItem& item, uint32_t target_size) {
  const auto linked = [&](uint32_t target) { return numbers_[target] != kNoNumber; };
  uint32_t first = item.target_begin, last = item.target_end;
  while (!linked(first)) ++first;
  while (!linked(last - 1)) --last;
  for (uint32_t begin = first;; --begin) {
    for (uint32_t end = last;; ++end) {
      if (begin != item.target_begin || end != item.target_end)
        loosened_.push_back({item.source_begin, item.source_end, begin, end});
      if (end == target_size || linked(end)) break;
    }
    if (begin == 0 || linked(begin - 1)) break;
  }
}

void ItgExtractor::take_composed() {
  std::vector<ItgItem> cut;
  auto composed = composed_.begin();  // by their first word, the longer behind the shorter
  for (uint32_t source = 0; const ItgItem& item : items_) {
    if (item.source_begin < source) continue;
    ItgItem longest = item;
    for (; composed != composed_.end() && composed->source_begin <= item.source_begin; ++composed)
      if (composed->source_begin == item.source_begin) longest = *composed;
    source = longest.source_end;
    cut.push_back(longest);
  }
  items_ = std::move(cut);
  label();
}

// Reduces as soon as two elements touch; an empty one joins its neighbour.
void ItgExtractor::label() {
  spans_.clear();
  for (ItgItem& item : items_) {
    std::array<uint32_t, 2> top{item.target_begin, item.target_end};
    uint32_t reductions = 0;
    bool first = false, last = false;
    while (!spans_.empty()) {
      const std::array<uint32_t, 2> below = spans_.back();
      const bool empty = top[0] == top[1] || below[0] == below[1];
      const bool inverted = !empty && top[1] == below[0];
      if (!empty && !inverted && below[1] != top[0]) break;
      if (reductions > 0 && inverted == last)
        throw io::Error(io::Fault::argument, "signs of a label that do not alternate");
      if (reductions++ == 0) first = inverted;
      last = inverted;
      if (top[0] == top[1])
        top = below;
      else if (below[0] != below[1])
        top = {std::min(top[0], below[0]), std::max(top[1], below[1])};
      spans_.pop_back();
    }
    spans_.push_back(top);
    item.label = events::label_of(reductions, first);
  }
}

}  // namespace demotic::grammar
