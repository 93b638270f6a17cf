#include "forest/derivation.h"

#include <string>

#include "forest/inside_outside.h"

namespace demotic::forest {

void check_length(size_t length) {
  if (length > kLongest)
    throw io::Error(io::Fault::argument,
                    "a derivation of more than " + std::to_string(kLongest) + " edges or words");
}

Derivation expand(const Forest& f, std::span<const uint32_t> best) {
  Derivation d;
  std::vector<uint32_t> open{f.root()};
  while (!open.empty()) {
    const uint32_t e = best[open.back()];
    open.pop_back();
    d.push_back(e);
    const std::span<const uint32_t> tails = f.tails_of(e);
    open.insert(open.end(), tails.rbegin(), tails.rend());
    check_length(d.size() + open.size());
  }
  return d;
}

std::vector<uint32_t> best_edges(const Forest& f, std::span<const MaxPlus> beta) {
  std::vector<uint32_t> best(f.nodes());
  for (uint32_t v = 0; v < f.nodes(); ++v)
    best[v] = beta[v].edge != kNone ? beta[v].edge : f.in_off[v];
  return best;
}

Derivation viterbi(const Forest& f, std::span<const double> score, double* value) {
  std::vector<MaxPlus> beta(f.nodes());
  inside<MaxPlus>(f, [&](uint32_t e) { return MaxPlus{score[e], e}; }, beta);
  if (value != nullptr) *value = beta[f.root()].value;
  return expand(f, best_edges(f, beta));
}

std::vector<uint32_t> children(const Forest& f, std::span<const uint32_t> d, uint32_t top) {
  // Slots still to be filled, the next one last: the node expected, and where to note its position.
  struct Open {
    uint32_t node, at;
  };
  std::vector<uint32_t> position;
  std::vector<Open> open{{top, kNone}};
  for (uint32_t i = 0; i < d.size(); ++i) {
    const uint32_t e = d[i];
    if (e >= f.edges() || open.empty() || e < f.in_off[open.back().node] ||
        e >= f.in_off[open.back().node + 1])
      throw io::Error(io::Fault::argument,
                      "edge " + std::to_string(e) + " does not continue the derivation");
    if (open.back().at != kNone) position[open.back().at] = i;
    open.pop_back();
    const std::span<const uint32_t> tails = f.tails_of(e);
    const auto first = static_cast<uint32_t>(position.size());
    position.resize(position.size() + tails.size());
    for (size_t k = tails.size(); k-- > 0;)
      open.push_back({tails[k], first + static_cast<uint32_t>(k)});
  }
  if (!open.empty()) throw io::Error(io::Fault::argument, "the derivation ends too early");
  return position;
}

std::vector<int32_t> yield(const Forest& f, std::span<const uint32_t> d, Side side) {
  const std::vector<uint32_t> position = children(f, d, f.root());
  std::vector<uint32_t> first(d.size());  // of each edge's entries in `position`
  uint32_t count = 0;
  for (size_t i = 0; i < d.size(); ++i) {
    first[i] = count;
    count += f.tail_off[d[i] + 1] - f.tail_off[d[i]];
  }
  struct Frame {
    uint32_t at, symbol;
  };
  std::vector<int32_t> words;
  std::vector<Frame> stack{{0, 0}};
  while (!stack.empty()) {
    Frame& frame = stack.back();
    const uint32_t rule = f.rule[d[frame.at]];
    const std::span<const int32_t> program =
        side == Side::target ? f.rules->target_side(rule) : f.rules->source_side(rule);
    if (frame.symbol == program.size()) {
      stack.pop_back();
      continue;
    }
    const int32_t symbol = program[frame.symbol++];
    if (text::is_slot(symbol))
      stack.push_back({position[first[frame.at] + text::slot_of(symbol)], 0});
    else
      words.push_back(symbol);
    check_length(words.size());
  }
  return words;
}

}  // namespace demotic::forest
