// Many rules, struct-of-arrays, memory-mapped, behind a trie over their source sides.
//
//   1. RuleTable table(path);                    Container of kind "rules"; milliseconds, any size:
//                                                files beyond kSmallFile are verified on demand
//   2. uint32_t node = table.step(RuleTable::kRoot, symbol);   kNone when no rule goes on that way
//   3. for (uint32_t r = table.first_rule(node); r < table.last_rule(node); ++r)
//        table.target(r), table.scores(r) ...    rules of one source side are neighbours
//
// Trie nodes are numbered in preorder with children in ascending order of symbols, so that both
// sources and rules are sorted; rule ids count through the table in that order.  Beside the columns
// of scores that all rules have, rules may have sparse features, named by a space of their own.
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
#include "hash_index.h"
#include "io/array.h"
#include "io/checksum.h"
#include "io/container.h"
#include "text/vocab.h"

namespace demotic::grammar {

class RuleTable {
 public:
  static constexpr uint32_t kRoot = 0;
  static constexpr uint32_t kNone = UINT32_MAX;
  static constexpr uint32_t kVersion = 1;
  static constexpr size_t kSmallFile = size_t{64} << 20;
  static constexpr uint32_t kCounts = 3;  // of the target side, of the source side, of both
  static constexpr uint32_t kMaxRules = 0xfffffff0u;  // what decoders add have ids from there on

  // One way onward in the trie: open addressing on (node, symbol), child kNone marks a free slot.
  struct Step {
    uint32_t node;
    text::Symbol symbol;
    uint32_t child;
  };

  RuleTable() = default;
  // Compares the file with its checksums and checks every rule; without `verify`, if it is small.
  explicit RuleTable(const std::string& path, std::optional<bool> verify = {});

  uint32_t rules() const { return static_cast<uint32_t>(target_ends_.size()); }
  uint32_t nodes() const { return static_cast<uint32_t>(rule_ends_.size()); }
  uint32_t features() const { return static_cast<uint32_t>(feature_names_.size()); }
  const std::vector<std::string>& feature_names() const { return feature_names_; }
  const std::vector<std::string>& categories() const { return categories_; }
  text::VocabView source_vocab() const { return source_vocab_; }
  text::VocabView target_vocab() const { return target_vocab_; }

  static uint64_t hash_of_step(uint32_t node, text::Symbol symbol) {
    return io::mix64((uint64_t{node} << 32) | static_cast<uint32_t>(symbol));
  }

  uint32_t step(uint32_t node, text::Symbol symbol) const {
    const size_t at = probe(steps_.size(), hash_of_step(node, symbol), [&](size_t place) {
      const Step& step = steps_[place];
      return step.child == kNone || (step.node == node && step.symbol == symbol);
    });
    return at < steps_.size() && leads_to(node, symbol, steps_[at].child) ? steps_[at].child
                                                                          : kNone;
  }

  uint32_t first_rule(uint32_t node) const { return node == 0 ? 0 : last_rule(node - 1); }
  uint32_t last_rule(uint32_t node) const { return std::min(rule_ends_[node], rules()); }

  // Is node_of() the inverse of first_rule() ... last_rule() here?  Looking at both ends is enough:
  // whatever the bytes say, between equal searches all others are equal, too.
  bool owns_rules(uint32_t node) const {
    return first_rule(node) < last_rule(node) && node_of(first_rule(node)) == node &&
           node_of(last_rule(node) - 1) == node;
  }

  uint32_t lhs(uint32_t rule) const { return lhs_[rule]; }
  bool usable(uint32_t rule, uint32_t arity) const {
    return lhs(rule) < categories_.size() && repeats_slots(target(rule), arity) &&
           (sparse_space_ == nullptr || names_sparse(rule));
  }
  std::span<const text::Symbol> target(uint32_t rule) const {
    return io::row_until(targets_, target_ends_, rule);
  }
  std::span<const RuleLink> links(uint32_t rule) const {
    return io::row_until(links_, link_ends_, rule);
  }
  std::span<const uint32_t> origins(uint32_t rule) const {
    return io::row_until(origins_, origin_ends_, rule);
  }
  std::span<const float> scores(uint32_t rule) const {
    return scores_.subspan(size_t{rule} * features(), features());
  }
  bool has_counts() const { return !counts_.empty(); }
  std::span<const float> counts(uint32_t rule) const {  // empty where the table has none
    return has_counts() ? counts_.subspan(size_t{rule} * kCounts, kCounts) : counts_;
  }
  // Of sparse features, without dense ones; null where the table has none.
  const std::shared_ptr<const features::FeatureSpace>& sparse_space() const {
    return sparse_space_;
  }
  features::SparseRow sparse(uint32_t rule) const { return sparse_[rule]; }
  uint64_t sparse_values() const { return sparse_.ids.size(); }  // of all rules
  RuleView rule(uint32_t rule, std::span<const text::Symbol> source) const {
    return {lhs(rule),   source,        target(rule), scores(rule),
            links(rule), origins(rule), counts(rule), sparse(rule)};
  }

  uint32_t parent(uint32_t node) const { return parents_[node]; }
  text::Symbol symbol(uint32_t node) const { return symbols_[node]; }
  uint32_t node_of(uint32_t rule) const;  // by binary search
  std::vector<text::Symbol> source_of(
      uint32_t node) const;  // walks up the trie; not for inner loops

 private:
  void check_rules() const;
  void check_sparse() const;
  bool names_sparse(uint32_t rule) const {
    return std::ranges::all_of(sparse(rule).ids,
                               [&](uint32_t id) { return id < sparse_space_->size(); });
  }
  // Children stand after their parents, so that paths are no longer than the table.
  bool leads_to(uint32_t node, text::Symbol symbol, uint32_t child) const {
    return child < nodes() && node < child && parents_[child] == node && symbols_[child] == symbol;
  }

  std::shared_ptr<const io::Container> container_;
  text::VocabView source_vocab_;
  text::VocabView target_vocab_;
  std::vector<std::string> feature_names_;
  std::vector<std::string> categories_;
  std::span<const Step> steps_;
  std::span<const uint32_t> parents_;      // by node
  std::span<const text::Symbol> symbols_;  // by node: the symbol that leads to it
  std::span<const uint32_t> rule_ends_;
  std::span<const uint32_t> lhs_;
  std::span<const text::Symbol> targets_;
  std::span<const uint64_t> target_ends_;
  std::span<const float> scores_;
  std::span<const RuleLink> links_;
  std::span<const uint64_t> link_ends_;
  std::span<const uint32_t> origins_;
  std::span<const uint64_t> origin_ends_;
  std::span<const float> counts_;                               // kCounts for each rule, or none
  std::shared_ptr<const features::FeatureSpace> sparse_space_;  // null: no sections for these
  features::SparseRowsView sparse_;
};

}  // namespace demotic::grammar
