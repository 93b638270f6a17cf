// The part of search.h that scores: what it knows before it begins, options and future costs, and
// how it asks the language model.  search.cc goes from node to node.
#include <algorithm>
#include <cmath>
#include <limits>

#include "decode/blocks/search.h"

namespace demotic::decode::blocks {

namespace {

constexpr double kWorst = -std::numeric_limits<double>::infinity();

}  // namespace

// -- before the search ---------------------------------------------------------------------------

void BlockSearch::find_options(const Tokens& tokens) {
  const grammar::BlockTable& table = model_.table();
  const BlockDecoderOptions& choice = model_.options();
  std::vector<uint32_t> ids;
  passed_.clear();
  for (const std::string& token : tokens) {
    ids.push_back(table.source_vocab().find(token));
    const lm::Model* lm = model_.costs().language_model();
    passed_.push_back(lm == nullptr ? text::kUnknown : lm->find(token));
  }
  options_.clear();
  spans_.assign(size_t{words_} * max_words_, {});
  for (uint32_t begin = 0; begin < words_; ++begin)
    for (uint32_t end = begin + 1; end <= limit(begin); ++end) {
      Span& span = spans_[size_t{begin} * max_words_ + (end - begin - 1)];
      span.first = static_cast<uint32_t>(options_.size());
      span.best = kWorst;
      const bool forbidden = limits_ != nullptr && limits_->forbid(begin, end);
      const uint32_t phrase =
          forbidden ? grammar::kNoPhrase : table.find(std::span(ids).subspan(begin, end - begin));
      if (phrase != grammar::kNoPhrase)
        for (const uint32_t b : table.alternatives(phrase, choice.alternatives))
          options_.push_back(model_.option(b, begin, end));
      // A word has no phrase of its own, or one without blocks in a damaged table.
      if (end == begin + 1 && options_.size() == span.first)
        options_.push_back(model_.pass_through(begin));
      span.end = static_cast<uint32_t>(options_.size());
      for (uint32_t o = span.first; o < span.end; ++o) {
        span.may_go_left |= options_[o].may_go_left;
        span.best = std::max(span.best, estimate(options_[o]));
      }
    }
  counters_.options += options_.size();
}

// With the context inside the block alone, in the orientation that is best.
double BlockSearch::estimate(const BlockOption& option) const {
  const grammar::BlockCosts& costs = model_.costs();
  lm::State state{};
  grammar::LmCosts lm;
  if (option.block == grammar::kNoBlock)
    lm.first = costs.lm_cost(state, passed_[option.begin], state);
  else
    lm = costs.lm(state, option.block, state);
  double best = kWorst;
  for (const grammar::BlockOrientation o :
       {grammar::BlockOrientation::left, grammar::BlockOrientation::right,
        grammar::BlockOrientation::neutral}) {
    if (o == grammar::BlockOrientation::left && !option.may_go_left) continue;
    best = std::max(best, option.score[static_cast<size_t>(o)] + model_.lm_score(o, lm));
  }
  // A probability among alternatives is at most 1.
  return model_.options().partition == Partition::half
             ? best + model_.partition_score(std::log(0.5))
             : 0.0;
}

void BlockSearch::estimate_future() {
  suffix_future_.assign(words_ + size_t{1}, kWorst);
  suffix_future_[words_] = 0.0;
  piece_future_.assign(size_t{words_} * max_words_, kWorst);
  for (uint32_t begin = words_; begin-- > 0;)
    for (uint32_t end = begin + 1; end <= limit(begin); ++end) {
      const Span& here = span(begin, end);
      double& piece = piece_future_[size_t{begin} * max_words_ + (end - begin - 1)];
      piece = here.best;  // a hole is filled by one block
      if (here.first == here.end) continue;
      suffix_future_[begin] = std::max(suffix_future_[begin], here.best + suffix_future_[end]);
    }
}

double BlockSearch::future(uint32_t covered, uint32_t hole_end, uint32_t end) const {
  if (hole_end == covered) return suffix_future_[covered];
  return piece_future_[size_t{covered} * max_words_ + (hole_end - covered - 1)] +
         suffix_future_[end];
}

// -- the language model --------------------------------------------------------------------------

uint32_t BlockSearch::intern(const lm::State& state) {
  const auto next = static_cast<uint32_t>(states_.size());
  const uint32_t number =
      state_index_.find_or_add(state.hash(), next, [&](uint32_t i) { return states_[i] == state; });
  if (number == next) states_.push_back(state);
  return number;
}

// Nodes share states, so that the same words after the same state come again and again.
BlockSearch::Scored BlockSearch::lm(uint32_t state, uint32_t option) {
  const uint64_t key = uint64_t{state} << 32 | option;
  const auto number = static_cast<uint32_t>(scored_.size());
  const uint32_t known = scored_index_.find_or_add(
      io::mix64(key), number, [&](uint32_t i) { return scored_[i].key == key; });
  if (known != number) return scored_[known];
  ++counters_.lm_blocks;
  const BlockOption& o = options_[option];
  lm::State next = states_[state];
  grammar::LmCosts costs;
  if (o.block == grammar::kNoBlock)
    costs.first = model_.costs().lm_cost(next, passed_[o.begin], next);
  else
    costs = model_.costs().lm(states_[state], o.block, next);
  scored_.push_back({key, costs, intern(next)});
  return scored_.back();
}

double BlockSearch::end_cost(uint32_t v) const {
  return model_.costs().lm_end(states_[nodes_[v].lm]);
}

}  // namespace demotic::decode::blocks
