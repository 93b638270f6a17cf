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

  void add(const ExtractedRule& rule, uint32_t sentence) {
    key_.clear();
    for (const text::Symbol symbol : rule.source) put_symbol(symbol, key_);
    const size_t source_size = key_.size();
    for (const text::Symbol symbol : rule.target) put_symbol(symbol, key_);
    const size_t target_size = key_.size() - source_size;
    const auto* links = reinterpret_cast<const char*>(rule.links.data());
    key_.insert(key_.end(), links, links + rule.links.size_bytes());
    if (rule.orientation != 0) key_.push_back(static_cast<char>(rule.orientation));

    const uint64_t hash = io::mix64(io::checksum64(key_.data(), key_.size()) + source_size * 31);
    const auto next = static_cast<uint32_t>(rows_.size());
    const uint32_t number = index_.find_or_add(hash, next, [&](uint32_t i) {
      return rows_[i].hash == hash && same(rows_[i], source_size, target_size);
    });
    if (number != next) {
      Row& row = rows_[number];
      row.mass += rule.mass;
      ++row.uses;
      if (row.origins < kOrigins && row.origin[row.origins - 1] != sentence)
        row.origin[row.origins++] = sentence;
    } else {
      rows_.push_back({hash,
                       bytes_.size(),
                       rule.mass,
                       static_cast<uint16_t>(source_size),
                       static_cast<uint16_t>(target_size),
                       static_cast<uint16_t>(key_.size()),
                       1,
                       1,
                       {sentence, 0, 0},
                       {}});
      bytes_.insert(bytes_.end(), key_.begin(), key_.end());
    }
    if (sentences_) count_sentence(number, sentence);
  }

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
  void count_sentence(uint32_t number, uint32_t sentence);

  bool same(const Row& row, size_t source_size, size_t target_size) const {
    return row.key_size == key_.size() && row.source_size == source_size &&
           row.target_size == target_size &&
           std::memcmp(bytes_.data() + row.begin, key_.data(), key_.size()) == 0;
  }

  std::vector<Row> rows_;
  std::vector<char> bytes_;
  bool sentences_;
  uint32_t sentence_ = UINT32_MAX;  // at hand
  std::array<Firsts, 3> firsts_;    // of it
  HashIndex index_;                 // of rows
  std::vector<char> key_;           // of the rule being added
};

}  // namespace demotic::grammar
