#include "align/lexical_table.h"

#include <algorithm>
#include <charconv>
#include <cstdio>

#include "io/array.h"
#include "io/error.h"

namespace demotic::align {

namespace {

constexpr size_t kPending = size_t{1} << 22;  // pairs held before they are sorted in

uint64_t key(uint32_t source, uint32_t target) { return uint64_t{source} << 32 | target; }
uint32_t source_of(uint64_t pair) { return static_cast<uint32_t>(pair >> 32); }
uint32_t target_of(uint64_t pair) { return static_cast<uint32_t>(pair); }

[[noreturn]] void damaged() {
  throw io::Error(io::Fault::corrupt, "damaged lexical table", 0,
                  "copy the file again or rebuild it");
}

}  // namespace

// -- counting ----------------------------------------------------------------------------------

LexicalCounts::LexicalCounts(const text::Vocab& source, const text::Vocab& target)
    : source_null_word_(source.find(kNullWord)), target_null_word_(target.find(kNullWord)) {}

void LexicalCounts::add_pair(uint32_t source, uint32_t target) {
  if (source == source_null_word_ && source != text::kUnknown) source = kNull;
  if (target == target_null_word_ && target != text::kUnknown) target = kNull;
  pending_.push_back(key(source, target));
}

void LexicalCounts::add(const text::TokenLines& source, const text::TokenLines& target,
                        const Links& links, size_t begin, size_t end) {
  if (end > links.size() || end > source.size() || end > target.size())
    throw io::Error(io::Fault::argument, "links and texts differ in their number of lines");
  std::vector<char> source_linked;
  std::vector<char> target_linked;
  for (size_t line = begin; line < end; ++line) {
    const auto words = source[line];
    const auto translations = target[line];
    source_linked.assign(words.size(), 0);
    target_linked.assign(translations.size(), 0);
    for (const Link& link : links[line]) {
      if (link.source >= words.size() || link.target >= translations.size())
        throw io::Error(io::Fault::format, "a link outside its sentences", line + 1);
      add_pair(words[link.source], translations[link.target]);
      source_linked[link.source] = 1;
      target_linked[link.target] = 1;
    }
    for (size_t i = 0; i < words.size(); ++i)
      if (!source_linked[i]) add_pair(words[i], kNull);
    for (size_t j = 0; j < translations.size(); ++j)
      if (!target_linked[j]) add_pair(kNull, translations[j]);
    if (pending_.size() >= kPending) settle();
  }
}

void LexicalCounts::settle() {
  std::sort(pending_.begin(), pending_.end());
  std::vector<Count> merged;
  merged.reserve(counts_.size() + pending_.size() / 4);
  auto old = counts_.begin();
  for (auto at = pending_.begin(); at != pending_.end();) {
    const auto next = std::upper_bound(at, pending_.end(), *at);
    for (; old != counts_.end() && old->pair < *at; ++old) merged.push_back(*old);
    Count count{*at, static_cast<uint64_t>(next - at)};
    if (old != counts_.end() && old->pair == *at) count.count += (old++)->count;
    merged.push_back(count);
    at = next;
  }
  merged.insert(merged.end(), old, counts_.end());
  counts_ = std::move(merged);
  pending_.clear();
}

std::span<const LexicalCounts::Count> LexicalCounts::counts() {
  settle();
  return counts_;
}

// -- the table ---------------------------------------------------------------------------------

LexicalTable::LexicalTable(LexicalCounts& counts, const text::Vocab& source,
                           const text::Vocab& target)
    : owned_(std::make_shared<Owned>(Owned{source, target, {}, {}, {}, {}})) {
  const auto pairs = counts.counts();
  std::vector<uint64_t> sources(source.size() + size_t{1}, 0);  // totals; the last is NULL's
  std::vector<uint64_t> targets(target.size() + size_t{1}, 0);
  for (const auto& [pair, count] : pairs) {
    if ((source_of(pair) >= source.size() && source_of(pair) != kNull) ||
        (target_of(pair) >= target.size() && target_of(pair) != kNull))
      throw io::Error(io::Fault::argument, "the counts were made with other vocabularies");
    sources[std::min(source_of(pair), source.size())] += count;
    targets[std::min(target_of(pair), target.size())] += count;
  }
  std::vector<LexicalEntry> entries;
  entries.reserve(pairs.size());
  for (const auto& [pair, count] : pairs) {
    const auto share = static_cast<double>(count);
    const uint64_t of_source = sources[std::min(source_of(pair), source.size())];
    const uint64_t of_target = targets[std::min(target_of(pair), target.size())];
    entries.push_back(
        {pair, share / static_cast<double>(of_source), share / static_cast<double>(of_target)});
  }
  own(entries);
}

LexicalTable::LexicalTable(std::span<const LexicalEntry> entries, const text::Vocab& source,
                           const text::Vocab& target)
    : owned_(std::make_shared<Owned>(Owned{source, target, {}, {}, {}, {}})) {
  own(entries);
}

void LexicalTable::own(std::span<const LexicalEntry> entries) {
  Owned& all = *owned_;
  all.row_ends.assign(all.source.size() + size_t{1}, 0);
  for (const LexicalEntry& entry : entries) {
    ++all.row_ends[std::min(source_of(entry.pair), all.source.size())];
    all.targets.push_back(target_of(entry.pair));
    all.target_given_source.push_back(entry.target_given_source);
    all.source_given_target.push_back(entry.source_given_target);
  }
  for (size_t row = 1; row < all.row_ends.size(); ++row) all.row_ends[row] += all.row_ends[row - 1];
  source_words_ = all.source.view();
  target_words_ = all.target.view();
  row_ends_ = all.row_ends;
  targets_ = all.targets;
  target_given_source_ = all.target_given_source;
  source_given_target_ = all.source_given_target;
}

LexicalTable::LexicalTable(const std::string& path, bool verify)
    : file_(path, "lexical", kVersion),
      source_words_(file_, "source"),
      target_words_(file_, "target"),
      row_ends_(file_.section<uint64_t>("rows.ends")),
      targets_(file_.section<uint32_t>("pairs.target")),
      target_given_source_(file_.section<double>("pairs.e_given_f")),
      source_given_target_(file_.section<double>("pairs.f_given_e")) {
  if (verify) file_.verify();
  if (row_ends_.size() != source_words_.size() + size_t{1} ||
      target_given_source_.size() != targets_.size() ||
      source_given_target_.size() != targets_.size())
    damaged();
  // What find() and print() rely on, also where somebody recomputed the checksums.
  uint64_t begin = 0;
  for (const uint64_t end : row_ends_) {
    if (end < begin || end > targets_.size()) damaged();
    begin = end;
  }
}

std::span<const uint32_t> LexicalTable::row(size_t row) const {
  return io::row_until(targets_, row_ends_, row);
}

size_t LexicalTable::find(uint32_t source, uint32_t target) const {
  const size_t at = source == kNull ? rows() - 1 : source;
  if (at >= rows() || (source != kNull && at == rows() - 1)) return targets_.size();
  const auto choices = row(at);
  const auto found = std::lower_bound(choices.begin(), choices.end(), target);
  if (found == choices.end() || *found != target) return targets_.size();
  return static_cast<size_t>(&*found - targets_.data());
}

void LexicalTable::print(bool target_given_source, size_t begin, size_t end,
                         std::string& out) const {
  char number[32];
  for (size_t r = begin; r < std::min(end, rows()); ++r) {
    const std::string_view f =
        r + 1 == rows() ? kNullWord : source_words_.word(static_cast<uint32_t>(r));
    for (const uint32_t& target : row(r)) {
      const auto at = static_cast<size_t>(&target - targets_.data());
      const std::string_view e = target == kNull ? kNullWord : target_words_.word(target);
      out += target_given_source ? e : f;
      out += ' ';
      out += target_given_source ? f : e;
      std::snprintf(number, sizeof number, " %.7f\n",
                    target_given_source ? target_given_source_[at] : source_given_target_[at]);
      out += number;
    }
  }
}

void LexicalTable::save(const std::string& path) const {
  io::ContainerWriter out(path, "lexical", kVersion);
  if (owned_) {
    owned_->source.save(out, "source");
    owned_->target.save(out, "target");
  } else {  // a loaded table: its own bytes
    for (const char* side : {"source", "target"}) {
      const std::string prefix(side);
      out.section(prefix + ".bytes", file_.section<char>(prefix + ".bytes"));
      out.section(prefix + ".ends", file_.section<uint64_t>(prefix + ".ends"));
      out.section(prefix + ".slots", file_.section<uint32_t>(prefix + ".slots"));
    }
  }
  out.section("rows.ends", row_ends_);
  out.section("pairs.target", targets_);
  out.section("pairs.e_given_f", target_given_source_);
  out.section("pairs.f_given_e", source_given_target_);
  out.finish();
}

// -- text in -----------------------------------------------------------------------------------

void LexicalReader::add(std::string_view text, bool target_given_source, uint64_t first_line) {
  uint64_t line = first_line;
  text::for_each_line(text, [&](std::string_view content) {
    std::string_view fields[3];
    size_t count = 0;
    text::for_each_token(content, [&](std::string_view token) {
      if (count < 3) fields[count] = token;
      ++count;
    });
    if (count != 3)
      throw io::Error(io::Fault::format, "a line of " + std::to_string(count) + " fields", line,
                      "a lexical table has two words and a probability on each line");
    double value = 0;
    const char* const end = fields[2].data() + fields[2].size();
    const auto [stop, failure] = std::from_chars(fields[2].data(), end, value);
    if (failure != std::errc() || stop != end || !(value >= 0.0 && value <= 1.0))
      throw io::Error(io::Fault::format,
                      "'" + std::string(fields[2].substr(0, 40)) + "' is not a probability", line);
    const std::string_view f = fields[target_given_source ? 1 : 0];
    const std::string_view e = fields[target_given_source ? 0 : 1];
    const uint64_t pair =
        key(f == kNullWord ? kNull : source_.add(f), e == kNullWord ? kNull : target_.add(e));
    (target_given_source ? target_given_source_ : source_given_target_).push_back({pair, value});
    ++line;
  });
}

void LexicalReader::sort_unique(std::vector<Half>& half, const char* name) {
  std::sort(half.begin(), half.end(), [](const Half& a, const Half& b) { return a.pair < b.pair; });
  const auto twice = std::adjacent_find(
      half.begin(), half.end(), [](const Half& a, const Half& b) { return a.pair == b.pair; });
  if (twice != half.end())
    throw io::Error(io::Fault::format,
                    std::string("a word pair stands twice in the ") + name + " file");
}

LexicalTable LexicalReader::finish() {
  sort_unique(target_given_source_, "f2e");
  sort_unique(source_given_target_, "e2f");
  const bool same = std::equal(target_given_source_.begin(), target_given_source_.end(),
                               source_given_target_.begin(), source_given_target_.end(),
                               [](const Half& a, const Half& b) { return a.pair == b.pair; });
  if (!same)
    throw io::Error(io::Fault::format, "the f2e and the e2f file do not hold the same word pairs",
                    0, "take both files of one table");
  std::vector<LexicalEntry> entries;
  entries.reserve(target_given_source_.size());
  for (size_t i = 0; i < target_given_source_.size(); ++i)
    entries.push_back({target_given_source_[i].pair, target_given_source_[i].probability,
                       source_given_target_[i].probability});
  return {entries, source_, target_};
}

}  // namespace demotic::align
