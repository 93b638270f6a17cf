// The k best derivations, lazily: Algorithm 3 of Huang & Chiang (2005).
//
//   KBest best(f, f.score, {.k = 100, .unique = true});
//   for (size_t rank = 0; best.reach(rank); ++rank) { best.score(rank); best.derivation(rank); }
//
// Each node keeps a heap of candidates (e, j): edge e over the j_i-th best derivation of its i-th
// tail.  Its next result is the top of the heap, whose successors (e, j + 1_i) then enter.  A
// candidate has several predecessors; only the one that differs in its last coordinate > 0 makes
// it, so each is made once and no set of seen candidates is needed.
//
// With `unique`, a node gives each string once, by its best derivation.  Doing this at every node
// is exact and keeps the lists short.  Strings are compared by hash, and word by word on a hit.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "forest/derivation.h"
#include "forest/forest.h"
#include "hash_index.h"

namespace demotic::forest {

struct KBestOptions {
  size_t k = 100;       // the most results that will be asked for
  bool unique = false;  // by target string
  size_t max_pops = 0;  // candidates looked at per node; 0 stands for 50 * k + 1000
};

class KBest {
 public:
  KBest(const Forest& f, std::span<const double> score, const KBestOptions& options);

  bool reach(size_t rank);  // is there a result of this rank (0 = best)?
  double score(size_t rank) const { return nodes_[f_.root()].results[rank].score; }
  Derivation derivation(size_t rank) const;
  bool truncated() const { return truncated_; }  // a node stopped at max_pops: some may be missing
  uint64_t pops() const { return pops_; }

 private:
  struct Item {
    double score;
    uint32_t edge;
    uint32_t ranks;   // where j begins in ranks_
    uint64_t hash;    // of the string, with its length: known once it is popped
    uint64_t weight;  // kBase ^ length
  };
  struct Node {
    std::vector<Item> heap, results;
    Item pending;  // popped last; its successors from slot `next` on are still to be made
    uint32_t next = 0;
    bool seeded = false, has_pending = false, done = false;
    size_t pops = 0;
  };
  struct Demand {
    uint32_t node;
    size_t rank;
  };

  bool known(uint32_t node, size_t rank) const {
    return nodes_[node].done || nodes_[node].results.size() > rank;
  }
  bool worse(const Item& a, const Item& b) const;  // the heap's order
  void seed(uint32_t v);
  bool expand_pending(uint32_t v);
  bool tails_ready(const Item& item);
  void accept(uint32_t v);
  void run(uint32_t v, size_t rank);
  double total(uint32_t e, uint32_t ranks) const;
  void set_string(Item& item) const;
  bool new_string(uint32_t v, const Item& item);
  std::vector<int32_t> string_of(const Item& item) const;

  const Forest& f_;
  std::span<const double> edge_score_;
  KBestOptions options_;
  std::vector<double> best_;  // of each node
  std::vector<Node> nodes_;
  std::vector<uint32_t> ranks_;
  std::vector<Demand> stack_;
  struct String {
    uint32_t node, result;
  };
  std::vector<String> strings_;  // that nodes gave, each once
  HashIndex string_index_;
  bool truncated_ = false;
  uint64_t pops_ = 0;
};

}  // namespace demotic::forest
