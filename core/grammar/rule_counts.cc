#include "grammar/rule_counts.h"

namespace demotic::grammar {

// Which parts of the row's key does the sentence give for the first time?
void RuleCounts::count_sentence(uint32_t number, uint32_t sentence) {
  if (sentence != sentence_) {
    for (Firsts& firsts : firsts_) {
      firsts.index.clear();
      firsts.rows.clear();
    }
    sentence_ = sentence;
  }
  Row& row = rows_[number];
  for (size_t which = 0; which < firsts_.size(); ++which) {
    Firsts& firsts = firsts_[which];
    const std::string_view key = part(row, which);
    const uint64_t hash = io::mix64(io::checksum64(key.data(), key.size()));
    const auto next = static_cast<uint32_t>(firsts.rows.size());
    const auto same = [&](uint32_t i) {
      const Row& other = rows_[firsts.rows[i]];
      return part(other, which) == key && (which != 0 || other.source_size == row.source_size);
    };
    if (firsts.index.find_or_add(hash, next, same) != next) continue;
    firsts.rows.push_back(number);
    ++row.firsts[which];
  }
}

void RuleCounts::spill(RuleParts& parts, size_t keep) {
  const auto move_out = [&](const Row& row) {
    const char* key = bytes_.data() + row.begin;
    const std::string_view target(key + row.source_size, row.target_size);
    RuleColumns& out = parts.of(target);
    out.source.add(key, row.source_size);
    out.target.add(target.data(), target.size());
    const size_t links = size_t{row.source_size} + row.target_size;
    out.links.add(key + links, row.key_size - links);
    out.mass.push_back(static_cast<int64_t>(row.mass));
    out.origins.add(reinterpret_cast<const char*>(row.origin.data()),
                    row.origins * sizeof(uint32_t));
    if (!sentences_) return;
    out.sentences.push_back(row.firsts[0]);
    out.source_sentences.push_back(row.firsts[1]);
    out.target_sentences.push_back(row.firsts[2]);
  };
  size_t kept = 0;
  uint64_t end = 0;
  for (Row row : rows_) {
    if (row.uses <= 1 || kept >= keep) {
      move_out(row);
      continue;
    }
    std::memmove(bytes_.data() + end, bytes_.data() + row.begin, row.key_size);
    row.begin = end;
    row.uses = 0;
    end += row.key_size;
    rows_[kept++] = row;
  }
  rows_.resize(kept);
  bytes_.resize(end);
  index_.clear();
  for (uint32_t i = 0; i < kept; ++i) index_.add(rows_[i].hash, i);
}

}  // namespace demotic::grammar
