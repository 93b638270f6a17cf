#include "grammar/rule_counts.h"

namespace demotic::grammar {

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
