#include "grammar/rule_sums.h"

#include <algorithm>
#include <cstring>

#include "grammar/lowest_origins.h"
#include "grammar/rule_key.h"
#include "hash_index.h"
#include "io/error.h"
#include "text/vocab.h"

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

void RuleSums::reserve(size_t rows, size_t bytes) {
  places_.reserve(rows);
  records_.reserve(bytes + rows * kAligned);
}

void RuleSums::add(const CountedColumns& rows) {
  if (rows.rows() == 0) return;
  sentences_ = !rows.sentences.empty();
  const auto short_size = [](std::string_view bytes) {
    if (bytes.size() > UINT16_MAX) throw io::Error(io::Fault::argument, "no key of a rule");
    return static_cast<uint16_t>(bytes.size());
  };
  for (size_t row = 0; row < rows.rows(); ++row) {
    const std::string_view parts[] = {rows.source[row], rows.target[row], rows.links[row],
                                      rows.origins[row]};
    Record made{rows.mass[row],
                0,
                0,
                0,
                short_size(parts[0]),
                short_size(parts[1]),
                short_size(parts[2]),
                short_size(parts[3])};
    if (sentences_) {
      made.sentences = static_cast<uint32_t>(rows.sentences[row]);
      made.source_sentences = static_cast<uint32_t>(rows.source_sentences[row]);
      made.target_sentences = static_cast<uint32_t>(rows.target_sentences[row]);
    }
    const size_t at = records_.size();
    records_.resize(at + made.size());
    char* to = records_.data() + at;
    std::memcpy(to, &made, sizeof made);
    to += sizeof made;
    for (const std::string_view part : parts) {
      if (!part.empty()) std::memcpy(to, part.data(), part.size());
      to += part.size();
    }
    places_.push_back({0, at});
  }
}

bool RuleSums::less(const Place& a, const Place& b) const {
  const Record& one = record(a);
  const Record& other = record(b);
  if (const int order = one.source().compare(other.source()); order != 0) return order < 0;
  if (const int order = one.target().compare(other.target()); order != 0) return order < 0;
  return one.links() < other.links();
}

// Comparing keys means waiting for the memory where they are.  Many rows are sorted by eight bytes
// at a time, which are fetched once, and the rest of their keys is looked at where these agree.
template <class Bytes, class Then>
void RuleSums::sort_by(std::span<Place> rows, Bytes&& bytes, Then&& then) {
  for (Place& row : rows) row.part = bytes(row);
  std::sort(rows.begin(), rows.end(), [](const Place& a, const Place& b) {
    return a.part != b.part ? a.part < b.part : a.at < b.at;
  });
  constexpr size_t kAhead = 12;
  for (size_t begin = 0, end; begin < rows.size(); begin = end) {
    for (end = begin + 1; end < rows.size() && rows[end].part == rows[begin].part;) ++end;
    for (size_t at = begin; at < end && at + kAhead < rows.size(); ++at)
      __builtin_prefetch(records_.data() + rows[at + kAhead].at);
    then(rows.subspan(begin, end - begin));
  }
}

// Rows whose source sides agree in their first `from` bytes.
void RuleSums::order(std::span<Place> rows, size_t from, SummedRows& out) {
  const auto compare = [&](const Place& a, const Place& b) { return less(a, b); };
  if (rows.size() < kFew) {
    std::sort(rows.begin(), rows.end(), compare);
    for (size_t begin = 0, end; begin < rows.size(); begin = end) {
      const std::string_view key = record(rows[begin]).source();
      for (end = begin + 1; end < rows.size() && record(rows[end]).source() == key;) ++end;
      write_source(rows.subspan(begin, end - begin), out);
    }
    return;
  }
  const bool longer = std::any_of(rows.begin(), rows.end(),
                                  [&](Place row) { return record(row).source().size() > from; });
  if (longer) {
    sort_by(
        rows, [&](Place row) { return eight_bytes(record(row).source(), from); },
        [&](std::span<Place> equal) { order(equal, from + sizeof(uint64_t), out); });
    return;
  }
  // A source side that ends where others go on with zeros would be mistaken for them.
  const std::string_view key = record(rows.front()).source();
  if (!std::all_of(rows.begin(), rows.end(),
                   [&](Place row) { return record(row).source() == key; }))
    throw io::Error(io::Fault::argument, "no key of a rule");
  sort_by(
      rows, [&](Place row) { return eight_bytes(record(row).target(), 0); },
      [&](std::span<Place> equal) { std::sort(equal.begin(), equal.end(), compare); });
  write_source(rows, out);
}

// Rows of one source side, in order.
void RuleSums::write_source(std::span<const Place> rows, SummedRows& out) {
  RuleColumns& columns = out.columns;
  const std::string_view key = record(rows.front()).source();
  const uint32_t least = has_nonterminals(key) ? least_ : 1;
  if (rows.size() == 1) {  // most of them
    const Record& row = record(rows.front());
    if (row.origins_size < least * sizeof(uint32_t)) {
      write_left_out(key, row.mass, row.source_sentences, out);
      return;
    }
  }
  int64_t left_out = 0, left_out_sentences = 0;
  for (size_t begin = 0, end; begin < rows.size(); begin = end) {
    const std::string_view side = record(rows[begin]).target();
    LowestOrigins all;
    int64_t mass = 0, firsts = 0;
    for (end = begin; end < rows.size() && record(rows[end]).target() == side; ++end) {
      const Record& row = record(rows[end]);
      if (all.count() < least) all.merge(row.origins());
      mass += row.mass;
      firsts += row.source_sentences;
    }
    if (all.count() < least) {
      left_out += mass;
      left_out_sentences += firsts;
      continue;
    }
    const auto next_total = static_cast<uint32_t>(totals_.size());
    const uint32_t total = index_.find_or_add(text::hash_word(side), next_total, [&](uint32_t i) {
      return columns.target.view()[totals_[i].row] == side;
    });
    if (total == next_total) totals_.push_back({columns.rows()});
    for (size_t at = begin, next; at < end; at = next) {
      const std::string_view way = record(rows[at]).links();
      LowestOrigins lowest;
      int64_t sum = 0, sentences = 0, source_sentences = 0;
      for (next = at; next < end && record(rows[next]).links() == way; ++next) {
        const Record& row = record(rows[next]);
        lowest.merge(row.origins());
        sum += row.mass;
        sentences += row.sentences;
        source_sentences += row.source_sentences;
      }
      columns.source.add(key.data(), key.size());
      columns.target.add(side.data(), side.size());
      columns.links.add(way.data(), way.size());
      columns.mass.push_back(sum);
      columns.origins.add(reinterpret_cast<const char*>(lowest.of().data()),
                          lowest.of().size_bytes());
      out.totals.push_back(total + 1);  // its number, until all rows are summed
      if (!sentences_) continue;
      columns.sentences.push_back(sentences);
      columns.source_sentences.push_back(source_sentences);
      columns.target_sentences.push_back(0);
    }
  }
  if (left_out > 0) write_left_out(key, left_out, left_out_sentences, out);
}

void RuleSums::write_left_out(std::string_view source, int64_t mass, int64_t sentences,
                              SummedRows& out) {
  RuleColumns& columns = out.columns;
  columns.source.add(source.data(), source.size());
  columns.target.add(nullptr, 0);
  columns.links.add(nullptr, 0);
  columns.mass.push_back(mass);
  columns.origins.add(nullptr, 0);
  out.totals.push_back(0);
  if (!sentences_) return;
  columns.sentences.push_back(0);
  columns.source_sentences.push_back(sentences);
  columns.target_sentences.push_back(0);
}

// Those of the target sides that came out, over all rows.
void RuleSums::sum_targets(SummedRows& out) {
  const BinaryView targets = out.columns.target.view();
  for (uint64_t at = 0; at < records_.size(); at += record(at).size()) {
    const Record& row = record(at);
    const std::string_view side = row.target();
    const uint32_t total = index_.find(text::hash_word(side),
                                       [&](uint32_t i) { return targets[totals_[i].row] == side; });
    if (total == HashIndex::kNone) continue;
    totals_[total].mass += row.mass;
    totals_[total].sentences += row.target_sentences;
  }
  for (size_t row = 0; row < out.totals.size(); ++row) {
    if (out.totals[row] == 0) continue;
    const Total& total = totals_[out.totals[row] - 1];
    out.totals[row] = total.mass;
    if (sentences_) out.columns.target_sentences[row] = total.sentences;
  }
}

SummedRows RuleSums::finish() {
  SummedRows out;
  order(places_, 0, out);
  sum_targets(out);
  return out;
}

}  // namespace demotic::grammar
