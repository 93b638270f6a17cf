// The part of block_table.h that makes a smaller table for the sentences at hand.
#include "grammar/block_set.h"
#include "grammar/block_table.h"
#include "text/token_lines.h"

namespace demotic::grammar {

namespace {

template <class T>
void choose(io::Array<T>& values, std::span<const uint32_t> numbers) {
  std::vector<T> chosen;
  for (const uint32_t number : numbers) chosen.push_back(values[number]);
  values = io::Array<T>(std::move(chosen));
}

void choose_rows(io::Array<uint32_t>& values, io::Array<uint64_t>& ends,
                 std::span<const uint32_t> numbers) {
  std::vector<uint32_t> chosen;
  std::vector<uint64_t> chosen_ends;
  for (const uint32_t number : numbers) {
    const std::span<const uint32_t> row = io::row_until(values.view(), ends, number);
    chosen.insert(chosen.end(), row.begin(), row.end());
    chosen_ends.push_back(chosen.size());
  }
  values = io::Array<uint32_t>(std::move(chosen));
  ends = io::Array<uint64_t>(std::move(chosen_ends));
}

}  // namespace

BlockTable BlockTable::filtered(std::span<const std::string> sentences,
                                std::vector<uint32_t>& kept) const {
  std::vector<char> matched(phrases(), 0);
  text::TokenLines lines;
  for (const std::string& sentence : sentences) encode(sentence, source_vocab(), lines);
  for (size_t i = 0; i < lines.size(); ++i) {
    const std::span<const uint32_t> words = lines[i];
    for (size_t begin = 0; begin < words.size(); ++begin)
      for (size_t size = 1; size <= totals().max_words && begin + size <= words.size(); ++size)
        if (const uint32_t p = find(words.subspan(begin, size)); p != kNoPhrase) matched[p] = 1;
  }
  kept.clear();
  std::vector<uint32_t> phrases_kept, block_ends;
  for (uint32_t p = 0; p < phrases(); ++p) {
    if (!matched[p]) continue;
    phrases_kept.push_back(p);
    for (const uint32_t b : blocks_of(p)) kept.push_back(b);
    block_ends.push_back(static_cast<uint32_t>(kept.size()));
  }
  Parts parts = parts_;  // with the totals of the whole table, so that no probability changes
  choose_rows(parts.phrase_words, parts.phrase_ends, phrases_kept);
  choose_rows(parts.target_words, parts.target_ends, kept);
  choose_rows(parts.origins, parts.origin_ends, kept);
  for (io::Array<uint32_t>* counts : {&parts.count, &parts.left, &parts.right})
    choose(*counts, kept);
  choose(parts.lexical, kept);
  parts.block_ends = io::Array<uint32_t>(std::move(block_ends));
  parts.phrase_slots = io::Array<uint32_t>(phrase_slots(parts));
  parts.totals.fingerprint = fingerprint(parts);
  return BlockTable(std::move(parts));
}

}  // namespace demotic::grammar
