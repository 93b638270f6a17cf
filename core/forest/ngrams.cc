#include "forest/ngrams.h"

#include <algorithm>
#include <cmath>

#include "forest/context.h"
#include "forest/posterior.h"
#include "hash_index.h"
#include "io/checksum.h"
#include "parallel.h"

namespace demotic::forest {

namespace {

uint64_t hash_of(std::span<const int32_t> words) {
  return io::checksum64(words.data(), words.size_bytes());
}

// N-grams by number, in order of first appearance.
class NgramIndex {
 public:
  NgramIndex(std::vector<uint32_t>& off, std::vector<int32_t>& words) : off_(off), words_(words) {}

  std::span<const int32_t> ngram(uint32_t id) const {
    return std::span(words_).subspan(off_[id], off_[id + 1] - off_[id]);
  }
  bool has(std::span<const int32_t> words) const {
    return index_.find(hash_of(words), [&](uint32_t id) { return is(id, words); }) !=
           HashIndex::kNone;
  }
  uint32_t add(std::span<const int32_t> words) {
    const auto next = static_cast<uint32_t>(off_.size() - 1);
    const uint32_t id =
        index_.find_or_add(hash_of(words), next, [&](uint32_t i) { return is(i, words); });
    if (id == next) {
      words_.insert(words_.end(), words.begin(), words.end());
      off_.push_back(static_cast<uint32_t>(words_.size()));
    }
    return id;
  }

 private:
  bool is(uint32_t id, std::span<const int32_t> words) const {
    return std::ranges::equal(ngram(id), words);
  }

  std::vector<uint32_t>& off_;
  std::vector<int32_t>& words_;
  HashIndex index_;
};

}  // namespace

NgramTable ngram_table(const Forest& f, uint32_t min_order, uint32_t max_order) {
  if (min_order == 0 || min_order > max_order)
    throw io::Error(io::Fault::argument, "the shortest n-gram must have 1 to max_order words");
  NgramTable table;
  NgramIndex index(table.word_off, table.words);
  EdgeNgrams ngrams(f, max_order);
  std::vector<std::pair<uint32_t, uint32_t>> made;  // n-gram, edge
  for (uint32_t e = 0; e < f.edges(); ++e)
    ngrams.each(e, [&](std::span<const int32_t> words) {
      if (words.size() >= min_order) made.emplace_back(index.add(words), e);
    });
  table.edge_off.assign(table.size() + 1, 0);
  for (const auto& [ngram, e] : made) ++table.edge_off[ngram + 1];
  for (uint32_t i = 0; i < table.size(); ++i) table.edge_off[i + 1] += table.edge_off[i];
  table.edge.resize(made.size());
  std::vector<uint32_t> at(table.edge_off.begin(), table.edge_off.end() - 1);
  for (const auto& [ngram, e] : made) table.edge[at[ngram]++] = e;
  return table;
}

std::vector<double> expected_counts(const NgramTable& table, std::span<const double> posterior) {
  std::vector<double> count(table.size(), 0.0);
  for (uint32_t i = 0; i < table.size(); ++i)
    for (uint32_t k = table.edge_off[i]; k < table.edge_off[i + 1]; ++k)
      count[i] += posterior[table.edge[k]];
  return count;
}

std::vector<double> ngram_posteriors(const Forest& f, std::span<const double> score,
                                     const NgramTable& table, unsigned threads) {
  LogInside in;
  log_inside(f, score, in);
  const std::vector<uint32_t> head = f.heads();
  std::vector<double> result(table.size());
  struct Scratch {
    std::vector<double> avoid;  // p(a derivation of v makes no such n-gram)
    std::vector<char> makes;
  };
  std::vector<Scratch> scratch(std::max(1u, threads));
  parallel_for(table.size(), threads, [&](size_t ngram, unsigned worker) {
    std::vector<double>& avoid = scratch[worker].avoid;
    std::vector<char>& makes = scratch[worker].makes;
    avoid.assign(f.nodes(), 1.0);
    makes.resize(f.edges(), 0);
    const std::span<const uint32_t> edges =
        std::span(table.edge)
            .subspan(table.edge_off[ngram], table.edge_off[ngram + 1] - table.edge_off[ngram]);
    for (const uint32_t e : edges) makes[e] = 1;
    // Nodes before the first edge that makes the n-gram avoid it for certain.  Where nothing below
    // an edge can make it the product is exactly 1, so the sum below is exactly the edges' total.
    for (uint32_t v = head[edges.front()]; v < f.nodes(); ++v) {
      double occurs = 0.0;  // summing what is lost keeps small posteriors accurate
      for (uint32_t e = f.in_off[v]; e < f.in_off[v + 1]; ++e) {
        double product = makes[e] != 0 ? 0.0 : 1.0;
        for (const uint32_t tail : f.tails_of(e)) product *= avoid[tail];
        occurs += in.q[e] * (1.0 - product);
      }
      avoid[v] = 1.0 - std::min(1.0, occurs);
    }
    result[ngram] = 1.0 - avoid[f.root()];
    for (const uint32_t e : edges) makes[e] = 0;
  });
  return result;
}

namespace {

// visit(e, n, known) for each n-gram that an edge makes: is it in one of the references?
template <class Visit>
void match_ngrams(const Forest& f, std::span<const std::vector<int32_t>> references,
                  size_t max_order, Visit&& visit) {
  std::vector<uint32_t> off{0};
  std::vector<int32_t> words;
  NgramIndex index(off, words);
  for (const std::vector<int32_t>& reference : references)
    for (size_t begin = 0; begin < reference.size(); ++begin)
      for (size_t n = 1; n <= max_order && begin + n <= reference.size(); ++n)
        index.add(std::span(reference).subspan(begin, n));
  EdgeNgrams ngrams(f, static_cast<uint32_t>(max_order));
  for (uint32_t e = 0; e < f.edges(); ++e)
    ngrams.each(e,
                [&](std::span<const int32_t> ngram) { visit(e, ngram.size(), index.has(ngram)); });
}

}  // namespace

std::vector<double> ngram_gain(const Forest& f, std::span<const std::vector<int32_t>> references,
                               std::span<const double> weights) {
  if (weights.size() < 2)
    throw io::Error(io::Fault::argument, "a gain needs a weight per word and one per n-gram order");
  for (const double weight : weights)
    if (!std::isfinite(weight))
      throw io::Error(io::Fault::argument, "a gain's weight is not finite");
  std::vector<double> gain(f.edges(), 0.0);
  match_ngrams(f, references, weights.size() - 1, [&](uint32_t e, size_t n, bool known) {
    if (n == 1) gain[e] += weights[0];
    if (known) gain[e] += weights[n];
  });
  return gain;
}

std::vector<float> ngram_counts(const Forest& f, std::span<const std::vector<int32_t>> references,
                                uint32_t max_order) {
  if (max_order < 1) throw io::Error(io::Fault::argument, "n-grams have at least one word");
  const size_t width = size_t{max_order} + 1;
  std::vector<float> counts(f.edges() * width, 0.0f);
  match_ngrams(f, references, max_order, [&](uint32_t e, size_t n, bool known) {
    if (n == 1) counts[e * width] += 1.0f;
    if (known) counts[e * width + n] += 1.0f;
  });
  return counts;
}

}  // namespace demotic::forest
