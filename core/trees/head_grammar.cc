#include "trees/head_grammar.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "io/checksum.h"
#include "io/error.h"

namespace demotic::trees {

namespace {

constexpr double kNovelty = 5.0;  // Collins' factor for contexts with many outcomes

enum Kind : uint64_t { kHead = 1, kModifier, kWord, kRoot, kPriorTag, kPriorLabel };

template <class... Parts>
uint64_t hash_of(Parts... parts) {
  uint64_t h = 0x51ed270b7a1c9f35ull;
  ((h = io::mix64(h ^ (static_cast<uint64_t>(parts) + 0x9e3779b97f4a7c15ull))), ...);
  return h;
}

uint64_t event_of(uint64_t context, uint64_t outcome) { return hash_of(context, outcome); }

using Contexts = std::array<uint64_t, 4>;

std::span<const uint64_t> head_contexts(Contexts& made, uint32_t node, uint32_t tag,
                                        uint32_t word) {
  made = {hash_of(kHead, 0, node), hash_of(kHead, 1, node, tag),
          hash_of(kHead, 2, node, tag, word)};
  return std::span(made).first(3);
}

std::span<const uint64_t> modifier_contexts(Contexts& made, Side side, const Block& b) {
  const bool first = b.previous == kFirst;
  made = {hash_of(kModifier, 0, side, b.node, first),
          hash_of(kModifier, 1, side, b.node, b.head_label, b.previous, b.verb),
          hash_of(kModifier, 2, side, b.node, b.head_label, b.previous, b.verb, b.tag),
          hash_of(kModifier, 3, side, b.node, b.head_label, b.previous, b.verb, b.tag, b.word)};
  return made;
}

std::span<const uint64_t> word_contexts(Contexts& made, Side side, const Block& b,
                                        const Modifier& m) {
  made = {hash_of(kWord, 0, m.tag), hash_of(kWord, 1, side, b.node, m.label, m.tag, b.tag),
          hash_of(kWord, 2, side, b.node, b.head_label, m.label, m.tag, b.tag, b.word)};
  return std::span(made).first(3);
}

uint64_t label_and_tag(uint32_t label, uint32_t tag) { return uint64_t{label} << 32 | tag; }

}  // namespace

HeadGrammarCounter::HeadGrammarCounter(uint32_t symbols, uint32_t words,
                                       std::vector<uint8_t> is_verb, uint32_t top) {
  if (is_verb.size() != symbols || top >= symbols || words == 0)
    throw io::Error(io::Fault::argument, "symbols that do not fit each other");
  content_.symbols = symbols;
  content_.words = words;
  content_.top = top;
  content_.is_verb = std::move(is_verb);
}

void HeadGrammarCounter::count(std::span<const uint64_t> contexts, uint64_t outcome) {
  for (const uint64_t context : contexts) {
    const auto next = static_cast<uint32_t>(content_.context_key.size());
    const uint32_t place = contexts_.find_or_add(
        context, next, [&](uint32_t i) { return content_.context_key[i] == context; });
    if (place == next) {
      content_.context_key.push_back(context);
      content_.context_total.push_back(0);
      content_.context_types.push_back(0);
    }
    ++content_.context_total[place];
    const uint64_t event = event_of(context, outcome);
    const auto next_event = static_cast<uint32_t>(content_.event_key.size());
    const uint32_t at = events_.find_or_add(
        event, next_event, [&](uint32_t i) { return content_.event_key[i] == event; });
    if (at == next_event) {
      content_.event_key.push_back(event);
      content_.event_count.push_back(0);
      ++content_.context_types[place];
    }
    ++content_.event_count[at];
  }
}

void HeadGrammarCounter::add(const TreeView& tree, std::span<const uint32_t> words) {
  const size_t nodes = tree.size();
  const auto refuse = [](bool wrong) {
    if (wrong) throw io::Error(io::Fault::argument, "arrays that are no tree in post-order");
  };
  refuse(nodes == 0 || tree.child_begin.size() != nodes + 1 || tree.head_child.size() != nodes ||
         tree.child_begin[0] != 0 || tree.child_begin[nodes] != tree.child.size());
  head_.assign(nodes, 0);
  begin_.assign(nodes, 0);
  end_.assign(nodes, 0);
  tag_.clear();
  for (size_t node = 0; node < nodes; ++node) {
    const uint32_t first = tree.child_begin[node], last = tree.child_begin[node + 1];
    refuse(tree.label[node] >= content_.symbols || first > last || last > tree.child.size());
    if (first == last) {
      head_[node] = begin_[node] = static_cast<uint32_t>(tag_.size());
      end_[node] = begin_[node] + 1;
      tag_.push_back(tree.label[node]);
      continue;
    }
    for (uint32_t c = first; c < last; ++c) refuse(tree.child[c] >= node);
    refuse(tree.head_child[node] >= node);
    head_[node] = head_[tree.head_child[node]];
    begin_[node] = begin_[tree.child[first]];
    end_[node] = end_[tree.child[last - 1]];
  }
  refuse(tag_.size() != words.size());
  for (const uint32_t word : words) refuse(word >= content_.words);
  for (size_t node = 0; node < nodes; ++node) {
    const uint32_t tag = tag_[head_[node]], word = words[head_[node]];
    const uint64_t prior = hash_of(kPriorLabel, tag);
    count({&prior, 1}, tree.label[node]);
    if (tree.child_begin[node] == tree.child_begin[node + 1]) {
      const uint64_t any = hash_of(kPriorTag, 0), own = hash_of(kWord, 0, tag);
      count({&any, 1}, tag);
      count({&own, 1}, word);
    } else {
      count_modifiers(tree, words, node);
    }
  }
  const uint64_t root = hash_of(kRoot, 0);
  count({&root, 1}, tag_[head_[nodes - 1]]);
}

void HeadGrammarCounter::count_modifiers(const TreeView& tree, std::span<const uint32_t> words,
                                         size_t node) {
  const std::span children = tree.child.subspan(
      tree.child_begin[node], tree.child_begin[node + 1] - tree.child_begin[node]);
  const uint32_t spine = tree.head_child[node];
  const auto found = std::find(children.begin(), children.end(), spine);
  if (found == children.end())
    throw io::Error(io::Fault::argument, "a head that is none of the children");
  const auto at = static_cast<size_t>(found - children.begin());
  const uint32_t head = head_[node];
  Contexts made;
  Block block{tree.label[node], tree.label[spine], tag_[head], words[head], kFirst, false};
  count(head_contexts(made, block.node, block.tag, block.word), block.head_label);
  const uint64_t pair = label_and_tag(block.head_label, block.node);
  const auto next = static_cast<uint32_t>(content_.parent.size());
  if (pairs_.find_or_add(io::mix64(pair), next, [&](uint32_t i) {
        return label_and_tag(content_.parent_of[i], content_.parent[i]) == pair;
      }) == next) {
    content_.parent_of.push_back(block.head_label);
    content_.parent.push_back(block.node);
  }
  for (const Side side : {Side::right, Side::left}) {
    block.previous = kFirst;
    uint32_t edge = side == Side::right ? end_[spine] : begin_[spine];
    const auto sees_verb = [&] {
      const uint32_t low = side == Side::right ? head + 1 : edge;
      const uint32_t high = side == Side::right ? edge : head;
      for (uint32_t k = low; k < high; ++k)
        if (content_.is_verb[tag_[k]]) return true;
      return false;
    };
    const size_t modifiers = side == Side::right ? children.size() - 1 - at : at;
    for (size_t k = 0; k < modifiers; ++k) {
      const uint32_t child = side == Side::right ? children[at + 1 + k] : children[at - 1 - k];
      const uint32_t of = head_[child];
      const Modifier m{tree.label[child], tag_[of], words[of]};
      block.verb = sees_verb();
      count(modifier_contexts(made, side, block), label_and_tag(m.label, m.tag));
      count(word_contexts(made, side, block, m).subspan(1), m.word);  // the tag's was counted
      const uint64_t key =
          (uint64_t{block.node} << 1 | static_cast<uint64_t>(side)) << 31 | m.label;
      const auto fresh = static_cast<uint32_t>(content_.allowed.size());
      if (allowed_.find_or_add(io::mix64(key), fresh,
                               [&](uint32_t i) { return content_.allowed[i] == key; }) == fresh)
        content_.allowed.push_back(key);
      block.previous = m.label;
      edge = side == Side::right ? end_[child] : begin_[child];
    }
    block.verb = sees_verb();
    count(modifier_contexts(made, side, block), kStop);
  }
}

HeadGrammar::HeadGrammar(HeadGrammarContent content) : content_(std::move(content)) {
  const HeadGrammarContent& c = content_;
  const auto refuse = [](bool wrong) {
    if (wrong) throw io::Error(io::Fault::corrupt, "a grammar whose tables do not fit each other");
  };
  refuse(c.symbols == 0 || c.symbols > 20000 || c.words == 0 || c.top >= c.symbols ||
         c.is_verb.size() != c.symbols || c.event_key.size() != c.event_count.size() ||
         c.context_key.size() != c.context_total.size() ||
         c.context_key.size() != c.context_types.size() || c.parent_of.size() != c.parent.size());
  events_.reserve(c.event_key.size());
  for (uint32_t i = 0; i < c.event_key.size(); ++i)
    events_.find_or_add(c.event_key[i], i,
                        [&](uint32_t k) { return c.event_key[k] == c.event_key[i]; });
  contexts_.reserve(c.context_key.size());
  for (uint32_t i = 0; i < c.context_key.size(); ++i)
    contexts_.find_or_add(c.context_key[i], i,
                          [&](uint32_t k) { return c.context_key[k] == c.context_key[i]; });
  parents_begin_.assign(c.symbols + 1, 0);
  for (size_t i = 0; i < c.parent.size(); ++i) {
    refuse(c.parent_of[i] >= c.symbols || c.parent[i] >= c.symbols);
    ++parents_begin_[c.parent_of[i] + 1];
  }
  for (uint32_t s = 0; s < c.symbols; ++s) parents_begin_[s + 1] += parents_begin_[s];
  parents_.resize(c.parent.size());
  std::vector<uint32_t> place(parents_begin_);
  for (size_t i = 0; i < c.parent.size(); ++i) parents_[place[c.parent_of[i]]++] = c.parent[i];
  allowed_.assign(size_t{c.symbols} * 2 * c.symbols, false);
  for (const uint64_t key : c.allowed) {
    const uint64_t label = key & 0x7fffffff, side = key >> 31 & 1, node = key >> 32;
    refuse(label >= c.symbols || node >= c.symbols);
    allowed_[(node * 2 + side) * c.symbols + label] = true;
  }
}

std::span<const uint32_t> HeadGrammar::parents(uint32_t head_label) const {
  const uint32_t first = parents_begin_[head_label];
  return std::span(parents_).subspan(first, parents_begin_[head_label + 1] - first);
}

double HeadGrammar::probability(std::span<const uint64_t> contexts, uint64_t outcome,
                                double least) const {
  double p = least;
  for (const uint64_t context : contexts) {
    const uint32_t at =
        contexts_.find(context, [&](uint32_t i) { return content_.context_key[i] == context; });
    if (at == HashIndex::kNone) continue;
    const double total = std::max(1u, content_.context_total[at]);
    const uint64_t event = event_of(context, outcome);
    const uint32_t found =
        events_.find(event, [&](uint32_t i) { return content_.event_key[i] == event; });
    const double seen =
        found == HashIndex::kNone ? 0.0 : std::min<double>(total, content_.event_count[found]);
    const double share = total / (total + kNovelty * content_.context_types[at]);
    p = share * (seen / total) + (1.0 - share) * p;
  }
  return std::max(p, 1e-30);
}

double HeadGrammar::root_cost(uint32_t tag, uint32_t word) const {
  const uint64_t root = hash_of(kRoot, 0), own = hash_of(kWord, 0, tag);
  return -std::log(probability({&root, 1}, tag, 1e-4)) -
         std::log(probability({&own, 1}, word, 1.0 / content_.words));
}

double HeadGrammar::head_cost(uint32_t node, uint32_t head_label, uint32_t tag,
                              uint32_t word) const {
  Contexts made;
  return -std::log(probability(head_contexts(made, node, tag, word), head_label, 1e-6));
}

double HeadGrammar::modifier_cost(Side side, const Block& block, const Modifier& modifier) const {
  Contexts made;
  const double chosen = probability(modifier_contexts(made, side, block),
                                    label_and_tag(modifier.label, modifier.tag), 1e-7);
  const double written =
      probability(word_contexts(made, side, block, modifier), modifier.word, 1.0 / content_.words);
  return -std::log(chosen) - std::log(written);
}

double HeadGrammar::stop_cost(Side side, const Block& block) const {
  Contexts made;
  return -std::log(probability(modifier_contexts(made, side, block), kStop, 1e-7));
}

double HeadGrammar::prior_cost(uint32_t label, uint32_t tag, uint32_t word) const {
  const uint64_t any = hash_of(kPriorTag, 0), own = hash_of(kWord, 0, tag),
                 below = hash_of(kPriorLabel, tag);
  return -std::log(probability({&any, 1}, tag, 1e-6)) -
         std::log(probability({&own, 1}, word, 1.0 / content_.words)) -
         std::log(probability({&below, 1}, label, 1e-6));
}

}  // namespace demotic::trees
