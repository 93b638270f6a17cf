#include "decode/blocks/search.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "forest/semiring.h"

namespace demotic::decode::blocks {

namespace {

constexpr double kWorst = -std::numeric_limits<double>::infinity();

uint64_t hash_of(const BlockNode& n) {
  uint64_t h = io::mix64(uint64_t{n.covered} << 32 | n.hole_end);
  h = io::mix64(h ^ (uint64_t{n.end} << 32 | n.last));
  return io::mix64(h ^ (uint64_t{n.lm} << 1 | (n.adjacent ? 1 : 0)));
}

bool same_state(const BlockNode& a, const BlockNode& b) {
  return a.covered == b.covered && a.hole_end == b.hole_end && a.end == b.end && a.last == b.last &&
         a.adjacent == b.adjacent && a.lm == b.lm;
}

}  // namespace

// -- the search ----------------------------------------------------------------------------------

void BlockSearch::run(const Tokens& tokens, bool all) {
  counters_ = {};
  limits_ = tokens.limits.empty() ? nullptr : &tokens.limits;
  all_ = all;
  words_ = static_cast<uint32_t>(tokens.size());
  max_words_ = std::clamp(model_.table().totals().max_words, 1u, std::max(1u, words_));
  nodes_.clear();
  arcs_.clear();
  node_index_.clear();
  stacks_.assign(words_ + size_t{1}, {});
  bars_.assign(words_ + size_t{1}, {});
  states_.clear();
  state_index_.clear();
  scored_.clear();
  scored_index_.clear();
  const BlockDecoderOptions& choice = model_.options();
  // A node has at most as many arcs as there are options within reach of its first gap.
  beam_ = choice.beam;
  if (beam_ != UINT64_MAX && words_ > 0) {
    const uint64_t share = std::max<uint64_t>(1, choice.max_nodes / words_);
    if (share < beam_) {
      beam_ = share;
      counters_.narrowed = 1;
    }
  }
  find_options(tokens);
  estimate_future();
  const bool start = choice.boundary == grammar::Boundary::start;
  nodes_.push_back({.covered = 0,
                    .hole_end = 0,
                    .end = 0,
                    .last = start ? model_.last_of(grammar::kBeginBlock) : grammar::kNoBlock,
                    .adjacent = start,
                    .lm = intern(model_.costs().begin_sentence()),
                    .first_arc = kNone,
                    .score = 0.0,
                    .future = suffix_future_[0]});
  stacks_[0].push_back(0);
  for (uint32_t covered = 0; covered < words_; ++covered) {
    prune(stacks_[covered]);
    bars_[covered] = {};
    for (size_t i = 0; i < stacks_[covered].size(); ++i) expand(stacks_[covered][i]);
  }
  counters_.nodes = nodes_.size();
  counters_.arcs = arcs_.size();
}

void BlockSearch::prune(std::vector<uint32_t>& stack) {
  const auto value = [&](uint32_t v) { return nodes_[v].score + nodes_[v].future; };
  const auto better = [&](uint32_t a, uint32_t b) {
    return value(a) != value(b) ? value(a) > value(b) : a < b;
  };
  if (stack.size() > beam_) {
    const auto border = stack.begin() + static_cast<std::ptrdiff_t>(beam_);
    std::nth_element(stack.begin(), border, stack.end(), better);
    stack.resize(beam_);
  }
  std::sort(stack.begin(), stack.end(), better);
  const double delta = model_.options().delta;
  if (!stack.empty() && std::isfinite(delta)) {
    const double least = value(stack[0]) - delta;
    while (value(stack.back()) < least) stack.pop_back();
  }
}

void BlockSearch::expand(uint32_t v) {
  ++counters_.expanded;
  const BlockNode from = nodes_[v];
  const uint32_t m = from.covered;
  if (from.open()) {
    // The block that fills the hole ends where the one behind it begins.
    take(v, span(m, from.hole_end), grammar::BlockOrientation::left, true,
         {.covered = from.end,
          .hole_end = from.end,
          .end = from.end,
          .last = grammar::kNoBlock,
          .adjacent = false,
          .lm = 0,
          .first_arc = kNone,
          .score = 0,
          .future = 0});
    return;
  }
  const grammar::BlockOrientation next =
      from.adjacent ? grammar::BlockOrientation::right : grammar::BlockOrientation::neutral;
  for (uint32_t end = m + 1; end <= limit(m); ++end)
    take(v, span(m, end), next, false,
         {.covered = end,
          .hole_end = end,
          .end = end,
          .last = 0,
          .adjacent = true,
          .lm = 0,
          .first_arc = kNone,
          .score = 0,
          .future = 0});
  if (model_.options().reorder == Reorder::monotone) return;
  for (uint32_t hole_end = m + 1; hole_end <= limit(m) && hole_end < words_; ++hole_end) {
    if (!span(m, hole_end).may_go_left) continue;
    for (uint32_t end = hole_end + 1; end <= limit(hole_end); ++end) {
      if (limits_ != nullptr && limits_->forbid(m, end)) continue;
      take(v, span(hole_end, end), grammar::BlockOrientation::neutral, false,
           {.covered = m,
            .hole_end = hole_end,
            .end = end,
            .last = 0,
            .adjacent = true,
            .lm = 0,
            .first_arc = kNone,
            .score = 0,
            .future = 0});
    }
  }
}

// The blocks of a span after node v; `head` lacks what depends on the block.
void BlockSearch::take(uint32_t v, const Span& span, grammar::BlockOrientation o, bool left_rule,
                       BlockNode head) {
  if (span.first == span.end) return;
  const BlockNode from = nodes_[v];
  const bool ends_swap = head.last == grammar::kNoBlock;
  head.future = future(head.covered, head.hole_end, head.end);
  const bool among = model_.options().partition == Partition::alternatives;
  double log_z = std::log(0.5);
  taken_.clear();
  scores_.clear();
  for (uint32_t i = span.first; i < span.end; ++i) {
    const BlockOption& option = options_[i];
    const bool allowed = !left_rule || option.may_go_left;
    if (!allowed && !among) continue;
    const Scored scored = lm(from.lm, i);
    const uint32_t pair = model_.pair(o, from.last, option.block);
    taken_.emplace_back(i, scored);
    scores_.push_back(option.score[static_cast<size_t>(o)] + model_.lm_score(o, scored.costs) +
                      model_.pair_score(pair));
  }
  if (among) {
    log_z = forest::kLogZero;
    for (const double s : scores_) log_z = forest::log_add(log_z, s);
  }
  for (size_t i = 0; i < taken_.size(); ++i) {
    const auto& [number, scored] = taken_[i];
    const BlockOption& option = options_[number];
    if (left_rule && !option.may_go_left) continue;
    const double score = scores_[i] + model_.partition_score(log_z);
    head.lm = scored.lm;
    head.last = ends_swap ? grammar::kNoBlock : option.last;
    head.score = from.score + score;
    add(head, {.tail = v,
               .option = number,
               .next = kNone,
               .pair = model_.pair(o, from.last, option.block),
               .orientation = o,
               .lm = scored.costs,
               .log_z = log_z,
               .score = score});
  }
}

void BlockSearch::add(BlockNode head, BlockArc arc) {
  const uint32_t stack = head.words();
  const uint64_t hash = hash_of(head);
  uint32_t v = node_index_.find(hash, [&](uint32_t i) { return same_state(nodes_[i], head); });
  if (v == HashIndex::kNone) {
    // Who would not survive the pruning of its stack anyway is not kept.
    if (beam_ != UINT64_MAX && stack < words_) {
      std::vector<double>& bar = bars_[stack];
      const double value = head.score + head.future;
      const auto worst_on_top = std::greater<>();
      if (bar.size() >= beam_) {
        if (value < bar.front()) return;
        std::pop_heap(bar.begin(), bar.end(), worst_on_top);
        bar.pop_back();
      }
      bar.push_back(value);
      std::push_heap(bar.begin(), bar.end(), worst_on_top);
    }
    v = static_cast<uint32_t>(nodes_.size());
    nodes_.push_back(head);
    node_index_.add(hash, v);
    stacks_[stack].push_back(v);
  }
  BlockNode& node = nodes_[v];
  const auto number = static_cast<uint32_t>(arcs_.size());
  const bool is_best = node.first_arc == kNone || head.score > node.score;
  if (is_best) node.score = head.score;
  if (!all_ && node.first_arc != kNone) {  // one arc is enough
    if (is_best) arcs_[node.first_arc] = arc;
    return;
  }
  if (is_best) {  // the best arc stands first
    arc.next = node.first_arc;
    node.first_arc = number;
  } else {
    arc.next = arcs_[node.first_arc].next;
    arcs_[node.first_arc].next = number;
  }
  arcs_.push_back(arc);
}

uint32_t BlockSearch::best() const {
  uint32_t best = kNone;
  double most = kWorst;
  for (const uint32_t v : complete()) {
    const double score = nodes_[v].score + model_.end_score(end_cost(v));
    if (best == kNone || score > most) {
      best = v;
      most = score;
    }
  }
  return best;
}

uint32_t BlockSearch::best_arc(uint32_t v) const { return nodes_[v].first_arc; }

}  // namespace demotic::decode::blocks
