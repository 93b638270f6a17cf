#include "trees/bitree.h"

#include <algorithm>

#include "io/error.h"

namespace demotic::trees {

void CellsView::check() const {
  const auto refuse = [](bool wrong) {
    if (wrong) throw io::Error(io::Fault::argument, "arrays that are no cells of a tree");
  };
  refuse(tokens == 0 || size() < tokens || begins[0] != 0 || begins[size()] != block.size() ||
         sibling.size() != block.size() || right.size() != block.size());
  for (size_t cell = 0; cell < size(); ++cell) {
    refuse(begins[cell] > begins[cell + 1] || begins[cell + 1] > block.size());
    refuse((cell < tokens) != (begins[cell] == begins[cell + 1]));
    for (uint32_t a = begins[cell]; a < begins[cell + 1]; ++a)
      refuse(block[a] >= cell || sibling[a] >= cell);
  }
}

Bitree BitreeSearch::best(const CellsView& cells, const BitreeCandidates& candidates,
                          uint32_t target_size) {
  cells.check();
  const auto refuse = [](bool wrong) {
    if (wrong) throw io::Error(io::Fault::argument, "candidates that do not fit the tree");
  };
  refuse(candidates.begins.size() != size_t{cells.tokens} + 1 || candidates.begins[0] != 0 ||
         candidates.begins.back() != candidates.position.size() ||
         candidates.position.size() != candidates.weight.size());
  for (size_t token = 0; token < cells.tokens; ++token)
    refuse(candidates.begins[token] > candidates.begins[token + 1]);
  place_.assign(target_size, 0);
  for (size_t i = 0; i < candidates.position.size(); ++i) {
    refuse(candidates.position[i] >= target_size || !(candidates.weight[i] < 1e9));
    place_[candidates.position[i]] = 1;
  }
  places_.clear();
  for (uint32_t k = 0; k < target_size; ++k)
    if (place_[k]) {
      place_[k] = static_cast<uint32_t>(places_.size());
      places_.push_back(k);
    }
  width_ = static_cast<uint32_t>(places_.size());
  tables_.assign(cells.size() * (width_ + 1) * (width_ + 1), 0.0);
  for (size_t token = 0; token < cells.tokens; ++token) fill_leaf(candidates, token);
  for (size_t cell = cells.tokens; cell < cells.size(); ++cell) fill_block(cells, cell);
  Bitree made;
  made.weight = table(cells.size() - 1)[at(0, width_)];
  made.link.assign(cells.tokens, kNoLink);
  trace(cells, candidates, made);
  return made;
}

void BitreeSearch::fill_leaf(const BitreeCandidates& candidates, size_t token) {
  double* const values = table(token);
  for (uint32_t i = candidates.begins[token]; i < candidates.begins[token + 1]; ++i) {
    const uint32_t place = place_[candidates.position[i]];
    for (uint32_t a = 0; a <= place; ++a)
      for (uint32_t b = place + 1; b <= width_; ++b)
        values[at(a, b)] = std::max(values[at(a, b)], candidates.weight[i]);
  }
}

void BitreeSearch::fill_block(const CellsView& cells, size_t cell) {
  double* const values = table(cell);
  for (uint32_t i = cells.begins[cell]; i < cells.begins[cell + 1]; ++i) {
    const double* const block = table(cells.block[i]);
    const double* const sibling = table(cells.sibling[i]);
    for (uint32_t a = 0; a <= width_; ++a)
      for (uint32_t b = a; b <= width_; ++b) {
        double best = values[at(a, b)];
        for (uint32_t m = a; m <= b; ++m) {
          best = std::max(best, block[at(a, m)] + sibling[at(m, b)]);
          best = std::max(best, sibling[at(a, m)] + block[at(m, b)]);
        }
        values[at(a, b)] = best;
      }
  }
}

void BitreeSearch::trace(const CellsView& cells, const BitreeCandidates& candidates, Bitree& made) {
  struct Part {
    uint32_t cell, begin, end;
  };
  std::vector<Part> waiting{{static_cast<uint32_t>(cells.size() - 1), 0, width_}};
  while (!waiting.empty()) {
    const Part part = waiting.back();
    waiting.pop_back();
    const double wanted = table(part.cell)[at(part.begin, part.end)];
    if (part.cell < cells.tokens) {
      if (wanted <= 0.0) continue;
      for (uint32_t i = candidates.begins[part.cell]; i < candidates.begins[part.cell + 1]; ++i) {
        const uint32_t place = place_[candidates.position[i]];
        if (place < part.begin || place >= part.end || candidates.weight[i] != wanted) continue;
        made.link[part.cell] = std::min(made.link[part.cell], candidates.position[i]);
      }
      continue;
    }
    bool found = false;
    for (const bool swapped : {false, true}) {
      for (uint32_t i = cells.begins[part.cell]; i < cells.begins[part.cell + 1] && !found; ++i) {
        // The block is before the sibling in the target if it is so in the source and kept there.
        const bool block_first = (cells.right[i] != 0) != swapped;
        const uint32_t one = block_first ? cells.block[i] : cells.sibling[i];
        const uint32_t other = block_first ? cells.sibling[i] : cells.block[i];
        for (uint32_t m = part.begin; m <= part.end && !found; ++m) {
          if (table(one)[at(part.begin, m)] + table(other)[at(m, part.end)] != wanted) continue;
          found = true;
          made.steps.push_back({part.cell, i, swapped});
          waiting.push_back({one, part.begin, m});
          waiting.push_back({other, m, part.end});
        }
      }
      if (found) break;
    }
  }
  std::sort(made.steps.begin(), made.steps.end(),
            [](const Bitree::Step& a, const Bitree::Step& b) { return a.cell < b.cell; });
}

}  // namespace demotic::trees
