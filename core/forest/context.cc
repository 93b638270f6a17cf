#include "forest/context.h"

#include <algorithm>
#include <map>
#include <string>

namespace demotic::forest {

namespace {

// The context of a text that may hold gaps: all of it if it is short and whole, else its ends.
// A gap always has `width` words on either side, so no word beyond the first gap is needed.
std::vector<int32_t> context_of(const std::vector<int32_t>& text, uint32_t width) {
  const bool whole = std::find(text.begin(), text.end(), kGap) == text.end();
  if (whole && text.size() <= width) return text;
  std::vector<int32_t> context(text.begin(), text.begin() + width);
  context.push_back(kGap);
  context.insert(context.end(), text.end() - width, text.end());
  return context;
}

constexpr size_t kEdgesPerNode = 64;  // versions of tails multiply: edges outgrow nodes by far

}  // namespace

Forest refine(const Forest& f, uint32_t width, size_t max_nodes) {
  Forest refined;
  if (!try_refine(f, width, {.nodes = max_nodes, .edges = kEdgesPerNode * max_nodes}, refined))
    throw io::Error(io::Fault::argument,
                    "a context of " + std::to_string(width) + " words needs more than " +
                        std::to_string(max_nodes) + " nodes, or " + std::to_string(kEdgesPerNode) +
                        " times as many edges",
                    0, "prune the forest first or raise max_nodes");
  return refined;
}

bool try_refine(const Forest& f, uint32_t width, const RefineLimit& most, Forest& refined,
                Provenance* provenance) {
  if (width == 0) throw io::Error(io::Fault::argument, "a context of no words");
  ForestBuilder builder(f, width);
  std::vector<std::vector<uint32_t>> versions(f.nodes());  // of each old node: new nodes
  std::vector<std::vector<int32_t>> context;               // of each new node
  std::vector<uint32_t> choice, tails, copied;
  std::vector<int32_t> text;
  // The root may have any context: nothing is ever written to the left or right of it.
  for (uint32_t v = 0; v < f.nodes(); ++v) {
    std::map<std::vector<int32_t>, uint32_t> number;
    for (uint32_t e = f.in_off[v]; e < f.in_off[v + 1]; ++e) {
      const std::span<const uint32_t> old = f.tails_of(e);
      choice.assign(old.size(), 0);
      bool more = true;
      while (more) {
        tails.clear();
        for (size_t i = 0; i < old.size(); ++i) tails.push_back(versions[old[i]][choice[i]]);
        text.clear();
        for (const int32_t symbol : f.target_side(e)) {
          if (!text::is_slot(symbol)) {
            text.push_back(symbol);
            continue;
          }
          const std::vector<int32_t>& part = context[tails[text::slot_of(symbol)]];
          text.insert(text.end(), part.begin(), part.end());
        }
        const std::vector<int32_t> own =
            v == f.root() ? std::vector<int32_t>() : context_of(text, width);
        const auto [at, fresh] = number.try_emplace(own, builder.nodes());
        if (fresh) {
          if (builder.nodes() >= most.nodes) return false;
          builder.add_node(f.label[v], f.span[2 * v], f.span[2 * v + 1], own);
          context.push_back(own);
          versions[v].push_back(at->second);
        }
        if (builder.edges() >= most.edges) return false;
        builder.copy_edge(f, e, at->second, tails);
        copied.push_back(e);
        // Next combination of the tails' versions, the last tail fastest.
        more = false;
        for (size_t i = old.size(); i-- > 0 && !more;) {
          more = ++choice[i] < versions[old[i]].size();
          if (!more) choice[i] = 0;
        }
      }
    }
  }
  refined = builder.finalize(versions[f.root()][0], provenance);
  if (provenance != nullptr)
    for (uint32_t& e : provenance->edge) e = copied[e];
  return true;
}

EdgeNgrams::EdgeNgrams(const Forest& f, uint32_t max_order) : f_(f), max_order_(max_order) {
  if (max_order == 0) throw io::Error(io::Fault::argument, "n-grams of no words");
  if (max_order > 1 && f.context_width + 1 < max_order)
    throw io::Error(io::Fault::argument,
                    "n-grams of " + std::to_string(max_order) +
                        " words need nodes with contexts of " + std::to_string(max_order - 1) +
                        " words",
                    0, "refine the forest first");
}

void EdgeNgrams::write(uint32_t e) {
  text_.clear();
  part_.clear();
  const std::span<const uint32_t> tails = f_.tails_of(e);
  for (const int32_t symbol : f_.target_side(e)) {
    if (!text::is_slot(symbol)) {
      text_.push_back(symbol);
      part_.push_back(kNone);
      continue;
    }
    if (f_.context_width == 0) {  // unigrams lie in the rule
      text_.push_back(kGap);
      part_.push_back(kNone);
      continue;
    }
    for (const int32_t word : f_.context_of(tails[text::slot_of(symbol)])) {
      text_.push_back(word);
      part_.push_back(text::slot_of(symbol));
    }
  }
}

}  // namespace demotic::forest
