#include "memory/memory_builder.h"

#include <algorithm>
#include <bit>
#include <numeric>
#include <tuple>

#include "io/container.h"
#include "memory/memory.h"
#include "text/token_lines.h"

namespace demotic::memory {

uint32_t MemoryBuilder::segment_of(const Entry& entry) {
  const auto next = static_cast<uint32_t>(sources_.size());
  const uint32_t segment =
      segments_.find_or_add(text::hash_word(entry.source), next,
                            [&](uint32_t other) { return sources_[other] == entry.source; });
  if (segment != next) return segment;
  sources_.add(entry.source);
  if (!entry.masked.empty()) masked_.add(text::hash_word(entry.masked), segment);
  if (!entry.folded.empty()) folded_.add(text::hash_word(entry.folded), segment);
  text::for_each_token(entry.words,
                       [&](std::string_view word) { words_.push_back(vocab_.add(word)); });
  word_ends_.push_back(words_.size());
  return segment;
}

void MemoryBuilder::add(const Entry& entry) {
  const uint32_t segment = segment_of(entry);
  const auto next = static_cast<uint32_t>(seen_.size());
  const uint64_t hash = io::mix64(text::hash_word(entry.target) ^ (uint64_t{segment} << 32));
  const uint32_t number = pairs_.find_or_add(hash, next, [&](uint32_t other) {
    return seen_[other].segment == segment && targets_[other] == entry.target;
  });
  if (number == next) {
    targets_.add(entry.target);
    units_.add(entry.unit);
    tokens_.add(entry.tokens);
    links_.add(entry.links);
    seen_.push_back({segment, 0, 0, files_.add(entry.file)});
  }
  ++seen_[number].count;
  seen_[number].last = rows_++;
}

void MemoryBuilder::save(const std::string& path) {
  std::vector<uint32_t> order(seen_.size());
  std::iota(order.begin(), order.end(), 0u);
  const auto rank = [&](uint32_t i) {
    const Seen& seen = seen_[i];
    return std::tuple(seen.segment, ~seen.count, ~seen.last);
  };
  std::sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) { return rank(a) < rank(b); });

  io::ContainerWriter out(path, kKind, kVersion);
  sources_.save(out, "source");
  targets_.save(out, "target", order);
  units_.save(out, "unit", order);
  tokens_.save(out, "tokens", order);
  links_.save(out, "links", order);
  TextsBuilder files;
  for (uint32_t i = 0; i < files_.size(); ++i) files.add(files_.word(i));
  files.save(out, "file");

  std::vector<uint32_t> counts, of_file;
  std::vector<uint64_t> choices(sources_.size(), 0);
  for (const uint32_t i : order) {
    counts.push_back(seen_[i].count);
    of_file.push_back(seen_[i].file);
    choices[seen_[i].segment] = counts.size();
  }
  out.section<uint32_t>("counts", counts);
  out.section<uint32_t>("files", of_file);
  out.section<uint64_t>("choices", choices);

  const size_t segments = sources_.size();
  std::vector<uint32_t> slots(segments == 0 ? 0 : std::bit_ceil(2 * segments), 0);
  for (uint32_t i = 0; i < segments; ++i) put_number(slots, text::hash_word(sources_[i]), i);
  out.section<uint32_t>("slots", slots);
  masked_.save(out, "masked");
  folded_.save(out, "folded");

  vocab_.save(out);
  out.section<uint32_t>("words", words_);
  out.section<uint64_t>("words.ends", word_ends_);
  // The segments that each word stands in, each once.
  std::vector<uint64_t> ends(vocab_.size() + 1, 0);
  std::vector<uint32_t> last(vocab_.size(), UINT32_MAX);
  const auto each_word = [&](auto&& use) {
    std::fill(last.begin(), last.end(), UINT32_MAX);
    uint64_t at = 0;
    for (uint32_t segment = 0; segment < segments; ++segment)
      for (; at < word_ends_[segment]; ++at)
        if (std::exchange(last[words_[at]], segment) != segment) use(words_[at], segment);
  };
  each_word([&](uint32_t word, uint32_t) { ++ends[word + 1]; });
  std::partial_sum(ends.begin(), ends.end(), ends.begin());
  std::vector<uint32_t> postings(ends.back());
  // Each word's place moves from its beginning to its end, which is where the next one began.
  each_word([&](uint32_t word, uint32_t segment) { postings[ends[word]++] = segment; });
  ends.pop_back();
  out.section<uint32_t>("postings", postings);
  out.section<uint64_t>("postings.ends", ends);
  out.finish();
}

}  // namespace demotic::memory
