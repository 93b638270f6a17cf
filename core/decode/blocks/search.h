// Search with blocks, from left to right on the target side (Tillmann and Zhang 2005; Tillmann
// 2004): a block takes the next source words, or skips the piece of exactly one block, which must
// be filled by the next.  Neither a block nor two that swap may cover what the sentence's limits
// forbid.
//
//   BlockSearch search(model);                one for each thread
//   search.run(tokens);
//   search.best()                             its last node; or no_node() if there are no words
//   search.node(v), search.arc(a)             what was considered: all arcs, recombined ones too
//
// A node is (source words covered up to m, the hole [m, k) and the block on [k, n) behind it, or
// whether the last block ends at m; the last block, where a pair may begin with it; the language
// model's state).  Nodes of as many covered words compete: the `beam` best within `delta` go on,
// by score and future cost.  Without limits, the search is exact.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "counters.h"
#include "decode/blocks/model.h"
#include "decode/zones.h"
#include "hash_index.h"

namespace demotic::decode::blocks {

struct BlockNode {
  uint32_t covered;   // source words 0 ... covered - 1 are translated
  uint32_t hole_end;  // the hole is [covered, hole_end); equal: there is none
  uint32_t end;   // translated words end here: `covered`, or where the block behind the hole ends
  uint32_t last;  // block, as far as it matters
  bool adjacent;  // the last block ends at `covered`
  uint32_t lm;    // state
  uint32_t first_arc;  // a list
  double score;        // of the best arc
  double future;       // what is left can add this much, about

  uint32_t words() const { return covered + (end > hole_end ? end - hole_end : 0); }
  bool open() const { return hole_end > covered; }
};

struct BlockArc {
  uint32_t tail;  // node
  uint32_t option;
  uint32_t next;  // of the same head
  uint32_t pair;  // or kNoPair
  grammar::BlockOrientation orientation;
  grammar::LmCosts lm;
  double log_z;
  double score;  // added
};

struct BlockSearchCounters {
  uint64_t options = 0;
  uint64_t nodes = 0;
  uint64_t arcs = 0;
  uint64_t expanded = 0;
  uint64_t lm_blocks = 0;  // blocks that the language model has scored
  uint64_t narrowed = 0;   // sentences so long that the beam had to be narrower

  static constexpr auto kFields =
      std::tuple{CounterField{"options", &BlockSearchCounters::options},
                 CounterField{"nodes", &BlockSearchCounters::nodes},
                 CounterField{"arcs", &BlockSearchCounters::arcs},
                 CounterField{"expanded", &BlockSearchCounters::expanded},
                 CounterField{"lm_blocks", &BlockSearchCounters::lm_blocks},
                 CounterField{"narrowed", &BlockSearchCounters::narrowed}};
};

class BlockSearch {
 public:
  static constexpr uint32_t kNone = UINT32_MAX;

  explicit BlockSearch(const BlockModel& model) : model_(model) {}

  // `all`: keep arcs that lost against a better one to the same node.
  void run(const Tokens& tokens, bool all);

  const BlockModel& model() const { return model_; }
  uint32_t words() const { return words_; }
  uint32_t nodes() const { return static_cast<uint32_t>(nodes_.size()); }
  const BlockNode& node(uint32_t v) const { return nodes_[v]; }
  const BlockArc& arc(uint32_t a) const { return arcs_[a]; }
  uint32_t arcs() const { return static_cast<uint32_t>(arcs_.size()); }
  const BlockOption& option(uint32_t o) const { return options_[o]; }
  // The nodes of so many covered words that survived; arcs come from stacks of fewer words.
  std::span<const uint32_t> stack(uint32_t covered) const { return stacks_[covered]; }
  std::span<const uint32_t> complete() const { return stacks_[words_]; }
  double end_cost(uint32_t v) const;  // -ln of </s>
  uint32_t best() const;              // node, with the end
  uint32_t best_arc(uint32_t v) const;
  const BlockSearchCounters& counters() const { return counters_; }

 private:
  struct Span {
    uint32_t first = 0, end = 0;  // options
    bool may_go_left = false;
    double best = 0;  // estimate
  };
  struct Scored {
    uint64_t key;  // state and option
    grammar::LmCosts costs;
    uint32_t lm;
  };

  void find_options(const Tokens& tokens);
  void estimate_future();
  double estimate(const BlockOption& option) const;
  const Span& span(uint32_t begin, uint32_t end) const {
    return spans_[size_t{begin} * max_words_ + (end - begin - 1)];
  }
  uint32_t limit(uint32_t begin) const { return begin + std::min(words_ - begin, max_words_); }
  void prune(std::vector<uint32_t>& stack);
  void expand(uint32_t v);
  void take(uint32_t v, const Span& span, grammar::BlockOrientation o, bool left_rule,
            BlockNode head);
  void add(BlockNode head, BlockArc arc);
  Scored lm(uint32_t state, uint32_t option);
  uint32_t intern(const lm::State& state);
  double future(uint32_t covered, uint32_t hole_end, uint32_t end) const;

  const BlockModel& model_;
  BlockSearchCounters counters_;
  const ReorderingLimits* limits_ = nullptr;
  bool all_ = false;
  uint32_t words_ = 0;
  uint32_t max_words_ = 0;
  uint64_t beam_ = 0;
  std::vector<uint32_t> passed_;  // the language model's ids of the source words
  std::vector<BlockOption> options_;
  std::vector<Span> spans_;            // by begin and length
  std::vector<double> piece_future_;   // of [begin, begin + length)
  std::vector<double> suffix_future_;  // of [begin, end of the sentence)
  std::vector<BlockNode> nodes_;
  std::vector<BlockArc> arcs_;
  HashIndex node_index_;
  std::vector<std::vector<uint32_t>> stacks_;
  std::vector<std::vector<double>> bars_;  // by stack: a heap of its `beam` best, the worst on top
  std::vector<lm::State> states_;
  HashIndex state_index_;
  std::vector<Scored> scored_;
  HashIndex scored_index_;                          // by state and option
  std::vector<std::pair<uint32_t, Scored>> taken_;  // scratch: options of a span, scored
  std::vector<double> scores_;                      // scratch: of these
};

}  // namespace demotic::decode::blocks
