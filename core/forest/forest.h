// A packed forest: every derivation that a decoder considered, sharing what they have in common.
// It is a hypergraph: a node stands for a piece of the source under one nonterminal, a hyperedge
// for one way to make its head node out of its tail nodes by one rule.
//
//   1. ForestBuilder makes one from nodes and edges in any order (builder.h).
//   2. inside, outside, k-best, ... read it (inside_outside.h, kbest.h, ...).
//   3. What changes a forest returns a new one, which shares all arrays that stay the same.
//
// Invariants, established by ForestBuilder and by the loader: nodes are in topological order (each
// tail is smaller than its head); the edges of a head are contiguous; the root is the last node;
// each node has a derivation and is part of one of the root's; scores are finite.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "features/feature_space.h"
#include "io/array.h"
#include "io/error.h"
#include "text/symbol.h"

namespace demotic::forest {

// A forest is made of these.
using io::Array, io::Names, io::row;

inline constexpr uint32_t kNone = 0xffffffffu;

// The rules that edges point to.  Several forests may share one set.
struct ForestRules {
  Array<uint32_t> lhs;         // label id
  Array<uint32_t> origin;      // the caller's own number for the rule, or kNone
  Array<uint32_t> source_off;  // rules + 1
  Array<int32_t> source;       // may be empty for a rule whose source side nobody needs
  Array<uint32_t> target_off;  // rules + 1
  Array<int32_t> target;       // holds each slot exactly once
  Array<uint32_t> feature_off;
  Array<uint32_t> feature_id;
  Array<float> feature_value;

  uint32_t size() const { return static_cast<uint32_t>(lhs.size()); }
  std::span<const int32_t> source_side(uint32_t r) const { return row(source_off, source, r); }
  std::span<const int32_t> target_side(uint32_t r) const { return row(target_off, target, r); }
};

// What ids stand for.  The features are those of the model, shared by all of its forests.
struct ForestNames {
  Names words, labels;
  std::shared_ptr<const features::FeatureSpace> features;
};

// What a forest writes into a node's context for "further words that are not known".
inline constexpr int32_t kGap = -1;

struct Forest {
  // Edges, sorted by head: node v owns edges in_off[v] .. in_off[v + 1] - 1.
  Array<uint32_t> in_off;    // nodes + 1
  Array<uint32_t> tail_off;  // edges + 1
  Array<uint32_t> tails;
  Array<uint32_t> rule;
  Array<double> score;  // log-weight
  Array<float> loss;

  // Nodes.
  Array<uint32_t> label;
  Array<uint32_t> span;         // two per node: begin and end in the source
  uint32_t context_width = 0;   // 0: nodes have no context
  Array<uint32_t> context_off;  // nodes + 1, where there is context
  Array<int32_t> context;       // the whole yield if it has <= width words, else its first width
                                // words, kGap, and its last width words

  // An edge's features are the sum of its rule's, its row of the dense block and its own sparse
  // ones.
  Array<uint32_t> dense_id;
  Array<float> dense;                // edges x dense_id.size()
  Array<uint32_t> edge_feature_off;  // edges + 1, or empty when no edge has any
  Array<uint32_t> edge_feature_id;
  Array<float> edge_feature_value;

  std::shared_ptr<const ForestRules> rules;
  std::shared_ptr<const ForestNames> names;

  uint32_t nodes() const { return static_cast<uint32_t>(label.size()); }
  uint32_t edges() const { return static_cast<uint32_t>(rule.size()); }
  uint32_t root() const { return nodes() - 1; }
  std::span<const uint32_t> tails_of(uint32_t e) const { return row(tail_off, tails, e); }
  std::span<const int32_t> target_side(uint32_t e) const { return rules->target_side(rule[e]); }
  std::span<const float> dense_of(uint32_t e) const {
    return dense.view().subspan(size_t{e} * dense_id.size(), dense_id.size());
  }
  std::span<const int32_t> context_of(uint32_t v) const { return row(context_off, context, v); }
  const features::FeatureSpace& features() const { return *names->features; }
  std::vector<uint32_t> heads() const;  // the head of each edge
  uint32_t max_arity() const;

  // The same forest with other scores or losses; throws when one is not finite.
  Forest with_score(std::vector<double> values) const;
  Forest with_loss(std::vector<float> values) const;
};

// visit(id, value) for each feature of an edge: its rule's, its dense ones, its own sparse ones.
// One that comes more than once counts as often.
template <class Visit>
void for_each_feature(const Forest& f, uint32_t e, Visit&& visit) {
  const ForestRules& rules = *f.rules;
  for (uint32_t i = rules.feature_off[f.rule[e]]; i < rules.feature_off[f.rule[e] + 1]; ++i)
    visit(rules.feature_id[i], rules.feature_value[i]);
  const std::span<const float> dense = f.dense_of(e);
  for (size_t d = 0; d < dense.size(); ++d) visit(f.dense_id[d], dense[d]);
  if (f.edge_feature_off.empty()) return;
  for (uint32_t i = f.edge_feature_off[e]; i < f.edge_feature_off[e + 1]; ++i)
    visit(f.edge_feature_id[i], f.edge_feature_value[i]);
}

// Throw Error(fault) naming the place unless all invariants above hold.  Safe on any content.
void check(const Names& names, const char* what, io::Fault fault);
void check(const ForestRules& rules, const ForestNames& names, io::Fault fault);
void check(const Forest& forest, io::Fault fault);

// w . f(e) for every edge: an array of one weight per feature of the space, of which only those are
// looked at that the forest has.  Throws on a wrong length or where a score is not finite, naming
// the feature or the edge.
std::vector<double> edge_scores(const Forest& forest, std::span<const double> weights);

}  // namespace demotic::forest
