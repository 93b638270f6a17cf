#include "grammar/rule_extraction.h"

#include <algorithm>
#include <iterator>

#include "io/error.h"
#include "parallel.h"

namespace demotic::grammar {

namespace {

constexpr size_t kChunk = 32;  // sentence pairs that a thread takes at once

void check(size_t line, std::span<const uint32_t> source, std::span<const uint32_t> target,
           std::span<const align::Link> links) {
  for (const align::Link& link : links)
    if (link.source >= source.size() || link.target >= target.size())
      throw io::Error(io::Fault::format, "a link outside its sentences", line + 1);
}

}  // namespace

RuleExtraction::RuleExtraction(const HieroOptions& options, size_t rows, uint32_t parts,
                               unsigned threads, bool sentences)
    : rows_per_worker_(std::max<size_t>(1, rows / std::max(1u, threads))), sentences_(sentences) {
  if (parts == 0) throw io::Error(io::Fault::argument, "rows need at least one part to be in");
  for (unsigned i = 0; i < std::max(1u, threads); ++i)
    workers_.push_back({HieroExtractor(options), RuleCounts(sentences), RuleParts(parts), 0, {}});
}

void RuleExtraction::run(const text::TokenLines& source, const text::TokenLines& target,
                         const align::Links& links, size_t begin, size_t end) {
  if (end > links.size() || end > source.size() || end > target.size() || begin > end)
    throw io::Error(io::Fault::argument, "links and texts differ in their number of lines");
  if (end > UINT32_MAX) throw io::Error(io::Fault::argument, "more than 2^32 sentence pairs");
  const size_t chunks = (end - begin + kChunk - 1) / kChunk;
  const auto threads = static_cast<unsigned>(workers_.size());
  parallel_for(chunks, threads, [&](size_t chunk, unsigned at) {
    Worker& worker = workers_[at];
    const size_t last = std::min(end, begin + (chunk + 1) * kChunk);
    for (size_t line = begin + chunk * kChunk; line < last; ++line) {
      check(line, source[line], target[line], links[line]);
      worker.extract(source[line], target[line], links[line], [&](const ExtractedRule& rule) {
        ++worker.occurrences;
        if (rule.orientation != 0) {
          ++worker.orientations[(rule.orientation - 1u) / kOrientations];
          ++worker.orientations[kOrientations + (rule.orientation - 1u) % kOrientations];
        }
        worker.counts.add(rule, static_cast<uint32_t>(line));
      });
      if (worker.counts.rows() > rows_per_worker_)
        worker.counts.spill(worker.spilled, rows_per_worker_ / 2);
    }
  });
}

std::vector<RulePart> RuleExtraction::take() {
  std::vector<RulePart> all;
  for (Worker& worker : workers_) std::ranges::move(worker.spilled.take(), std::back_inserter(all));
  return all;
}

std::vector<RulePart> RuleExtraction::take_all() {
  for (Worker& worker : workers_) {
    worker.counts.spill(worker.spilled, 0);
    worker.counts = RuleCounts(sentences_);
  }
  return take();
}

std::array<uint64_t, 2 * kOrientations> RuleExtraction::orientations() const {
  std::array<uint64_t, 2 * kOrientations> sum{};
  for (const Worker& worker : workers_)
    for (size_t i = 0; i < sum.size(); ++i) sum[i] += worker.orientations[i];
  return sum;
}

uint64_t RuleExtraction::occurrences() const {
  uint64_t sum = 0;
  for (const Worker& worker : workers_) sum += worker.occurrences;
  return sum;
}

}  // namespace demotic::grammar
