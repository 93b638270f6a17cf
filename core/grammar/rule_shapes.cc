#include "grammar/rule_shapes.h"

#include <map>
#include <span>

namespace demotic::grammar {

namespace {

// Two bits for each piece of a source side, the last lowest; 0 is the empty side.
constexpr uint32_t kWords = 1;
constexpr uint32_t kNonterminal = 2;
constexpr uint32_t kFull = 1u << 30;  // only a damaged table has so many pieces

uint32_t extended(uint32_t shape, text::Symbol symbol) {
  if (shape >= kFull) return shape;
  if (!text::is_word(symbol)) return shape << 2 | kNonterminal;
  return (shape & 3) == kWords ? shape : shape << 2 | kWords;
}

std::string written(uint32_t shape) {
  std::string text;
  for (; shape != 0; shape >>= 2) {
    if (!text.empty()) text.insert(0, 1, ' ');
    text.insert(0, 1, (shape & 3) == kWords ? 'w' : 'X');
  }
  return text;
}

bool swaps(const io::PackedRow<text::Symbol>& target) {
  uint32_t last = 0;
  for (const text::Symbol symbol : target) {
    if (text::is_word(symbol)) continue;
    if (text::slot_of(symbol) < last) return true;
    last = text::slot_of(symbol);
  }
  return false;
}

}  // namespace

std::vector<RuleShape> rule_shapes(const RuleTable& table) {
  std::vector<uint32_t> shapes(table.nodes(), 0);  // by node
  std::map<uint32_t, RuleShape> found;
  for (uint32_t node = 1; node < table.nodes(); ++node) {
    const uint32_t parent = table.parent(node);
    if (parent < node) shapes[node] = extended(shapes[parent], table.symbol(node));
    const uint32_t first = table.first_rule(node);
    const uint32_t last = table.last_rule(node);
    if (first >= last) continue;
    RuleShape& shape = found[shapes[node]];
    ++shape.sources;
    shape.rules += last - first;
    for (uint32_t rule = first; rule < last; ++rule)
      if (swaps(table.target(rule))) ++shape.reordered;
  }
  std::vector<RuleShape> out;
  for (auto& [code, shape] : found) {
    shape.source = written(code);
    out.push_back(std::move(shape));
  }
  return out;
}

}  // namespace demotic::grammar
