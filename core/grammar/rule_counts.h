// Rules counted while they are extracted, in bounded memory: a combiner in front of a database.
//
//   RuleCounts counts(sentences);          does it count sentences, too?
//   counts.add(rule, sentence);            sentences ascend
//   if (counts.rows() > limit) counts.spill(parts, limit / 2);
//   counts.spill(parts, 0);                the rest
//
// Equal (source, target, links and orientations) are one row.  A spill moves out the rows that were
// not met again since the last one, so that frequent rules stay and are summed here.  All rules of
// a sentence come before the next one's and before a spill.
#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <vector>

#include "grammar/hiero_extract.h"
#include "grammar/rule_columns.h"
#include "grammar/rule_key.h"
#include "hash_index.h"
#include "io/checksum.h"

namespace demotic::grammar {

class RuleCounts {
 public:
  explicit RuleCounts(bool sentences) : sentences_(sentences) {}

  size_t rows() const { return rows_.size(); }

  void add(const ExtractedRule& rule, uint32_t sentence);

  // Moves rows out until at most `keep` are left.
  void spill(RuleParts& parts, size_t keep);

 private:
  struct Row {
    uint64_t hash;
    uint64_t begin;  // of the key in bytes_
    uint64_t mass;
    uint16_t source_size, target_size, key_size;
    uint16_t origins;
    uint32_t uses;  // since the last spill
    std::array<uint32_t, kOrigins> origin;
    std::array<uint32_t, 3> firsts;  // in their sentences: of the rule, its source, its target
  };
  static_assert(sizeof(Row) == 64);

  // A rule whose row is not known yet.
  struct Pending {
    uint64_t hash;
    uint64_t begin;  // of the key in keys_
    uint64_t mass;
    uint32_t sentence;
    uint16_t source_size, target_size, key_size;
  };
  // Rows lie all over the memory.  So many rules wait until the memory that all of them need has
  // been asked for.
  static constexpr size_t kPending = 32;

  // Rows of the sentence at hand that differ in a part of their keys.
  struct Firsts {
    HashIndex index;  // of rows
    std::vector<uint32_t> rows;
  };

  std::string_view part(const Row& row, size_t which) const {
    const char* key = bytes_.data() + row.begin;
    if (which == 1) return {key, row.source_size};
    if (which == 2) return {key + row.source_size, row.target_size};
    return {key, size_t{row.source_size} + row.target_size};
  }
  void settle();
  void settle(const Pending& rule);
  void count_sentence(uint32_t number, uint32_t sentence);

  bool same(const Row& row, const Pending& rule) const {
    return row.hash == rule.hash && row.key_size == rule.key_size &&
           row.source_size == rule.source_size && row.target_size == rule.target_size &&
           std::memcmp(bytes_.data() + row.begin, keys_.data() + rule.begin, rule.key_size) == 0;
  }

  std::vector<Row> rows_;
  std::vector<char> bytes_;
  bool sentences_;
  uint32_t sentence_ = UINT32_MAX;  // at hand
  std::array<Firsts, 3> firsts_;    // of it
  HashIndex index_;                 // of rows
  std::vector<Pending> pending_;
  std::vector<char> keys_;  // of these
};

}  // namespace demotic::grammar
