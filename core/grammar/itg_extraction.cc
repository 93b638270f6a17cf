#include "grammar/itg_extraction.h"

#include <algorithm>
#include <iterator>

#include "io/error.h"
#include "parallel.h"

namespace demotic::grammar {

namespace {

constexpr size_t kChunk = 32;  // sentence pairs that a thread takes at once

}  // namespace

ItgExtraction::ItgExtraction(const ItgOptions& options, uint32_t max_item, bool empty_items,
                             size_t rows, uint32_t parts, unsigned threads)
    : max_item_(max_item == 0 ? UINT32_MAX : max_item),
      empty_items_(empty_items),
      rows_per_worker_(std::max<size_t>(1, rows / std::max(1u, threads))) {
  if (parts == 0) throw io::Error(io::Fault::argument, "rows need at least one part to be in");
  for (unsigned i = 0; i < std::max(1u, threads); ++i)
    workers_.push_back({.extract = ItgExtractor(options), .spilled = RuleParts(parts)});
}

void ItgExtraction::run(const text::TokenLines& source, const text::TokenLines& target,
                        const align::Links& links, size_t begin, size_t end) {
  if (end > links.size() || end > source.size() || end > target.size() || begin > end)
    throw io::Error(io::Fault::argument, "links and texts differ in their number of lines");
  if (end > UINT32_MAX) throw io::Error(io::Fault::argument, "more than 2^32 sentence pairs");
  const size_t chunks = (end - begin + kChunk - 1) / kChunk;
  parallel_for(chunks, static_cast<unsigned>(workers_.size()), [&](size_t chunk, unsigned at) {
    Worker& worker = workers_[at];
    const size_t last = std::min(end, begin + (chunk + 1) * kChunk);
    for (size_t line = begin + chunk * kChunk; line < last; ++line) {
      for (const align::Link& link : links[line])
        if (link.source >= source[line].size() || link.target >= target[line].size())
          throw io::Error(io::Fault::format, "a link outside its sentences", line + 1);
      ++worker.counts.pairs;
      if (!worker.extract(static_cast<uint32_t>(source[line].size()),
                          static_cast<uint32_t>(target[line].size()), links[line])) {
        ++worker.counts.skipped;
        continue;
      }
      for (const ItgItem& item : worker.extract.items()) {
        ++worker.counts.items;
        worker.counts.empty_items += item.is_empty();
        worker.counts.words += item.source_size();
        if (item.source_size() > kLong) worker.counts.long_words += item.source_size();
        ++worker.lengths[std::min(item.source_size(), kLengths) - 1];
        add(worker, item, source[line], target[line], links[line], line);
      }
      for (const ItgItem& item : worker.extract.sub_items()) {
        ++worker.counts.sub_items;
        add(worker, item, source[line], target[line], links[line], line);
      }
      for (const ItgItem& item : worker.extract.composed()) {
        ++worker.counts.composed_items;
        add(worker, item, source[line], target[line], links[line], line);
      }
      for (const ItgItem& item : worker.extract.loosened()) {
        ++worker.counts.loose_items;
        add(worker, item, source[line], target[line], links[line], line);
      }
      if (worker.counted.rows() > rows_per_worker_)
        worker.counted.spill(worker.spilled, rows_per_worker_ / 2);
    }
  });
}

void ItgExtraction::add(Worker& worker, const ItgItem& item, std::span<const uint32_t> source,
                        std::span<const uint32_t> target, std::span<const align::Link> links,
                        size_t line) {
  if (item.is_empty() && !empty_items_) return;
  if (std::max(item.source_size(), item.target_size()) > max_item_) {
    ++worker.counts.long_items;
    return;
  }
  worker.source.assign(source.begin() + item.source_begin, source.begin() + item.source_end);
  worker.target.assign(target.begin() + item.target_begin, target.begin() + item.target_end);
  worker.links.clear();
  for (const align::Link& link : links)
    if (link.source >= item.source_begin && link.source < item.source_end &&
        link.target >= item.target_begin && link.target < item.target_end)
      worker.links.push_back({static_cast<uint8_t>(link.source - item.source_begin),
                              static_cast<uint8_t>(link.target - item.target_begin)});
  worker.counted.add({worker.source, worker.target, worker.links, kUnitMass, 0},
                     static_cast<uint32_t>(line));
}

std::vector<RulePart> ItgExtraction::take() {
  std::vector<RulePart> all;
  for (Worker& worker : workers_) std::ranges::move(worker.spilled.take(), std::back_inserter(all));
  return all;
}

std::vector<RulePart> ItgExtraction::take_all() {
  for (Worker& worker : workers_) {
    worker.counted.spill(worker.spilled, 0);
    worker.counted = RuleCounts(false);
  }
  return take();
}

ItgCounts ItgExtraction::counts() const {
  ItgCounts sum;
  for (const Worker& worker : workers_) add_counters(sum, worker.counts);
  return sum;
}

std::array<uint64_t, ItgExtraction::kLengths> ItgExtraction::lengths() const {
  std::array<uint64_t, kLengths> sum{};
  for (const Worker& worker : workers_)
    for (size_t i = 0; i < sum.size(); ++i) sum[i] += worker.lengths[i];
  return sum;
}

}  // namespace demotic::grammar
