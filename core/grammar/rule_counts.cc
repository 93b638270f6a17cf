#include "grammar/rule_counts.h"

#include "text/vocab.h"

namespace demotic::grammar {

void RuleCounts::add(const ExtractedRule& rule, uint32_t sentence) {
  const size_t begin = keys_.size();
  const size_t links_size = rule.links.size_bytes();
  keys_.resize(begin + (rule.source.size() + rule.target.size()) * kSymbolBytes + links_size + 1);
  char* const key = keys_.data() + begin;
  char* end = key;
  for (const text::Symbol symbol : rule.source) end = put_symbol(symbol, end);
  const auto source_size = static_cast<uint16_t>(end - key);
  for (const text::Symbol symbol : rule.target) end = put_symbol(symbol, end);
  const auto target_size = static_cast<uint16_t>(end - key - source_size);
  if (links_size > 0) std::memcpy(end, rule.links.data(), links_size);
  end += links_size;
  if (rule.orientation != 0) *end++ = static_cast<char>(rule.orientation);
  const auto key_size = static_cast<uint16_t>(end - key);
  keys_.resize(begin + key_size);

  const uint64_t hash = text::hash_word({key, key_size}) + io::mix64(source_size);
  index_.prefetch(hash);
  pending_.push_back({hash, begin, rule.mass, sentence, source_size, target_size, key_size});
  if (pending_.size() == kPending) settle();
}

void RuleCounts::settle() {
  std::array<uint32_t, kPending> guesses;
  for (size_t i = 0; i < pending_.size(); ++i) {
    guesses[i] = index_.first_guess(pending_[i].hash);
    if (guesses[i] != HashIndex::kNone) __builtin_prefetch(&rows_[guesses[i]], 1);
  }
  for (size_t i = 0; i < pending_.size(); ++i)
    if (guesses[i] != HashIndex::kNone) __builtin_prefetch(bytes_.data() + rows_[guesses[i]].begin);
  for (const Pending& rule : pending_) settle(rule);
  pending_.clear();
  keys_.clear();
}

void RuleCounts::settle(const Pending& rule) {
  const auto next = static_cast<uint32_t>(rows_.size());
  const uint32_t number =
      index_.find_or_add(rule.hash, next, [&](uint32_t i) { return same(rows_[i], rule); });
  if (number != next) {
    Row& row = rows_[number];
    row.mass += rule.mass;
    ++row.uses;
    if (row.origins < kOrigins && row.origin[row.origins - 1] != rule.sentence)
      row.origin[row.origins++] = rule.sentence;
  } else {
    rows_.push_back({rule.hash,
                     bytes_.size(),
                     rule.mass,
                     rule.source_size,
                     rule.target_size,
                     rule.key_size,
                     1,
                     1,
                     {rule.sentence, 0, 0},
                     {}});
    bytes_.insert(bytes_.end(), keys_.begin() + static_cast<ptrdiff_t>(rule.begin),
                  keys_.begin() + static_cast<ptrdiff_t>(rule.begin + rule.key_size));
  }
  if (sentences_) count_sentence(number, rule.sentence);
}

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
    const uint64_t hash = text::hash_word(key);
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
  settle();
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
