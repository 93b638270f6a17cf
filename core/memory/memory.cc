#include "memory/memory.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "io/error.h"
#include "text/utf8.h"

namespace demotic::memory {

namespace {

constexpr size_t kMostPostings = 1 << 16;  // looked at for one sentence

[[noreturn]] void damaged() {
  throw io::Error(io::Fault::corrupt, "damaged memory", 0, "copy the file again or train again");
}

// Words to put in, take out or replace to make one of the other; nothing if more than `most`.
std::optional<uint32_t> edit_distance(std::span<const uint32_t> one,
                                      std::span<const uint32_t> other, uint32_t most,
                                      std::vector<uint32_t>& row) {
  row.resize(other.size() + 1);
  for (uint32_t j = 0; j <= other.size(); ++j) row[j] = j;
  for (uint32_t i = 1; i <= one.size(); ++i) {
    uint32_t diagonal = std::exchange(row[0], i);
    uint32_t least = row[0];
    for (size_t j = 1; j <= other.size(); ++j) {
      // Words that no segment has are unlike all others, themselves included.
      const bool same = one[i - 1] == other[j - 1] && one[i - 1] != text::kUnknown;
      const uint32_t here = std::min({diagonal + (same ? 0 : 1), row[j] + 1, row[j - 1] + 1});
      diagonal = std::exchange(row[j], here);
      least = std::min(least, here);
    }
    if (least > most) return std::nullopt;
  }
  if (row.back() > most) return std::nullopt;
  return row.back();
}

}  // namespace

Memory::Memory(const std::string& path, bool verify)
    : file_(std::make_shared<io::Container>(path, kKind, kVersion)),
      sources_(*file_, "source"),
      targets_(*file_, "target"),
      units_(*file_, "unit"),
      tokens_(*file_, "tokens"),
      links_(*file_, "links"),
      files_(*file_, "file"),
      slots_(file_->section<uint32_t>("slots")),
      counts_(file_->section<uint32_t>("counts")),
      files_of_(file_->section<uint32_t>("files")),
      words_(file_->section<uint32_t>("words")),
      postings_(file_->section<uint32_t>("postings")),
      choice_ends_(file_->section<uint64_t>("choices")),
      word_ends_(file_->section<uint64_t>("words.ends")),
      posting_ends_(file_->section<uint64_t>("postings.ends")),
      masked_(*file_, "masked"),
      folded_(*file_, "folded"),
      vocab_(*file_) {
  if ((slots_.size() & (slots_.size() - 1)) != 0 || sources_.size() >= kNone ||
      targets_.size() >= kNone || choice_ends_.size() != sources_.size() ||
      word_ends_.size() != sources_.size() || posting_ends_.size() != vocab_.size() ||
      units_.size() != targets_.size() || tokens_.size() != targets_.size() ||
      links_.size() != targets_.size())
    damaged();
  if (verify) {
    file_->verify();
    check();
  }
}

void Memory::check() const {
  for (const Texts* texts : {&sources_, &targets_, &units_, &tokens_, &links_, &files_}) {
    if (!texts->fits()) damaged();
    for (size_t i = 0; i < texts->size(); ++i)
      if (!text::is_utf8((*texts)[i])) damaged();
  }
  const auto known = [](std::span<const uint32_t> numbers, size_t size) {
    return std::all_of(numbers.begin(), numbers.end(), [size](uint32_t n) { return n < size; });
  };
  if (!io::ends_fit(choice_ends_, targets_.size()) || !io::ends_fit(word_ends_, words_.size()) ||
      !io::ends_fit(posting_ends_, postings_.size()) || !masked_.fits(size()) ||
      !folded_.fits(size()) || !vocab_.is_sound() || !known(words_, vocab_.size()) ||
      !known(postings_, size()) || !known(files_of_, files_.size()) ||
      files_of_.size() != targets_.size() || counts_.size() != targets_.size())
    damaged();
  for (uint32_t segment = 0; segment < size(); ++segment)
    if (find(source(segment)) != segment) damaged();
}

std::pair<uint32_t, uint32_t> Memory::translations(uint32_t segment) const {
  if (segment >= choice_ends_.size()) return {0, 0};
  const uint64_t begin = segment == 0 ? 0 : choice_ends_[segment - 1];
  const uint64_t end = choice_ends_[segment];
  if (begin > end || end > targets_.size()) return {0, 0};
  return {static_cast<uint32_t>(begin), static_cast<uint32_t>(end)};
}

std::span<const uint32_t> Memory::word_ids(uint32_t segment) const {
  if (segment >= word_ends_.size()) return {};
  return io::row_until(words_, word_ends_, segment);
}

std::vector<std::string_view> Memory::words(uint32_t segment) const {
  std::vector<std::string_view> found;
  for (const uint32_t id : word_ids(segment)) found.push_back(vocab_.word(id));
  return found;
}

// A segment of similarity s shares at least s * n of the sentence's n words: it has at least one of
// the n - s * n + 1 rarest.  Only the lists of these are read, the shortest ones first.
std::vector<Similar> Memory::similar(std::span<const std::string> words, double least,
                                     size_t most) const {
  std::vector<uint32_t> ids;
  for (const std::string& word : words) ids.push_back(vocab_.find(word));
  const size_t n = ids.size();
  if (n == 0 || most == 0) return {};
  std::vector<std::span<const uint32_t>> lists;
  for (const uint32_t id : ids)
    lists.push_back(id == text::kUnknown ? std::span<const uint32_t>()
                                         : io::row_until(postings_, posting_ends_, id));
  std::stable_sort(lists.begin(), lists.end(),
                   [](const auto& a, const auto& b) { return a.size() < b.size(); });
  const auto shared = static_cast<size_t>(std::ceil(least * static_cast<double>(n) - 1e-9));
  lists.resize(std::min(n, n - std::min(n, shared) + 1));
  std::vector<uint32_t> candidates;
  for (const auto& list : lists) {
    if (candidates.size() + list.size() > kMostPostings) break;
    candidates.insert(candidates.end(), list.begin(), list.end());
  }
  std::sort(candidates.begin(), candidates.end());
  candidates.erase(std::unique(candidates.begin(), candidates.end()), candidates.end());
  std::vector<Similar> found;
  std::vector<uint32_t> row;
  for (const uint32_t segment : candidates) {
    const std::span<const uint32_t> other = word_ids(segment);
    const size_t length = std::max(n, other.size());
    const auto allowed =
        static_cast<uint32_t>(std::floor((1 - least) * static_cast<double>(length) + 1e-9));
    if (length - std::min(n, other.size()) > allowed) continue;
    if (const auto distance = edit_distance(ids, other, allowed, row))
      found.push_back({segment, *distance, static_cast<uint32_t>(length)});
  }
  std::sort(found.begin(), found.end(), [](const Similar& a, const Similar& b) {
    const uint64_t left = uint64_t{a.distance} * b.length, right = uint64_t{b.distance} * a.length;
    return left != right ? left < right : a.segment > b.segment;
  });
  if (found.size() > most) found.resize(most);
  return found;
}

}  // namespace demotic::memory
