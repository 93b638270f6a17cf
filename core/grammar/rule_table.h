// Many rules, struct-of-arrays, memory-mapped, behind a trie over their source sides.
//
//   1. RuleTable table(path);                    Container of kind "rules"; milliseconds, any size:
//                                                files beyond kSmallFile are verified on demand
//   2. uint32_t node = table.step(RuleTable::kRoot, symbol);   kNone when no rule goes on that way
//   3. for (uint32_t r = table.first_rule(node); r < table.last_rule(node); ++r)
//        for (text::Symbol symbol : table.target(r)) ...  table.scores(r)[column]
//                                                rules of one source side are neighbours
//   4. RuleBuffer buffer;                        a whole rule, to be written again
//      RuleView rule = table.rule(r, source, buffer);
//
// Trie nodes are numbered in preorder with children in ascending order of symbols, so that both
// sources and rules are sorted; rule ids count through the table in that order.  Beside the columns
// of scores that all rules have, rules may have sparse features, named by a space of their own.
//
// Numbers take as few bytes as the largest of their kind needs, and columns of few values as few
// bits (io/packed_ints.h, io/row_extents.h, io/float_rows.h): rows of symbols and scores are read
// where they lie, value by value.  Files of version 1, where all is of four or eight bytes, look
// the same from outside.
//
// An accessor stays inside its section whatever the bytes say.  A path of steps always is what
// source_of() says of its last node.  In a table that was not verified a target side may name slots
// that do not exist, and a node may claim rules of others: ask owns_rules() and usable() before
// relying on them.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "features/feature_space.h"
#include "features/sparse_rows.h"
#include "grammar/rule.h"
#include "grammar/rule_trie.h"
#include "io/container.h"
#include "io/float_rows.h"
#include "io/packed_ints.h"
#include "io/row_extents.h"
#include "text/vocab.h"

namespace demotic::grammar {

// The section "layout" of a table: how its numbers are packed.
struct RuleTableLayout {
  uint32_t rules;
  uint32_t nodes;
  RuleTrie::Packing trie;
  uint32_t lhs_width;  // bytes; the section is missing where there is but one category
  uint32_t target_width, target_bias;
  uint32_t origin_width;
  uint32_t link_bytes;  // 1: four bits for each of its places
};

// The links of a rule.
class RuleLinks {
 public:
  class Iterator {
   public:
    using iterator_category = std::forward_iterator_tag;
    using value_type = RuleLink;
    using difference_type = std::ptrdiff_t;
    using pointer = const RuleLink*;
    using reference = RuleLink;

    Iterator() = default;
    Iterator(const uint8_t* at, uint32_t bytes) : at_(at), bytes_(bytes) {}

    RuleLink operator*() const {
      if (bytes_ == 2) return {at_[0], at_[1]};
      return {static_cast<uint8_t>(*at_ & 15), static_cast<uint8_t>(*at_ >> 4)};
    }
    Iterator& operator++() {
      at_ += bytes_;
      return *this;
    }
    Iterator operator++(int) {
      const Iterator before = *this;
      ++*this;
      return before;
    }
    friend bool operator==(const Iterator& a, const Iterator& b) { return a.at_ == b.at_; }

   private:
    const uint8_t* at_ = nullptr;
    uint32_t bytes_ = 2;
  };

  RuleLinks() = default;
  RuleLinks(std::span<const uint8_t> bytes, uint32_t bytes_of_link)
      : bytes_(bytes), bytes_of_link_(bytes_of_link) {}

  size_t size() const { return bytes_.size() / bytes_of_link_; }
  bool empty() const { return bytes_.empty(); }
  Iterator begin() const { return {bytes_.data(), bytes_of_link_}; }
  Iterator end() const { return {bytes_.data() + bytes_.size(), bytes_of_link_}; }

 private:
  std::span<const uint8_t> bytes_;
  uint32_t bytes_of_link_ = 2;
};

// What a RuleView of a table looks at.
struct RuleBuffer {
  std::vector<text::Symbol> target;
  std::vector<float> scores;
  std::vector<RuleLink> links;
  std::vector<uint32_t> origins;
  std::vector<float> counts;
};

class RuleTable {
 public:
  static constexpr uint32_t kRoot = RuleTrie::kRoot;
  static constexpr uint32_t kNone = RuleTrie::kNone;
  static constexpr uint32_t kVersion = 2;
  static constexpr size_t kSmallFile = size_t{64} << 20;
  static constexpr uint32_t kCounts = 3;  // of the target side, of the source side, of both
  static constexpr uint32_t kMaxRules = 0xfffffff0u;  // what decoders add have ids from there on

  RuleTable() = default;
  // Compares the file with its checksums and checks every rule; without `verify`, if it is small.
  explicit RuleTable(const std::string& path, std::optional<bool> verify = {});

  uint32_t rules() const { return static_cast<uint32_t>(target_extents_.size()); }
  uint32_t nodes() const { return trie_.nodes(); }
  uint32_t features() const { return static_cast<uint32_t>(feature_names_.size()); }
  const std::vector<std::string>& feature_names() const { return feature_names_; }
  const std::vector<std::string>& categories() const { return categories_; }
  text::VocabView source_vocab() const { return source_vocab_; }
  text::VocabView target_vocab() const { return target_vocab_; }

  uint32_t step(uint32_t node, text::Symbol symbol) const { return trie_.step(node, symbol); }
  uint32_t parent(uint32_t node) const { return trie_.parent(node); }
  text::Symbol symbol(uint32_t node) const { return trie_.symbol(node); }
  // Walks up the trie; not for inner loops.
  std::vector<text::Symbol> source_of(uint32_t node) const { return trie_.source_of(node); }

  uint32_t first_rule(uint32_t node) const { return in_table(rule_extents_[node].begin); }
  uint32_t last_rule(uint32_t node) const { return in_table(rule_extents_[node].end); }
  uint32_t node_of(uint32_t rule) const {  // by binary search
    return static_cast<uint32_t>(rule_extents_.row_of(rule));
  }

  // Is node_of() the inverse of first_rule() ... last_rule() here?  Looking at both ends is enough:
  // whatever the bytes say, between equal searches all others are equal, too.
  bool owns_rules(uint32_t node) const {
    return first_rule(node) < last_rule(node) && node_of(first_rule(node)) == node &&
           node_of(last_rule(node) - 1) == node;
  }

  uint32_t lhs(uint32_t rule) const { return has_lhs_ ? lhs_[rule] : 0; }
  bool usable(uint32_t rule, uint32_t arity) const {
    return lhs(rule) < categories_.size() && repeats_slots(target(rule), arity) &&
           (sparse_space_ == nullptr || names_sparse(rule));
  }
  io::PackedRow<text::Symbol> target(uint32_t rule) const {
    const auto [begin, end] = target_extents_[rule];
    return targets_.row(begin, end);
  }
  RuleLinks links(uint32_t rule) const;
  io::PackedRow<uint32_t> origins(uint32_t rule) const {
    const auto [begin, end] = origin_extents_[rule];
    return origins_.row(begin, end);
  }
  io::FloatRow scores(uint32_t rule) const { return scores_[rule]; }
  bool has_counts() const { return counts_.columns() > 0; }
  io::FloatRow counts(uint32_t rule) const {  // empty where the table has none
    return has_counts() ? counts_[rule] : io::FloatRow();
  }
  // Of sparse features, without dense ones; null where the table has none.
  const std::shared_ptr<const features::FeatureSpace>& sparse_space() const {
    return sparse_space_;
  }
  features::SparseRow sparse(uint32_t rule) const { return sparse_[rule]; }
  uint64_t sparse_values() const { return sparse_.ids.size(); }  // of all rules
  // `buffer` must stay as long as the view.
  RuleView rule(uint32_t rule, std::span<const text::Symbol> source, RuleBuffer& buffer) const;

 private:
  void check_rules() const;
  void check_rule(uint32_t rule, uint32_t arity) const;
  void check_sparse() const;
  bool names_sparse(uint32_t rule) const {
    return std::ranges::all_of(sparse(rule).ids,
                               [&](uint32_t id) { return id < sparse_space_->size(); });
  }
  uint32_t in_table(uint64_t rule) const {
    return static_cast<uint32_t>(std::min<uint64_t>(rule, rules()));
  }
  void read_packed();
  void read_version_1();

  std::shared_ptr<const io::Container> container_;
  text::VocabView source_vocab_;
  text::VocabView target_vocab_;
  std::vector<std::string> feature_names_;
  std::vector<std::string> categories_;
  RuleTrie trie_;
  io::RowExtents<uint32_t> rule_extents_;  // by node
  bool has_lhs_ = false;                   // if not, all are of the first category
  io::PackedInts<uint32_t> lhs_;
  io::PackedInts<text::Symbol> targets_;
  io::RowExtents<uint64_t> target_extents_;
  io::FloatRows scores_;
  std::span<const uint8_t> links_;
  uint32_t link_bytes_ = 2;
  io::RowExtents<uint64_t> link_extents_;
  io::PackedInts<uint32_t> origins_;
  io::RowExtents<uint64_t> origin_extents_;
  io::FloatRows counts_;                                        // kCounts columns, or none
  std::shared_ptr<const features::FeatureSpace> sparse_space_;  // null: no sections for these
  features::SparseRowsView sparse_;
};

}  // namespace demotic::grammar
