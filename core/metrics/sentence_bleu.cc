#include "metrics/sentence_bleu.h"

#include <algorithm>
#include <bit>
#include <cstdlib>

#include "io/error.h"
#include "parallel.h"

namespace demotic::metrics {

BleuReference::BleuReference(std::span<const std::span<const uint32_t>> references) {
  size_t most_ngrams = 1;
  for (const auto& reference : references) most_ngrams += kBleuOrder * reference.size();
  edges_.resize(std::bit_ceil(2 * most_ngrams), Edge{0, 0});
  most_.assign(1, 0);
  std::vector<uint32_t> count(1, 0);  // in the present reference
  for (const auto& reference : references) {
    std::fill(count.begin(), count.end(), 0);
    for (size_t begin = 0; begin < reference.size(); ++begin) {
      uint32_t ngram = 0;
      const size_t end = std::min(reference.size(), begin + kBleuOrder);
      for (size_t at = begin; at < end; ++at) {
        Edge& edge = edges_[slot(key(ngram, reference[at]))];
        if (edge.next == 0) {
          edge = {key(ngram, reference[at]), static_cast<uint32_t>(most_.size())};
          most_.push_back(0);
          count.push_back(0);
        }
        ngram = edge.next;
        most_[ngram] = std::max(most_[ngram], ++count[ngram]);
      }
    }
    lengths_.push_back(static_cast<int64_t>(reference.size()));
  }
}

int64_t BleuReference::closest_length(int64_t length) const {
  int64_t best = lengths_.empty() ? 0 : lengths_.front();
  for (const int64_t candidate : lengths_) {
    const int64_t further = std::abs(candidate - length) - std::abs(best - length);
    if (further < 0 || (further == 0 && candidate < best)) best = candidate;
  }
  return best;
}

BleuStats BleuReference::stats(std::span<const uint32_t> hypothesis, BleuScratch& scratch) const {
  if (scratch.used.size() < most_.size()) scratch.used.resize(most_.size(), 0);
  BleuStats stats;
  const size_t length = hypothesis.size();
  stats.hyp_len = static_cast<int64_t>(length);
  stats.ref_len = closest_length(stats.hyp_len);
  for (size_t n = 0; n < kBleuOrder && n < length; ++n)
    stats.totals[n] = static_cast<int64_t>(length - n);
  if (edges_.empty()) return stats;
  for (size_t begin = 0; begin < length; ++begin) {
    uint32_t ngram = 0;
    const size_t orders = std::min(kBleuOrder, length - begin);
    for (size_t n = 0; n < orders; ++n) {
      ngram = edges_[slot(key(ngram, hypothesis[begin + n]))].next;
      if (ngram == 0) break;
      if (scratch.used[ngram] == most_[ngram]) continue;  // clipped, but a longer one may count
      if (scratch.used[ngram]++ == 0) scratch.touched.push_back(ngram);
      ++stats.matches[n];
    }
  }
  for (const uint32_t ngram : scratch.touched) scratch.used[ngram] = 0;
  scratch.touched.clear();
  return stats;
}

SentenceBleu::SentenceBleu(std::span<const std::string> references, BleuOptions options)
    : options_(options) {
  if (references.empty()) throw io::Error(io::Fault::argument, "no reference");
  text::TokenLines lines;
  std::vector<std::span<const uint32_t>> spans;
  for (const std::string& reference : references) {
    text::for_each_token(reference,
                         [&](std::string_view token) { lines.ids.push_back(vocab_.add(token)); });
    lines.ends.push_back(lines.ids.size());
  }
  for (size_t line = 0; line < lines.size(); ++line) spans.push_back(lines[line]);
  reference_ = BleuReference(spans);
}

BleuStats SentenceBleu::stats(std::string_view hypothesis, BleuScratch& scratch) const {
  scratch.ids.clear();
  text::for_each_token(hypothesis, [&](std::string_view token) {
    const uint32_t id = vocab_.find(token);
    scratch.ids.push_back(id == text::kUnknown && token != text::kUnknownWord ? kForeign : id);
  });
  return reference_.stats(scratch.ids, scratch);
}

std::vector<BleuStats> sentence_statistics(const text::TokenLines& hypothesis,
                                           std::span<const text::TokenLines* const> references,
                                           unsigned threads) {
  if (references.empty()) throw io::Error(io::Fault::argument, "no reference");
  for (const text::TokenLines* reference : references)
    if (reference->size() != hypothesis.size())
      throw io::Error(io::Fault::argument,
                      "hypothesis and reference differ in their number of lines");
  std::vector<BleuStats> all(hypothesis.size());
  std::vector<BleuScratch> scratches(std::max(threads, 1u));
  constexpr size_t kChunk = 256;
  const size_t chunks = (all.size() + kChunk - 1) / kChunk;
  parallel_for(chunks, threads, [&](size_t chunk, unsigned worker) {
    std::vector<std::span<const uint32_t>> spans(references.size());
    const size_t end = std::min(all.size(), (chunk + 1) * kChunk);
    for (size_t line = chunk * kChunk; line < end; ++line) {
      for (size_t r = 0; r < spans.size(); ++r) spans[r] = (*references[r])[line];
      all[line] = BleuReference(spans).stats(hypothesis[line], scratches[worker]);
    }
  });
  return all;
}

}  // namespace demotic::metrics
