#include "learn/mira.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <string>
#include <utility>

#include "io/error.h"
#include "parallel.h"

namespace demotic::learn {

namespace {

constexpr size_t kChunk = 64;  // sentences whose sums are taken together

// For each hypothesis which of the sentence's different statistics it has; these, in the order in
// which they come first, are added to `distinct`.
void number_stats(std::span<const metrics::BleuStats> stats,
                  std::vector<metrics::BleuStats>& distinct, std::vector<uint32_t>& number) {
  const auto less = [](const metrics::BleuStats& a, const metrics::BleuStats& b) {
    return std::memcmp(&a, &b, sizeof a) < 0;  // any order will do
  };
  std::vector<uint32_t> order(stats.size());
  for (uint32_t i = 0; i < order.size(); ++i) order[i] = i;
  std::stable_sort(order.begin(), order.end(),
                   [&](uint32_t a, uint32_t b) { return less(stats[a], stats[b]); });
  const size_t first = number.size();
  number.resize(first + stats.size());
  uint32_t known = 0;
  for (size_t i = 0; i < order.size(); ++i) {
    if (i == 0 || stats[order[i]] != stats[order[i - 1]]) {
      distinct.push_back(stats[order[i]]);
      ++known;
    }
    number[first + order[i]] = known - 1;
  }
}

}  // namespace

double Background::bleu_with(const metrics::BleuStats& sentence) const {
  double product = 1.0;
  for (size_t n = 0; n < metrics::kBleuOrder; ++n)
    product *= (matches[n] + static_cast<double>(sentence.matches[n])) /
               (totals[n] + static_cast<double>(sentence.totals[n]));
  const double reference = ref_len + static_cast<double>(sentence.ref_len);
  const double words = totals[0] + static_cast<double>(sentence.totals[0]);
  const double brevity = words < reference ? std::exp(1.0 - reference / words) : 1.0;
  static_assert(metrics::kBleuOrder == 4);
  return brevity * std::sqrt(std::sqrt(product)) * reference;
}

void Background::add(const metrics::BleuStats& sentence, double decay) {
  for (size_t n = 0; n < metrics::kBleuOrder; ++n) {
    matches[n] = decay * matches[n] + static_cast<double>(sentence.matches[n]);
    totals[n] = decay * totals[n] + static_cast<double>(sentence.totals[n]);
  }
  ref_len = decay * ref_len + static_cast<double>(sentence.ref_len);
}

Mira::Mira(HypothesisLists lists, std::vector<double> weights, std::vector<double> start,
           std::vector<char> free, const MiraOptions& options)
    : lists_(std::move(lists)),
      stat_off_{0},
      weights_(std::move(weights)),
      start_(std::move(start)),
      sum_(weights_.size(), 0.0),
      free_(std::move(free)),
      options_(options),
      difference_(weights_.size()) {
  const size_t rows = lists_.stats.size();
  if (start_.size() != features() || free_.size() != features() ||
      lists_.features.size() != rows * features())
    throw io::Error(io::Fault::argument,
                    "hypotheses and weights must have " + std::to_string(features()) + " features");
  if (lists_.off.empty() || lists_.off.front() != 0 || lists_.off.back() != rows)
    throw io::Error(io::Fault::argument, "the lists' borders do not fit the hypotheses");
  std::vector<metrics::BleuStats> distinct;
  row_stat_.reserve(rows);
  for (size_t s = 0; s < sentences(); ++s) {
    if (lists_.off[s] >= lists_.off[s + 1] || lists_.off[s + 1] > rows)
      throw io::Error(io::Fault::argument,
                      "sentence " + std::to_string(s + 1) + " has no hypothesis");
    number_stats(std::span(lists_.stats).subspan(lists_.off[s], lists_.off[s + 1] - lists_.off[s]),
                 distinct, row_stat_);
    stat_off_.push_back(distinct.size());
  }
  lists_.stats = std::move(distinct);
}

double Mira::score(std::span<const double> weights, uint64_t row) const {
  const double* values = features_of(row);
  double sum = 0.0;
  for (size_t i = 0; i < weights.size(); ++i) sum += weights[i] * values[i];
  return sum;
}

void Mira::pass(std::span<const uint32_t> order) {
  for (const uint32_t sentence : order) {
    if (sentence >= sentences())
      throw io::Error(io::Fault::argument,
                      "there is no sentence " + std::to_string(uint64_t{sentence} + 1));
    visit(sentence);
    for (size_t i = 0; i < features(); ++i) {
      weights_[i] -= options_.l2 * (weights_[i] - start_[i]);
      sum_[i] += weights_[i];
    }
    ++visits_;
  }
}

void Mira::visit(uint32_t sentence) {
  const std::span stats =
      std::span(lists_.stats)
          .subspan(stat_off_[sentence], stat_off_[sentence + 1] - stat_off_[sentence]);
  bleu_.clear();
  for (const metrics::BleuStats& each : stats) bleu_.push_back(background_.bleu_with(each));
  const uint64_t first = lists_.off[sentence];
  uint64_t hope = first;
  uint64_t fear = first;
  double hope_score = 0.0;
  double fear_score = 0.0;
  double hope_value = -INFINITY;
  double fear_value = -INFINITY;
  for (uint64_t row = first; row < lists_.off[sentence + 1]; ++row) {
    const double model = score(weights_, row);
    const double bleu = bleu_[row_stat_[row]];
    if (model + bleu > hope_value) {
      hope = row;
      hope_score = model;
      hope_value = model + bleu;
    }
    if (model - bleu > fear_value) {
      fear = row;
      fear_score = model;
      fear_value = model - bleu;
    }
  }
  const double cost = bleu_[row_stat_[hope]] - bleu_[row_stat_[fear]];
  if (cost <= 0.0) return;
  const double loss = cost - (hope_score - fear_score);
  double norm = 0.0;
  for (size_t i = 0; i < features(); ++i) {
    difference_[i] = free_[i] ? features_of(hope)[i] - features_of(fear)[i] : 0.0;
    norm += difference_[i] * difference_[i];
  }
  if (loss > 0.0 && norm > 0.0) {
    const double step = std::min(options_.c, loss / norm);
    for (size_t i = 0; i < features(); ++i) weights_[i] += step * difference_[i];
  }
  background_.add(stats[row_stat_[hope]], options_.decay);
}

std::vector<double> Mira::mean() const {
  if (visits_ == 0) return weights_;
  std::vector<double> mean = sum_;
  for (double& value : mean) value /= static_cast<double>(visits_);
  return mean;
}

metrics::BleuStats Mira::best_stats(std::span<const double> weights, unsigned threads) const {
  if (weights.size() != features())
    throw io::Error(io::Fault::argument,
                    "weights must have " + std::to_string(features()) + " features");
  std::vector<metrics::BleuStats> sums((sentences() + kChunk - 1) / kChunk);
  parallel_for(sums.size(), threads, [&](size_t chunk, unsigned) {
    for (size_t s = chunk * kChunk; s < std::min((chunk + 1) * kChunk, sentences()); ++s) {
      uint64_t best = lists_.off[s];
      double highest = -INFINITY;
      for (uint64_t row = best; row < lists_.off[s + 1]; ++row)
        if (const double value = score(weights, row); value > highest) {
          highest = value;
          best = row;
        }
      sums[chunk] += lists_.stats[stat_off_[s] + row_stat_[best]];
    }
  });
  metrics::BleuStats total;
  for (const metrics::BleuStats& each : sums) total += each;
  return total;
}

}  // namespace demotic::learn
