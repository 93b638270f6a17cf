#include "forest/fold.h"

#include <algorithm>
#include <bit>
#include <vector>

#include "forest/builder.h"
#include "hash_index.h"
#include "io/checksum.h"

namespace demotic::forest {

namespace {

// Rows of numbers, each with a number of its own in order of first appearance.
class NumberedRows {
 public:
  // True where the row is new; `number` is its own or that of the one that is equal to it.
  bool add(std::span<const int32_t> row, uint32_t& number) {
    const auto next = static_cast<uint32_t>(ends_.size());
    const uint64_t hash = io::mix64(io::checksum64(row.data(), row.size_bytes()));
    number = index_.find_or_add(hash, next, [&](uint32_t i) {
      const size_t begin = i == 0 ? 0 : ends_[i - 1];
      return std::ranges::equal(std::span(values_).subspan(begin, ends_[i] - begin), row);
    });
    if (number != next) return false;
    values_.insert(values_.end(), row.begin(), row.end());
    ends_.push_back(values_.size());
    return true;
  }

 private:
  HashIndex index_;
  std::vector<int32_t> values_;
  std::vector<size_t> ends_;
};

// For each rule the first that is equal to it.
std::vector<uint32_t> same_rules(const ForestRules& rules) {
  NumberedRows known;
  std::vector<uint32_t> same, first;
  std::vector<int32_t> key;
  for (uint32_t r = 0; r < rules.size(); ++r) {
    const std::span<const int32_t> source = rules.source_side(r);
    const std::span<const int32_t> target = rules.target_side(r);
    const std::span<const uint32_t> ids = row(rules.feature_off, rules.feature_id, r);
    const std::span<const float> values = row(rules.feature_off, rules.feature_value, r);
    key.assign({static_cast<int32_t>(rules.lhs[r]), static_cast<int32_t>(source.size()),
                static_cast<int32_t>(target.size())});
    key.insert(key.end(), source.begin(), source.end());
    key.insert(key.end(), target.begin(), target.end());
    key.insert(key.end(), ids.begin(), ids.end());
    for (const float value : values) key.push_back(std::bit_cast<int32_t>(value));
    uint32_t number;
    if (known.add(key, number)) first.push_back(r);
    same.push_back(first[number]);
  }
  return same;
}

}  // namespace

Forest fold(const Forest& f) {
  if (f.context_width == 0)
    throw io::Error(io::Fault::argument, "nodes without contexts cannot be compared", 0,
                    "refine the forest first");
  const std::vector<uint32_t> rule = same_rules(*f.rules);
  ForestBuilder builder(f);
  NumberedRows nodes, edges;
  std::vector<uint32_t> to(f.nodes()), tails;
  std::vector<int32_t> key;
  for (uint32_t v = 0; v < f.nodes(); ++v) {
    const std::span<const int32_t> context = f.context_of(v);
    key.assign({static_cast<int32_t>(f.label[v]), static_cast<int32_t>(f.span[2 * v]),
                static_cast<int32_t>(f.span[2 * v + 1]), v == f.root() ? 1 : 0});
    key.insert(key.end(), context.begin(), context.end());
    if (nodes.add(key, to[v]))
      builder.add_node(f.label[v], f.span[2 * v], f.span[2 * v + 1], context);
    for (uint32_t e = f.in_off[v]; e < f.in_off[v + 1]; ++e) {
      tails.clear();
      key.assign({static_cast<int32_t>(to[v]), static_cast<int32_t>(rule[f.rule[e]])});
      for (const uint32_t tail : f.tails_of(e)) {
        tails.push_back(to[tail]);
        key.push_back(static_cast<int32_t>(to[tail]));
      }
      uint32_t number;
      if (edges.add(key, number)) builder.copy_edge(f, e, to[v], tails);
    }
  }
  return builder.finalize(to[f.root()]);
}

}  // namespace demotic::forest
