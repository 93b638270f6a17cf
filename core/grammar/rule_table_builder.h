// Writes a RuleTable from a stream of rules in memory that does not grow with the rules' bodies:
// the arrays go to temporary files, one each, and are packed and joined at the end, when the range
// of their values is known.
//
//   RuleTableBuilder out(path, {"X"}, {"TargetGivenSource"}, source_vocab, target_vocab);
//   out.add(rule);  ...              ascending by (source, lhs, target); all rules
//   out.finish(space.get());         with counts, or none; a space that names sparse features
//
// Without such a space the file has no sections for them.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "grammar/rule_table.h"
#include "grammar/rule_trie.h"
#include "io/float_rows.h"
#include "io/packed_ints.h"
#include "io/row_extents.h"
#include "io/spill.h"

namespace demotic::grammar {

class RuleTableBuilder {
 public:
  RuleTableBuilder(std::string path, std::vector<std::string> categories,
                   std::vector<std::string> features, text::VocabView source,
                   text::VocabView target, size_t index_memory = size_t{64} << 20);

  void add(const RuleView& rule);  // throws Error(argument) on a rule out of order or unsound
  void finish(const features::FeatureSpace* sparse_space = nullptr);
  uint32_t rules() const { return rules_; }

 private:
  struct SparseSpills {
    io::Spill ids, values, ends;
    uint64_t end;  // set with the first row: Clang knows no initial value within std::optional here
  };

  void check(const RuleView& rule) const;
  void check_sparse(features::SparseRow sparse) const;
  void add_sparse(features::SparseRow sparse);
  void add_links(std::span<const RuleLink> links);
  bool links_fit() const { return most_of_links_ < 16; }  // into one byte each
  void save_links(io::ContainerWriter& out);
  SparseSpills& sparse_spills();

  std::string path_;
  std::vector<std::string> categories_;
  std::vector<std::string> features_;
  text::VocabView source_vocab_;
  text::VocabView target_vocab_;

  size_t index_memory_;  // for the trie's slots while they are written

  RuleTrieBuilder trie_;
  io::RowExtentsWriter rule_extents_;  // by node but the last
  uint32_t last_rules_ = 0;            // rules of the last node
  std::vector<text::Symbol> last_target_;
  uint32_t last_lhs_ = 0;
  uint32_t rules_ = 0;
  bool has_counts_ = false;

  io::PackedIntsWriter lhs_, targets_{kMaxArity}, origins_;
  io::RowExtentsWriter target_extents_, link_extents_, origin_extents_;
  io::Spill links_;            // of two bytes
  uint8_t most_of_links_ = 0;  // the highest of their places
  io::FloatRowsWriter scores_, counts_;
  uint32_t sparse_ids_ = 0;             // one more than the highest
  std::optional<SparseSpills> sparse_;  // from the first rule on that has some
};

// A table of those rules that `kept` says, by rule, as they are.
void copy_rules(const RuleTable& table, std::span<const char> kept, const std::string& path);

}  // namespace demotic::grammar
