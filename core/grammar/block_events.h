// From aligned text to orientation counts and to the events that the local model learns from.
//
//   BlockText text{source, target, links, &all_links};
//   BlockEventCounter counter(table, options, folder, memory);
//   counter.run(text, begin, end, threads);                  some thousand pairs at a time
//   counter.left(), counter.right()                          N_L and N_R by block
//   counter.frequent_pairs(threshold)                        keys of pairs met more often than that
//   BlockEventBuilder builder(costs, pairs, options, folder, memory);
//   builder.run(text, begin, end, threads);
//   EventGroups next = builder.successors();                 L/R events: five features and pairs
//   EventGroups alone = builder.neutral();                   N events: (a), (c), (d), (e)
//
// Word ids are those of the table (BlockTable::source_vocab).  Pairs longer than `longest` words on
// a side are skipped and counted.  Results do not depend on the number of threads.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "align/links.h"
#include "counters.h"
#include "events/event_writer.h"
#include "grammar/block_candidates.h"
#include "grammar/block_costs.h"
#include "grammar/block_match.h"
#include "grammar/block_pairs.h"
#include "grammar/pair_counter.h"
#include "text/token_lines.h"

namespace demotic::grammar {

inline constexpr uint32_t kBlockFeatures = 5;    // a, b, c, d, e
inline constexpr uint32_t kNeutralFeatures = 4;  // a, c, d, e

enum class PairCounts : uint8_t { none, observed, candidates };

struct BlockEventOptions {
  bool aligned = false;     // only where the links give a block, else wherever its words are
  bool projection = false;  // how they give one (block_extract.h)
  Boundary boundary = Boundary::start;
  CandidateOptions candidates = {};
  PairCounts count_pairs = PairCounts::observed;
  uint32_t longest = 200;
};

struct BlockText {
  const text::TokenLines& source;
  const text::TokenLines& target;
  const align::Links& links;
  const align::Links& all;  // of the union, for projection; else anything
};

struct BlockEventCounts {
  uint64_t pairs = 0;                         // sentence pairs looked at
  uint64_t skipped = 0;                       // too long
  uint64_t occurrences = 0;                   // of blocks
  uint64_t left = 0, right = 0, neutral = 0;  // events
  uint64_t groups = 0;                        // of successors
  uint64_t candidates = 0;                    // of these groups
  uint64_t rare = 0;  // L/R events whose block is not among its most frequent alternatives

  static constexpr auto kFields =
      std::tuple{CounterField{"pairs", &BlockEventCounts::pairs},
                 CounterField{"skipped", &BlockEventCounts::skipped},
                 CounterField{"occurrences", &BlockEventCounts::occurrences},
                 CounterField{"left", &BlockEventCounts::left},
                 CounterField{"right", &BlockEventCounts::right},
                 CounterField{"neutral", &BlockEventCounts::neutral},
                 CounterField{"groups", &BlockEventCounts::groups},
                 CounterField{"candidates", &BlockEventCounts::candidates},
                 CounterField{"rare", &BlockEventCounts::rare}};
};

// One sentence pair after the other.
class BlockPairReader {
 public:
  BlockPairReader(const BlockTable& table, const BlockEventOptions& options)
      : options_(options), match_(table), extract_(table.totals().max_words) {}

  // False: too long.  Of the occurrences only those of blocks with a mark in `allowed` count, if it
  // is not empty.
  bool read(const BlockText& text, size_t line, std::span<const uint8_t> allowed = {});

  std::span<const BlockOccurrence> occurrences;
  OrientationEvents events;

 private:
  BlockEventOptions options_;
  std::vector<BlockOccurrence> kept_;
  BlockMatcher match_;
  BlockExtractor extract_;
};

class BlockEventCounter {
 public:
  // What does not fit into `memory` bytes of pairs goes to a temporary file in `folder`.
  BlockEventCounter(const BlockTable& table, const BlockEventOptions& options,
                    const std::string& folder, uint64_t memory);

  void run(const BlockText& text, size_t begin, size_t end, unsigned threads);
  std::vector<uint32_t> left() const;
  std::vector<uint32_t> right() const;
  std::vector<uint64_t> frequent_pairs(uint32_t threshold);  // and forgets all pairs
  BlockEventCounts counts() const;

 private:
  struct Worker {
    BlockPairReader reader;
    BlockCandidates candidates;
    std::vector<uint32_t> left, right;
    std::vector<uint64_t> keys;
    BlockEventCounts counts;
  };
  void count(const BlockText& text, size_t line, Worker& worker) const;

  const BlockTable& table_;
  BlockEventOptions options_;
  std::vector<Worker> workers_;
  PairCounter pairs_;
};

class BlockEventBuilder {
 public:
  // With several costs, line i of the text is priced by costs[i % costs.size()]: its language model
  // need not have seen the line.  `memory` bytes are for each array; what is larger goes to a file
  // in `folder`.
  BlockEventBuilder(std::span<const BlockCosts> costs, const BlockPairs& pairs,
                    const BlockEventOptions& options, const std::string& folder, size_t memory);

  // Make events of some blocks alone: a mark for each block.
  void allow(std::vector<uint8_t> marks) { allowed_ = std::move(marks); }

  // `begin` is a multiple of kWindow, and `end`, too, unless the text ends there.
  static constexpr size_t kWindow = 2048;  // sentence pairs whose groups are mixed
  void run(const BlockText& text, size_t begin, size_t end, unsigned threads);
  events::EventGroups successors() { return successors_.finish(); }
  events::EventGroups neutral() { return neutral_.finish(); }

 private:
  struct Worker;
  using Piece = events::EventWriter::Piece;
  void build(const BlockText& text, size_t line, Worker& worker, Piece& successors,
             Piece& neutral) const;

  std::span<const BlockCosts> costs_;
  const BlockPairs& pairs_;
  BlockEventOptions options_;
  std::vector<uint8_t> allowed_;
  events::EventWriter successors_, neutral_;
};

}  // namespace demotic::grammar
