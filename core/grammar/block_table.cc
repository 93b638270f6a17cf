#include "grammar/block_table.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <string_view>

#include "hash_index.h"
#include "text/token_lines.h"

namespace demotic::grammar {

namespace {

void require(bool holds) {
  if (!holds)
    throw io::Error(io::Fault::corrupt, "damaged block table", 0,
                    "copy the file again or rebuild it");
}

template <class T>
io::Array<T> mapped(const std::shared_ptr<const io::Container>& file, std::string_view section) {
  return io::Array<T>(file->section<T>(section), file);
}

}  // namespace

BlockTable::BlockTable(Parts parts) : parts_(std::move(parts)) {
  const size_t n = parts_.count.size();
  require(n < kBeginBlock && parts_.target_ends.size() == n && parts_.left.size() == n &&
          parts_.right.size() == n && parts_.lexical.size() == n && parts_.origin_ends.size() == n);
  require(parts_.block_ends.size() == parts_.phrase_ends.size());
  require(std::has_single_bit(parts_.phrase_slots.size()));
  // Borders of blocks index every other array: they alone are always checked.
  require(io::ends_fit(parts_.block_ends.view(), n));
  require(parts_.totals.max_words <= kMostWords);
}

BlockTable BlockTable::open(const std::string& path, std::optional<bool> verify) {
  const auto file = std::make_shared<const io::Container>(path, "blocks", kVersion);
  const bool check = verify.value_or(file->file_size() <= kSmallFile);
  if (check) file->verify();
  const std::span<const BlockTotals> totals = file->section<BlockTotals>("totals");
  require(totals.size() == 1);
  BlockTable table({.source_vocab = text::VocabView(*file, "source.vocab"),
                    .target_vocab = text::VocabView(*file, "target.vocab"),
                    .vocab_owner = file,
                    .phrase_words = mapped<uint32_t>(file, "phrase.words"),
                    .phrase_ends = mapped<uint64_t>(file, "phrase.ends"),
                    .block_ends = mapped<uint32_t>(file, "block.ends"),
                    .phrase_slots = mapped<uint32_t>(file, "phrase.slots"),
                    .target_words = mapped<uint32_t>(file, "target.words"),
                    .target_ends = mapped<uint64_t>(file, "target.ends"),
                    .count = mapped<uint32_t>(file, "count"),
                    .left = mapped<uint32_t>(file, "left"),
                    .right = mapped<uint32_t>(file, "right"),
                    .lexical = mapped<float>(file, "lexical"),
                    .origins = mapped<uint32_t>(file, "origins"),
                    .origin_ends = mapped<uint64_t>(file, "origin.ends"),
                    .totals = totals[0]});
  if (check) table.check_blocks();
  return table;
}

// What a checksum cannot know: that whoever wrote the file wrote a block table.
void BlockTable::check_blocks() const {
  const Parts& p = parts_;
  require(p.source_vocab.is_sound() && p.target_vocab.is_sound());
  require(io::ends_fit(p.phrase_ends.view(), p.phrase_words.size()) &&
          io::ends_fit(p.target_ends.view(), p.target_words.size()) &&
          io::ends_fit(p.origin_ends.view(), p.origins.size()));
  for (const uint32_t word : p.phrase_words) require(word < p.source_vocab.size());
  for (const uint32_t word : p.target_words) require(word < p.target_vocab.size());
  for (const uint32_t slot : p.phrase_slots) require(slot <= phrases());
  for (const float cost : p.lexical) require(std::isfinite(cost));
  const auto fits = [&](std::span<const uint32_t> words) {
    return !words.empty() && words.size() <= p.totals.max_words;
  };
  for (uint32_t b = 0; b < blocks(); ++b) require(fits(target(b)) && count(b) > 0);
  for (uint32_t phrase = 0; phrase < phrases(); ++phrase)
    require(fits(source(phrase)) && first_block(phrase) < last_block(phrase));
}

void BlockTable::save(const std::string& path) const {
  io::ContainerWriter out(path, "blocks", kVersion);
  parts_.source_vocab.save(out, "source.vocab");
  parts_.target_vocab.save(out, "target.vocab");
  out.section<uint32_t>("phrase.words", parts_.phrase_words);
  out.section<uint64_t>("phrase.ends", parts_.phrase_ends);
  out.section<uint32_t>("block.ends", parts_.block_ends);
  out.section<uint32_t>("phrase.slots", parts_.phrase_slots);
  out.section<uint32_t>("target.words", parts_.target_words);
  out.section<uint64_t>("target.ends", parts_.target_ends);
  out.section<uint32_t>("count", parts_.count);
  out.section<uint32_t>("left", parts_.left);
  out.section<uint32_t>("right", parts_.right);
  out.section<float>("lexical", parts_.lexical);
  out.section<uint32_t>("origins", parts_.origins);
  out.section<uint64_t>("origin.ends", parts_.origin_ends);
  out.section<BlockTotals>("totals", std::span(&parts_.totals, 1));
  out.finish();
}

BlockTable BlockTable::with_orientation(std::vector<uint32_t> left,
                                        std::vector<uint32_t> right) const {
  Parts parts = parts_;
  parts.totals.left = parts.totals.right = 0;
  for (const uint32_t n : left) parts.totals.left += n;
  for (const uint32_t n : right) parts.totals.right += n;
  parts.left = io::Array<uint32_t>(std::move(left));
  parts.right = io::Array<uint32_t>(std::move(right));
  return BlockTable(std::move(parts));
}

uint32_t BlockTable::find(std::span<const uint32_t> words) const {
  if (std::ranges::find(words, text::kUnknown) != words.end()) return kNoPhrase;
  static_assert(kNoPhrase == HashIndex::kNone);
  return find_number(parts_.phrase_slots, hash_of_phrase(words), phrases(),
                     [&](uint32_t phrase) { return std::ranges::equal(source(phrase), words); });
}

uint32_t BlockTable::find(uint32_t phrase, std::span<const uint32_t> words) const {
  for (const uint32_t block : blocks_of(phrase))
    if (std::ranges::equal(target(block), words)) return block;
  return kNoBlock;
}

uint32_t BlockTable::phrase_of(uint32_t block) const {
  const auto at = std::upper_bound(parts_.block_ends.begin(), parts_.block_ends.end(), block);
  return static_cast<uint32_t>(at - parts_.block_ends.begin());
}

}  // namespace demotic::grammar
