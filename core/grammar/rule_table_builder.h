// Writes a RuleTable from a stream of rules in memory that does not grow with the rules' bodies:
// the arrays go to temporary files, one each, and are joined at the end.
//
//   RuleTableBuilder out(path, {"X"}, {"TargetGivenSource"}, source_vocab, target_vocab);
//   out.add(rule);  ...              ascending by (source, lhs, target); all rules
//   out.finish(space.get());         with counts, or none; a space that names sparse features
//
// Without such a space the file has no sections for them.
#pragma once

#include <cstdint>
#include <cstdio>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "grammar/rule_table.h"

namespace demotic::grammar {

class RuleTableBuilder {
 public:
  RuleTableBuilder(std::string path, std::vector<std::string> categories,
                   std::vector<std::string> features, text::VocabView source,
                   text::VocabView target);

  void add(const RuleView& rule);  // throws Error(argument) on a rule out of order or unsound
  void finish(const features::FeatureSpace* sparse_space = nullptr);
  uint32_t rules() const { return rules_; }

 private:
  struct Closer {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };
  // A growing array on disk.
  class Spill {
   public:
    Spill();
    void append(const void* data, size_t size);
    void copy_to(io::ContainerWriter& out, std::string_view name);

   private:
    std::unique_ptr<std::FILE, Closer> file_;
  };

  struct SparseSpills {
    Spill ids, values, ends;
    uint64_t end = 0;
  };

  void descend(std::span<const text::Symbol> source);
  void check(const RuleView& rule) const;
  void check_sparse(features::SparseRow sparse) const;
  void add_sparse(features::SparseRow sparse);
  SparseSpills& sparse_spills();

  std::string path_;
  std::vector<std::string> categories_;
  std::vector<std::string> features_;
  text::VocabView source_vocab_;
  text::VocabView target_vocab_;

  std::vector<uint32_t> parents_{RuleTable::kNone};
  std::vector<text::Symbol> symbols_{0};
  std::vector<uint32_t> rule_ends_{0};
  std::vector<text::Symbol> source_;  // of the last rule
  std::vector<uint32_t> path_nodes_;  // trie nodes along it
  std::vector<text::Symbol> last_target_;
  uint32_t last_lhs_ = 0;
  uint32_t rules_ = 0;
  bool has_counts_ = false;

  uint64_t target_end_ = 0;
  uint64_t link_end_ = 0;
  uint64_t origin_end_ = 0;
  uint32_t sparse_ids_ = 0;             // one more than the highest
  std::optional<SparseSpills> sparse_;  // from the first rule on that has some
  Spill lhs_, targets_, target_ends_, scores_, links_, link_ends_, origins_, origin_ends_, counts_;
};

}  // namespace demotic::grammar
