// Estimation in memory, on a trie of reversed n-grams that one radix sort gives for free.
//
//   std::vector<CountedNgram<2>> ngrams = ...;        distinct, in suffix order, with raw counts
//   auto model = estimate_in_memory<2>(ngrams, ...);
//
// A node of level k is a k-gram; its parent is the (k-1)-gram without the first word, its children
// add a word in front and are sorted by it.  A node's adjusted count is its number of children, so
// the trie is the count.  The context of w_1 ... w_k is found without hashing: it is the child w_1
// of the context of w_2 ... w_k, and both lists of children are sorted.
#pragma once

#include <memory>
#include <vector>

#include "lm/estimate.h"
#include "lm/ngram_sort.h"

namespace demotic::lm {

template <size_t Limbs>
struct CountedNgram {
  PackedNgram<Limbs> key;
  uint64_t count;
  void absorb(const CountedNgram& other) { count += other.count; }
};

// Level k of the trie: arrays over its nodes in suffix order.
struct TrieLevel {
  std::vector<uint32_t> word;         // the first word
  std::vector<uint32_t> first_child;  // in the next level; one more entry than nodes
  std::vector<uint32_t> count;        // adjusted; freed once used
  std::vector<uint32_t> context;      // node of the level below; freed once used
  std::vector<bool> pruned;           // empty when nothing is
  std::vector<float> prob, backoff;   // in the end base-10 logarithms

  size_t size() const { return word.size(); }
};

// Bytes that a trie with these numbers of nodes takes at most while it is estimated.
uint64_t trie_bytes(const std::vector<uint64_t>& nodes);

template <size_t Limbs>
std::unique_ptr<EstimatedModel> estimate_in_memory(std::vector<CountedNgram<Limbs>> ngrams,
                                                   text::Vocab vocab, const Pruning& pruning,
                                                   const EstimateOptions& options,
                                                   const NgramPacking& packing, const Tick& tick);

}  // namespace demotic::lm
