#include "grammar/block_match.h"

#include <algorithm>

namespace demotic::grammar {

BlockMatcher::BlockMatcher(const BlockTable& table)
    : table_(table), first_at_(table.target_vocab().size(), 0) {}

std::span<const BlockOccurrence> BlockMatcher::operator()(std::span<const uint32_t> source,
                                                          std::span<const uint32_t> target) {
  found_.clear();
  const auto source_size = static_cast<uint32_t>(source.size());
  const auto target_size = static_cast<uint32_t>(target.size());
  next_at_.assign(target_size, 0);
  for (uint32_t i = target_size; i-- > 0;) {
    next_at_[i] = first_at_[target[i]];
    first_at_[target[i]] = i + 1;
  }
  for (uint32_t begin = 0; begin < source_size; ++begin) {
    const uint32_t limit = begin + std::min(source_size - begin, table_.totals().max_words);
    for (uint32_t end = begin + 1; end <= limit; ++end) {
      const uint32_t phrase = table_.find(source.subspan(begin, end - begin));
      if (phrase == kNoPhrase) continue;
      for (const uint32_t block : table_.blocks_of(phrase)) {
        const std::span<const uint32_t> words = table_.target(block);
        if (words.empty() || words[0] >= first_at_.size()) continue;
        for (uint32_t at = first_at_[words[0]]; at != 0; at = next_at_[at - 1]) {
          const uint32_t first = at - 1;
          if (first + words.size() <= target_size &&
              std::equal(words.begin() + 1, words.end(), target.begin() + first + 1))
            found_.push_back(
                {block, phrase, begin, end, first, first + static_cast<uint32_t>(words.size())});
        }
      }
    }
  }
  for (const uint32_t word : target) first_at_[word] = 0;
  sort();
  return found_;
}

std::span<const BlockOccurrence> BlockMatcher::operator()(std::span<const uint32_t> source,
                                                          std::span<const uint32_t> target,
                                                          std::span<const BlockPlace> places) {
  found_.clear();
  for (const BlockPlace& p : places) {
    const uint32_t phrase =
        table_.find(source.subspan(p.source_begin, p.source_end - p.source_begin));
    if (phrase == kNoPhrase) continue;
    const uint32_t block =
        table_.find(phrase, target.subspan(p.target_begin, p.target_end - p.target_begin));
    if (block != kNoBlock)
      found_.push_back({block, phrase, p.source_begin, p.source_end, p.target_begin, p.target_end});
  }
  sort();
  return found_;
}

void BlockMatcher::sort() {
  std::sort(found_.begin(), found_.end(), [](const BlockOccurrence& a, const BlockOccurrence& b) {
    if (a.target_begin != b.target_begin) return a.target_begin < b.target_begin;
    if (a.source_begin != b.source_begin) return a.source_begin < b.source_begin;
    if (a.source_end != b.source_end) return a.source_end < b.source_end;
    return a.block < b.block;
  });
}

void OrientationEvents::find(std::span<const BlockOccurrence> occurrences, uint32_t target_size,
                             Boundary boundary) {
  groups.clear();
  successors.clear();
  neutral.clear();
  const auto count = static_cast<uint32_t>(occurrences.size());
  first_.assign(target_size + size_t{2}, count);
  for (uint32_t i = count; i-- > 0;) first_[occurrences[i].target_begin] = i;
  for (uint32_t i = target_size + 1; i-- > 0;) first_[i] = std::min(first_[i], first_[i + 1]);
  follows_.assign(count, 0);

  // The successors of a block that ends at (source_end, target_end) and begins at source_begin.
  const auto follow = [&](uint32_t predecessor, uint32_t source_begin, uint32_t source_end,
                          uint32_t target_end) {
    const auto begin = static_cast<uint32_t>(successors.size());
    for (uint32_t i = first_[target_end]; i < first_[target_end + 1]; ++i) {
      if (occurrences[i].source_begin == source_end)
        successors.push_back({i, BlockOrientation::right});
      else if (occurrences[i].source_end == source_begin)
        successors.push_back({i, BlockOrientation::left});
      else
        continue;
      follows_[i] = 1;
    }
    const auto end = static_cast<uint32_t>(successors.size());
    if (end > begin) groups.push_back({predecessor, begin, end});
  };
  if (boundary == Boundary::start) follow(kBeginBlock, 0, 0, 0);
  for (uint32_t i = 0; i < count; ++i) {
    const BlockOccurrence& o = occurrences[i];
    follow(i, o.source_begin, o.source_end, o.target_end);
  }
  for (uint32_t i = 0; i < count; ++i)
    if (!follows_[i]) neutral.push_back(i);
}

}  // namespace demotic::grammar
