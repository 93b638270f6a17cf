#include "grammar/rule_sums.h"

#include <algorithm>
#include <cstring>

#include "grammar/lowest_origins.h"
#include "grammar/rule_key.h"
#include "hash_index.h"
#include "io/checksum.h"
#include "io/error.h"

namespace demotic::grammar {

namespace {

// Eight bytes of a key from `from` on, so that they compare as numbers as they do as bytes.
uint64_t eight_bytes(std::string_view key, size_t from) {
  uint64_t eight = 0;
  if (from < key.size())
    std::memcpy(&eight, key.data() + from, std::min(key.size() - from, sizeof eight));
  return __builtin_bswap64(eight);
}

bool has_nonterminals(std::string_view source) {
  bool found = false;
  for_each_symbol(source, [&](text::Symbol symbol) { found |= !text::is_word(symbol); });
  return found;
}

}  // namespace

void RuleSums::add(const CountedColumns& rows) {
  if (rows.rows() == 0) return;
  if (places_.size() + rows.rows() >= UINT32_MAX)
    throw io::Error(io::Fault::argument, "more than 2^32 rows of rules in one part", 0,
                    "give the engine more parts");
  sentences_ = !rows.sentences.empty();
  const auto batch = static_cast<uint32_t>(batches_.size());
  batches_.push_back(rows);
  first_.push_back(static_cast<uint32_t>(places_.size()));
  for (uint32_t row = 0; row < rows.rows(); ++row) places_.push_back({0, batch, row});
}

void RuleSums::sum_targets() {
  HashIndex index;
  std::vector<Place> example;  // of a target side
  std::vector<uint64_t> hashes(places_.size());
  for (size_t i = 0; i < places_.size(); ++i) {
    const std::string_view key = target(places_[i]);
    hashes[i] = io::short_hash(key.data(), key.size());
  }
  constexpr size_t kAhead = 16;
  target_of_.resize(places_.size());
  for (size_t i = 0; i < places_.size(); ++i) {
    if (i + kAhead < places_.size()) index.prefetch(hashes[i + kAhead]);
    const Place place = places_[i];
    const auto next = static_cast<uint32_t>(example.size());
    const uint32_t number = index.find_or_add(
        hashes[i], next, [&](uint32_t other) { return target(example[other]) == target(place); });
    if (number == next) {
      example.push_back(place);
      totals_.emplace_back();
    }
    const CountedColumns& batch = batches_[place.batch];
    totals_[number].mass += batch.mass[place.row];
    if (sentences_) totals_[number].sentences += batch.target_sentences[place.row];
    target_of_[i] = number;
  }
}

bool RuleSums::less(const Place& a, const Place& b) const {
  if (const int order = source(a).compare(source(b)); order != 0) return order < 0;
  if (const int order = target(a).compare(target(b)); order != 0) return order < 0;
  return links(a) < links(b);
}

// Comparing keys means waiting for the memory where they are.  Many rows are sorted by eight bytes
// at a time, which are fetched once, and the rest of their keys is looked at where these agree.
template <class Bytes, class Then>
void RuleSums::sort_by(std::span<Place> rows, Bytes&& bytes, Then&& then) {
  for (Place& row : rows) row.part = bytes(row);
  std::sort(rows.begin(), rows.end(), [](const Place& a, const Place& b) {
    if (a.part != b.part) return a.part < b.part;
    return a.batch != b.batch ? a.batch < b.batch : a.row < b.row;
  });
  for (size_t begin = 0, end; begin < rows.size(); begin = end) {
    for (end = begin + 1; end < rows.size() && rows[end].part == rows[begin].part;) ++end;
    then(rows.subspan(begin, end - begin));
  }
}

// Rows whose source sides agree in their first `from` bytes.
void RuleSums::order(std::span<Place> rows, size_t from, SummedRows& out) {
  const auto compare = [&](const Place& a, const Place& b) { return less(a, b); };
  if (rows.size() < kFew) {
    std::sort(rows.begin(), rows.end(), compare);
    for (size_t begin = 0, end; begin < rows.size(); begin = end) {
      const std::string_view key = source(rows[begin]);
      for (end = begin + 1; end < rows.size() && source(rows[end]) == key;) ++end;
      write_source(rows.subspan(begin, end - begin), out);
    }
    return;
  }
  const bool longer =
      std::any_of(rows.begin(), rows.end(), [&](Place row) { return source(row).size() > from; });
  if (longer) {
    sort_by(
        rows, [&](Place row) { return eight_bytes(source(row), from); },
        [&](std::span<Place> equal) { order(equal, from + sizeof(uint64_t), out); });
    return;
  }
  // A source side that ends where others go on with zeros would be mistaken for them.
  const std::string_view key = source(rows.front());
  if (!std::all_of(rows.begin(), rows.end(), [&](Place row) { return source(row) == key; }))
    throw io::Error(io::Fault::argument, "no key of a rule");
  sort_by(
      rows, [&](Place row) { return eight_bytes(target(row), 0); },
      [&](std::span<Place> equal) { std::sort(equal.begin(), equal.end(), compare); });
  write_source(rows, out);
}

// Rows of one source side, in order.
void RuleSums::write_source(std::span<const Place> rows, SummedRows& out) const {
  RuleColumns& columns = out.columns;
  const auto mass_of = [&](Place at) { return batches_[at.batch].mass[at.row]; };
  const auto origins_of = [&](Place at) { return batches_[at.batch].origins[at.row]; };
  const std::string_view key = source(rows.front());
  const uint32_t least = has_nonterminals(key) ? least_ : 1;
  int64_t left_out = 0, left_out_sentences = 0;
  for (size_t begin = 0, end; begin < rows.size(); begin = end) {
    LowestOrigins origins;
    int64_t mass = 0, firsts = 0;
    const std::string_view side = target(rows[begin]);
    for (end = begin; end < rows.size() && target(rows[end]) == side; ++end) {
      if (origins.count() < least) origins.merge(origins_of(rows[end]));
      mass += mass_of(rows[end]);
      if (sentences_) firsts += batches_[rows[end].batch].source_sentences[rows[end].row];
    }
    if (origins.count() < least) {
      left_out += mass;
      left_out_sentences += firsts;
      continue;
    }
    const Place first = rows[begin];
    const Total total = totals_[target_of_[first_[first.batch] + first.row]];
    for (size_t at = begin, next; at < end; at = next) {
      const std::string_view way = links(rows[at]);
      LowestOrigins lowest;
      int64_t sum = 0, sentences = 0, source_sentences = 0;
      for (next = at; next < end && links(rows[next]) == way; ++next) {
        lowest.merge(origins_of(rows[next]));
        sum += mass_of(rows[next]);
        if (!sentences_) continue;
        const CountedColumns& batch = batches_[rows[next].batch];
        sentences += batch.sentences[rows[next].row];
        source_sentences += batch.source_sentences[rows[next].row];
      }
      columns.source.add(key.data(), key.size());
      columns.target.add(side.data(), side.size());
      columns.links.add(way.data(), way.size());
      columns.mass.push_back(sum);
      columns.origins.add(reinterpret_cast<const char*>(lowest.of().data()),
                          lowest.of().size_bytes());
      out.totals.push_back(total.mass);
      if (!sentences_) continue;
      columns.sentences.push_back(sentences);
      columns.source_sentences.push_back(source_sentences);
      columns.target_sentences.push_back(total.sentences);
    }
  }
  if (left_out == 0) return;
  columns.source.add(key.data(), key.size());
  columns.target.add(nullptr, 0);
  columns.links.add(nullptr, 0);
  columns.mass.push_back(left_out);
  columns.origins.add(nullptr, 0);
  out.totals.push_back(0);
  if (!sentences_) return;
  columns.sentences.push_back(0);
  columns.source_sentences.push_back(left_out_sentences);
  columns.target_sentences.push_back(0);
}

SummedRows RuleSums::finish() {
  sum_targets();
  SummedRows out;
  order(places_, 0, out);
  return out;
}

}  // namespace demotic::grammar
