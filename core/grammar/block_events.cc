#include "grammar/block_events.h"

#include <algorithm>

#include "parallel.h"

namespace demotic::grammar {

namespace {

constexpr size_t kChunk = 64;  // sentence pairs that one thread takes at a time

}  // namespace

bool BlockPairReader::read(const BlockText& text, size_t line, std::span<const uint8_t> allowed) {
  const std::span<const uint32_t> source = text.source[line];
  const std::span<const uint32_t> target = text.target[line];
  if (source.size() > options_.longest || target.size() > options_.longest) return false;
  const auto source_size = static_cast<uint32_t>(source.size());
  const auto target_size = static_cast<uint32_t>(target.size());
  if (!options_.aligned)
    occurrences = match_(source, target);
  else if (options_.projection)
    occurrences = match_(source, target,
                         extract_(source_size, target_size, text.links[line], text.all[line]));
  else
    occurrences = match_(source, target, extract_(source_size, target_size, text.links[line]));
  if (!allowed.empty()) {
    kept_.clear();
    for (const BlockOccurrence& each : occurrences)
      if (allowed[each.block] != 0) kept_.push_back(each);
    occurrences = kept_;
  }
  events.find(occurrences, target_size, options_.boundary);
  return true;
}

// -- counting ------------------------------------------------------------------------------------

BlockEventCounter::BlockEventCounter(const BlockTable& table, const BlockEventOptions& options,
                                     const std::string& folder, uint64_t memory)
    : table_(table), options_(options), pairs_(folder, memory) {
  if (options.candidates.alternatives == 0)
    throw io::Error(io::Fault::argument, "alternatives: at least 1");
}

void BlockEventCounter::run(const BlockText& text, size_t begin, size_t end, unsigned threads) {
  threads = std::max(1u, threads);
  while (workers_.size() < threads)
    workers_.push_back({BlockPairReader(table_, options_),
                        BlockCandidates(table_, options_.candidates),
                        std::vector<uint32_t>(table_.blocks(), 0),
                        std::vector<uint32_t>(table_.blocks(), 0),
                        {},
                        {}});
  const size_t chunks = (end - begin + kChunk - 1) / kChunk;
  parallel_for(chunks, threads, [&](size_t chunk, unsigned worker) {
    const size_t last = std::min(end, begin + (chunk + 1) * kChunk);
    for (size_t line = begin + chunk * kChunk; line < last; ++line)
      count(text, line, workers_[worker]);
    if (std::vector<uint64_t>& keys = workers_[worker].keys; keys.size() > pairs_.share(threads))
      pairs_.put(keys);
  });
}

void BlockEventCounter::count(const BlockText& text, size_t line, Worker& worker) const {
  BlockEventCounts& counts = worker.counts;
  ++counts.pairs;
  if (!worker.reader.read(text, line)) {
    ++counts.skipped;
    return;
  }
  const std::span<const BlockOccurrence> occurrences = worker.reader.occurrences;
  const OrientationEvents& events = worker.reader.events;
  counts.occurrences += occurrences.size();
  counts.neutral += events.neutral.size();
  for (const OrientationEvents::Group& group : events.groups) {
    const bool is_start = group.predecessor == kBeginBlock;
    const uint32_t previous = is_start ? kBeginBlock : occurrences[group.predecessor].block;
    for (uint32_t i = group.begin; i < group.end; ++i) {
      const BlockSuccessor& next = events.successors[i];
      const uint32_t block = occurrences[next.occurrence].block;
      const bool is_left = next.orientation == BlockOrientation::left;
      ++(is_left ? counts.left : counts.right);
      if (!is_start) ++(is_left ? worker.left : worker.right)[block];
      if (options_.count_pairs == PairCounts::observed)
        worker.keys.push_back(pair_key(previous, block));
    }
    worker.candidates.successors(occurrences, events, group);
    ++counts.groups;
    counts.candidates += worker.candidates.list.size();
    counts.rare += worker.candidates.rare;
    if (options_.count_pairs == PairCounts::candidates)
      for (const BlockCandidate& candidate : worker.candidates.list)
        worker.keys.push_back(pair_key(previous, candidate.block));
  }
}

std::vector<uint32_t> BlockEventCounter::left() const {
  std::vector<uint32_t> sum(table_.blocks(), 0);
  for (const Worker& worker : workers_)
    for (size_t b = 0; b < sum.size(); ++b) sum[b] += worker.left[b];
  return sum;
}

std::vector<uint32_t> BlockEventCounter::right() const {
  std::vector<uint32_t> sum(table_.blocks(), 0);
  for (const Worker& worker : workers_)
    for (size_t b = 0; b < sum.size(); ++b) sum[b] += worker.right[b];
  return sum;
}

std::vector<uint64_t> BlockEventCounter::frequent_pairs(uint32_t threshold) {
  for (Worker& worker : workers_) {
    pairs_.put(worker.keys);
    worker.keys = {};
  }
  return pairs_.take(threshold);
}

BlockEventCounts BlockEventCounter::counts() const {
  BlockEventCounts sum;
  for (const Worker& worker : workers_) add_counters(sum, worker.counts);
  return sum;
}

// -- building ------------------------------------------------------------------------------------

struct BlockEventBuilder::Worker {
  BlockPairReader reader;
  BlockCandidates candidates;
  std::vector<lm::State> states;  // the language model's, before each target word
};

BlockEventBuilder::BlockEventBuilder(std::span<const BlockCosts> costs, const BlockPairs& pairs,
                                     const BlockEventOptions& options, const std::string& folder,
                                     size_t memory)
    : costs_(costs),
      pairs_(pairs),
      options_(options),
      successors_(kBlockFeatures, pairs.size(), folder, memory),
      neutral_(kNeutralFeatures, 0, folder, memory) {
  pairs.check_table(costs.front().table());
  if (options.candidates.alternatives == 0)
    throw io::Error(io::Fault::argument, "alternatives: at least 1");
}

void BlockEventBuilder::run(const BlockText& text, size_t begin, size_t end, unsigned threads) {
  threads = std::max(1u, threads);
  std::vector<Worker> workers;
  for (unsigned i = 0; i < threads; ++i)
    workers.push_back({BlockPairReader(costs_.front().table(), options_),
                       BlockCandidates(costs_.front().table(), options_.candidates),
                       {}});
  for (size_t window = begin; window < end; window += kWindow) {
    const size_t stop = std::min(end, window + kWindow);
    const size_t chunks = (stop - window + kChunk - 1) / kChunk;
    std::vector<Piece> next(chunks), alone(chunks);
    parallel_for(chunks, threads, [&](size_t chunk, unsigned worker) {
      const size_t last = std::min(stop, window + (chunk + 1) * kChunk);
      for (size_t line = window + chunk * kChunk; line < last; ++line)
        build(text, line, workers[worker], next[chunk], alone[chunk]);
    });
    successors_.append(next, window);
    neutral_.append(alone, window);
  }
}

void BlockEventBuilder::build(const BlockText& text, size_t line, Worker& worker, Piece& successors,
                              Piece& neutral) const {
  if (!worker.reader.read(text, line, allowed_)) return;
  const BlockCosts& costs = costs_[line % costs_.size()];
  const BlockTable& table = costs.table();
  const std::span<const uint32_t> target = text.target[line];
  worker.states.assign(1, costs.begin_sentence());
  for (const uint32_t word : target) {
    lm::State next;
    costs.lm_cost(worker.states.back(), costs.lm_word(word), next);
    worker.states.push_back(next);
  }
  // Features stand feature by feature; `before` is where the group begins on the target.
  const auto write = [&](Piece& piece, uint32_t before, uint32_t width) {
    const std::vector<BlockCandidate>& list = worker.candidates.list;
    if (worker.candidates.labels.empty()) return;
    const size_t n = list.size();
    const size_t at = piece.features.size();
    piece.features.resize(at + n * width);
    float* const x = piece.features.data() + at;
    for (size_t j = 0; j < n; ++j) {
      const uint32_t b = list[j].block;
      lm::State next;
      const LmCosts lm = costs.lm(worker.states[before], b, next);
      size_t f = 0;
      const auto put = [&](double value) { x[f++ * n + j] = static_cast<float>(value); };
      put(costs.unigram(b, list[j].source_end - list[j].source_begin));
      if (width == kBlockFeatures) put(costs.orientation(b, list[j].orientation));
      put(lm.first);
      put(lm.rest);
      put(static_cast<double>(table.lexical(b)));
    }
    for (const uint32_t label : worker.candidates.labels) {
      piece.group.push_back(static_cast<uint32_t>(piece.rows.size()));
      piece.label.push_back(label);
    }
    piece.rows.push_back(static_cast<uint32_t>(n));
  };
  const std::span<const BlockOccurrence> occurrences = worker.reader.occurrences;
  const OrientationEvents& events = worker.reader.events;
  for (const OrientationEvents::Group& group : events.groups) {
    worker.candidates.successors(occurrences, events, group);
    const bool is_start = group.predecessor == kBeginBlock;
    write(successors, is_start ? 0 : occurrences[group.predecessor].target_end, kBlockFeatures);
    if (pairs_.size() == 0 || worker.candidates.labels.empty()) continue;
    const uint32_t previous = is_start ? kBeginBlock : occurrences[group.predecessor].block;
    for (const BlockCandidate& candidate : worker.candidates.list)
      successors.binary.push_back(pairs_.find(previous, candidate.block));
  }
  for (const uint32_t i : events.neutral) {
    worker.candidates.neutral(occurrences[i]);
    write(neutral, occurrences[i].target_begin, kNeutralFeatures);
  }
}

}  // namespace demotic::grammar
