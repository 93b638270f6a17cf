#include "grammar/aligned_text.h"

#include <algorithm>
#include <array>
#include <limits>

#include "io/error.h"
#include "io/packed_ints.h"

namespace demotic::grammar {

namespace {

constexpr size_t kSmallFile = size_t{64} << 20;
constexpr size_t kOrientationPairs = 10000;  // whose orientations stand for those of all

// As in the file.
struct Layout {
  uint32_t max_phrase, max_symbols, max_nonterminals, min_hole;
  uint32_t tight, tight_holes, deletions, orientations;
  uint32_t max_targets, min_sentences, min_loose, short_loose;
  uint32_t unaligned, pay_deletions, sample, link_bytes;
  uint32_t source_widths[3], target_widths[3];  // of words, ends, places
  uint64_t orientation_counts[2 * kOrientations];
};

[[noreturn]] void damaged() {
  throw io::Error(io::Fault::corrupt, "damaged aligned text", 0,
                  "copy the file again or rebuild it");
}

uint32_t write_numbers(io::ContainerWriter& out, const std::string& name,
                       std::span<const uint32_t> numbers) {
  io::PackedIntsWriter writer;
  constexpr size_t kPiece = 1 << 16;
  for (size_t at = 0; at < numbers.size(); at += kPiece)
    writer.add(numbers.subspan(at, std::min(kPiece, numbers.size() - at)));
  writer.save(out, name);
  return writer.width();
}

void write_side(io::ContainerWriter& out, const std::string& prefix, const text::TokenLines& lines,
                uint32_t depth, unsigned threads, uint32_t* widths) {
  if (lines.ids.size() + lines.size() >= UINT32_MAX)
    throw io::Error(io::Fault::argument, "more than 2^32 words", 0, "train with rules = table");
  std::vector<uint32_t> words, ends;
  words.reserve(lines.ids.size() + lines.size());
  for (size_t line = 0; line < lines.size(); ++line) {
    const auto sentence = lines[line];
    words.insert(words.end(), sentence.begin(), sentence.end());
    ends.push_back(static_cast<uint32_t>(words.size()));
    words.push_back(text::kEnd);
  }
  widths[0] = write_numbers(out, prefix + ".words", words);
  widths[1] = write_numbers(out, prefix + ".ends", ends);
  ends = {};
  widths[2] = write_numbers(out, prefix + ".places", text::suffix_array(words, depth, threads));
}

// Links in bytes, where all places fit; else in two bytes each.
uint32_t write_links(io::ContainerWriter& out, const align::Links& links) {
  uint32_t most = 0;
  for (const align::Link& link : links.pairs) most = std::max({most, link.source, link.target});
  if (most > UINT16_MAX)
    throw io::Error(io::Fault::argument, "a sentence of more than 65,536 words");
  const uint32_t width = most > UINT8_MAX ? 2 : 1;
  out.begin("links");
  std::vector<uint8_t> bytes;
  const auto put = [&](uint32_t place) {
    bytes.push_back(static_cast<uint8_t>(place));
    if (width == 2) bytes.push_back(static_cast<uint8_t>(place >> 8));
  };
  for (const align::Link& link : links.pairs) {
    put(link.source);
    put(link.target);
    if (bytes.size() < 1 << 16) continue;
    out.write(bytes.data(), bytes.size());
    bytes.clear();
  }
  out.write(bytes.data(), bytes.size());
  out.section<uint64_t>("link.ends", links.ends);
  return 2 * width;
}

}  // namespace

void write_aligned_text(const std::string& path, const text::Vocab& source_vocab,
                        const text::Vocab& target_vocab, const text::TokenLines& source,
                        const text::TokenLines& target, const align::Links& links,
                        const LazyOptions& options, unsigned threads) {
  if (source.size() != target.size() || links.size() != source.size())
    throw io::Error(io::Fault::argument, "links and texts differ in their number of lines");
  Layout layout{};
  const HieroOptions& rules = options.rules;
  layout.max_phrase = rules.max_phrase;
  layout.max_symbols = rules.max_symbols;
  layout.max_nonterminals = rules.max_nonterminals;
  layout.min_hole = rules.min_hole;
  layout.tight = rules.tight;
  layout.tight_holes = rules.tight_holes;
  layout.deletions = rules.deletions;
  layout.orientations = rules.orientations;
  layout.max_targets = options.choice.max_targets;
  layout.min_sentences = options.choice.min_sentences;
  layout.min_loose = options.choice.min_loose;
  layout.short_loose = options.choice.short_loose;
  layout.unaligned = options.extras.unaligned;
  layout.pay_deletions = options.extras.pay_deletions;
  layout.sample = options.sample;
  if (rules.orientations) {
    HieroExtractor extract(rules);
    for (size_t line = 0; line < std::min(source.size(), kOrientationPairs); ++line)
      extract(source[line], target[line], links[line], [&](const ExtractedRule& rule) {
        if (rule.orientation == 0) return;
        ++layout.orientation_counts[(rule.orientation - 1u) / kOrientations];
        ++layout.orientation_counts[kOrientations + (rule.orientation - 1u) % kOrientations];
      });
  }
  io::ContainerWriter out(path, "aligned-text", AlignedText::kVersion);
  source_vocab.save(out, "source.vocab");
  target_vocab.save(out, "target.vocab");
  write_side(out, "source", source, rules.max_phrase, threads, layout.source_widths);
  write_side(out, "target", target, rules.max_phrase, threads, layout.target_widths);
  layout.link_bytes = write_links(out, links);
  out.section<Layout>("layout", std::span(&layout, 1));
  out.finish();
}

AlignedText::Side::Side(const io::Container& file, const std::string& prefix,
                        std::span<const uint32_t> widths)
    : vocab(file, prefix + ".vocab"),
      words(file.section<std::byte>(prefix + ".words"), widths[0], 0),
      ends(file.section<std::byte>(prefix + ".ends"), widths[1], 0),
      array(words, {file.section<std::byte>(prefix + ".places"), widths[2], 0}) {}

AlignedText::AlignedText(const std::string& path, std::optional<bool> verify)
    : file_(std::make_shared<io::Container>(path, "aligned-text", kVersion)) {
  const bool thorough = verify.value_or(file_->file_size() <= kSmallFile);
  if (thorough) file_->verify();
  const auto layouts = file_->section<Layout>("layout");
  if (layouts.size() != 1) damaged();
  const Layout& layout = layouts[0];
  options_.rules = {layout.max_phrase,     layout.max_symbols,      layout.max_nonterminals,
                    layout.min_hole,       layout.tight != 0,       layout.tight_holes != 0,
                    layout.deletions != 0, layout.orientations != 0};
  options_.choice.max_targets = layout.max_targets;
  options_.choice.min_sentences = layout.min_sentences;
  options_.choice.min_loose = layout.min_loose;
  options_.choice.short_loose = layout.short_loose;
  options_.extras = {layout.unaligned != 0, layout.orientations != 0, layout.pay_deletions != 0};
  options_.sample = layout.sample;
  [[maybe_unused]] const HieroExtractor sound(options_.rules);  // complains if need be
  std::copy_n(layout.orientation_counts, orientations_.size(), orientations_.begin());
  source_ = Side(*file_, "source", layout.source_widths);
  target_ = Side(*file_, "target", layout.target_widths);
  links_ = file_->section<uint8_t>("links");
  link_bytes_ = layout.link_bytes;
  link_ends_ = file_->section<uint64_t>("link.ends");
  if (size() == 0 || target_.ends.size() != size() || link_ends_.size() != size() ||
      (link_bytes_ != 2 && link_bytes_ != 4))
    damaged();
  if (!thorough) return;
  const auto fits = [](const Side& side) { return side.vocab.is_sound() && side.is_sound(); };
  if (!fits(source_) || !fits(target_) || !io::ends_fit(link_ends_, links_.size() / link_bytes_))
    damaged();
  AlignedPair pair;
  for (size_t line = 0; line < size(); ++line) read(line, pair);
}

bool AlignedText::Side::is_sound() const {
  uint32_t begin = 0;
  for (size_t line = 0; line < ends.size(); ++line) {
    if (ends[line] < begin || ends[line] >= words.size()) return false;
    begin = ends[line] + 1;
  }
  if (begin != words.size()) return false;
  const text::SuffixArray::Range all = array.all();
  for (uint64_t number = all.begin; number < all.end; ++number)
    if (array.place(number) >= words.size()) return false;
  return true;
}

size_t AlignedText::line_of(uint32_t place) const {
  size_t begin = 0;
  for (size_t count = size(); count > 0;) {
    const size_t half = count / 2;
    if (source_.ends[begin + half] < place) {
      begin += half + 1;
      count -= half + 1;
    } else {
      count = half;
    }
  }
  return std::min(begin, size() - 1);
}

void AlignedText::Side::read(size_t line, std::vector<uint32_t>& out) const {
  out.clear();
  const uint32_t begin = begin_of(line), end = ends[line];
  if (begin > end || end > words.size()) damaged();
  for (const uint32_t word : words.row(begin, end)) out.push_back(word);
}

void AlignedText::read(size_t line, AlignedPair& out) const {
  source_.read(line, out.source);
  target_.read(line, out.target);
  out.links.clear();
  const uint64_t begin = line == 0 ? 0 : link_ends_[line - 1], end = link_ends_[line];
  if (begin > end || end > links_.size() / link_bytes_) damaged();
  for (uint64_t link = begin; link < end; ++link) {
    const uint8_t* at = links_.data() + link * link_bytes_;
    const align::Link read =
        link_bytes_ == 2 ? align::Link{at[0], at[1]}
                         : align::Link{at[0] | uint32_t{at[1]} << 8, at[2] | uint32_t{at[3]} << 8};
    if (read.source >= out.source.size() || read.target >= out.target.size()) damaged();
    out.links.push_back(read);
  }
  if (!std::is_sorted(out.links.begin(), out.links.end())) damaged();
}

}  // namespace demotic::grammar
