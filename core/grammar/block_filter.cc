// The part of block_set.h that makes a smaller table for the sentences at hand: it needs the
// matcher, which the set itself does not.
#include <algorithm>

#include "grammar/block_set.h"
#include "grammar/block_table.h"
#include "text/token_lines.h"

namespace demotic::grammar {

BlockTable filter_blocks(const BlockTable& table, std::span<const std::string> sentences,
                         std::vector<uint32_t>& kept) {
  std::vector<char> matched(table.phrases(), 0);
  text::TokenLines lines;
  for (const std::string& sentence : sentences) encode(sentence, table.source_vocab(), lines);
  for (size_t i = 0; i < lines.size(); ++i) {
    const std::span<const uint32_t> words = lines[i];
    for (size_t begin = 0; begin < words.size(); ++begin)
      for (size_t size = 1; size <= table.totals().max_words && begin + size <= words.size();
           ++size)
        if (const uint32_t p = table.find(words.subspan(begin, size)); p != kNoPhrase)
          matched[p] = 1;
  }
  kept.clear();
  std::vector<uint32_t> phrase_words, block_ends, target_words, count, left, right, origins;
  std::vector<uint64_t> phrase_ends, target_ends, origin_ends;
  std::vector<float> lexical;
  const auto append = [](auto& to, const auto& from) {
    to.insert(to.end(), from.begin(), from.end());
  };
  for (uint32_t p = 0; p < table.phrases(); ++p) {
    if (!matched[p]) continue;
    append(phrase_words, table.source(p));
    phrase_ends.push_back(phrase_words.size());
    for (const uint32_t b : table.blocks_of(p)) {
      kept.push_back(b);
      append(target_words, table.target(b));
      target_ends.push_back(target_words.size());
      append(origins, table.origins(b));
      origin_ends.push_back(origins.size());
      count.push_back(table.count(b));
      left.push_back(table.left(b));
      right.push_back(table.right(b));
      lexical.push_back(table.lexical(b));
    }
    block_ends.push_back(static_cast<uint32_t>(count.size()));
  }
  // Totals stay those of the whole table, so that no probability changes.
  const auto whole = std::make_shared<BlockTable>(table);
  BlockTable::Parts parts{.source_vocab = table.source_vocab(),
                          .target_vocab = table.target_vocab(),
                          .vocab_owner = whole,
                          .phrase_words = io::Array<uint32_t>(std::move(phrase_words)),
                          .phrase_ends = io::Array<uint64_t>(std::move(phrase_ends)),
                          .block_ends = io::Array<uint32_t>(std::move(block_ends)),
                          .phrase_slots = {},
                          .target_words = io::Array<uint32_t>(std::move(target_words)),
                          .target_ends = io::Array<uint64_t>(std::move(target_ends)),
                          .count = io::Array<uint32_t>(std::move(count)),
                          .left = io::Array<uint32_t>(std::move(left)),
                          .right = io::Array<uint32_t>(std::move(right)),
                          .lexical = io::Array<float>(std::move(lexical)),
                          .origins = io::Array<uint32_t>(std::move(origins)),
                          .origin_ends = io::Array<uint64_t>(std::move(origin_ends)),
                          .totals = table.totals()};
  parts.phrase_slots = io::Array<uint32_t>(phrase_slots(parts));
  parts.totals.fingerprint = fingerprint(parts);
  return BlockTable(std::move(parts));
}

}  // namespace demotic::grammar
