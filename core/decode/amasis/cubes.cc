// The other way of search.h to fill a beam: only the most promising hypotheses are made.
#include <algorithm>
#include <array>

#include "decode/amasis/search.h"

namespace demotic::decode::amasis {

const AmasisSearch::Groups& AmasisSearch::grouped(uint32_t position, uint32_t area) {
  Groups& groups = grouped_[size_t{area} * (words_ + 1) + position];
  if (groups.first == kNotGrouped) {
    groups.first = static_cast<uint32_t>(groups_.size());
    group(position, area);
    groups.last = static_cast<uint32_t>(groups_.size());
  }
  return groups;
}

// Sorts the hypotheses of a position into groups that the same labels suit.
void AmasisSearch::group(uint32_t position, uint32_t area) {
  struct Member {
    std::array<uint64_t, 3> key;
    Row row;
    uint32_t depth;
  };
  std::vector<Member> members;
  for (uint32_t h = beams_[position].first; h < beams_[position].last; ++h) {
    const AmasisHypothesis& each = hypotheses_[h];
    const uint32_t depth = depth_in(area, h);
    const bool joins = waits(each, depth) || depth >= events::kMaxDepth;
    std::array<uint64_t, 3> key{uint64_t{options_.bucket(depth)} << 1 | (joins ? 1 : 0)};
    if (options_.sees_stack() && !joins) {
      const events::LabelState state = state_of(each, depth);
      key[1] = uint64_t{state.top_first} << 32 | state.top_last;
      key[2] = uint64_t{state.below_last} << 16 | uint64_t{state.last} << 8 | state.before;
    }
    members.push_back({key, {h, each.score + (settings_.concatenate ? joined_[h] : 0.0)}, depth});
  }
  std::sort(members.begin(), members.end(), [](const Member& a, const Member& b) {
    if (a.key != b.key) return a.key < b.key;
    return a.row.total != b.row.total ? a.row.total > b.row.total
                                      : a.row.hypothesis < b.row.hypothesis;
  });
  for (size_t i = 0; i < members.size(); ++i) {
    const auto row = static_cast<uint32_t>(rows_.size());
    rows_.push_back(members[i].row);
    if (i == 0 || members[i].key != members[i - 1].key)
      add_group(row, members[i].depth, (members[i].key[0] & 1) != 0);
    groups_.back().last = row + 1;
  }
}

void AmasisSearch::add_group(uint32_t row, uint32_t depth, bool joins) {
  const AmasisHypothesis& first = hypotheses_[rows_[row].hypothesis];
  groups_.push_back({row, row, depth, joins});
  if (joins || !options_.sees_stack()) return;
  groups_.back().scores = static_cast<uint32_t>(state_scores_.size());
  state_scores_.resize(state_scores_.size() + options_.stride());
  options_.score_state(state_of(first, depth), std::span(state_scores_).last(options_.stride()));
}

// The labels of the next item of a grid become columns that wait.
void AmasisSearch::look_at_labels(Grid& grid) {
  const uint32_t option = grid.next++;
  const double score = options_.option(option).score;
  const auto add = [&](const LabelChoice& choice) {
    grid.waiting.push_back({score + model_.label_score(choice.logprob), option, choice});
    std::push_heap(grid.waiting.begin(), grid.waiting.end(), worse);
  };
  if (grid.group.joins) {
    if (grid.group.depth >= events::kMaxDepth) capped_ = true;
    add({events::kShiftReduce, 0});
  } else if (options_.sees_stack()) {
    const AmasisHypothesis& first = hypotheses_[rows_[grid.group.first].hypothesis];
    const events::LabelState state = state_of(first, grid.group.depth);
    const auto scores = std::span(state_scores_).subspan(grid.group.scores, options_.stride());
    for (const LabelChoice& choice :
         options_.choices(option, options_.border(option), grid.group.depth, state, scores))
      add(choice);
  } else {
    for (const LabelChoice& choice : options_.choices(option, grid.group.depth)) add(choice);
  }
}

// Is there a column of this number?  Columns are asked for one after the other.
bool AmasisSearch::find_column(Grid& grid, uint32_t column) {
  if (column < grid.columns.size()) return true;
  // A label adds nothing to the score of its item, unless its weight is negative.
  const bool bounded = model_.label_score(-1.0) <= 0.0;
  while (grid.next < grid.last && (!bounded || grid.waiting.empty() ||
                                   grid.waiting.front().score < options_.option(grid.next).score))
    look_at_labels(grid);
  if (grid.waiting.empty()) return false;
  std::pop_heap(grid.waiting.begin(), grid.waiting.end(), worse);
  grid.columns.push_back(grid.waiting.back());
  grid.waiting.pop_back();
  return true;
}

void AmasisSearch::fill_by_cubes(uint32_t beam, uint32_t position) {
  size_t grids = 0;
  heap_.clear();
  const auto offer = [&](uint32_t number, uint32_t row, uint32_t column) {
    Grid& grid = grids_[number];
    if (grid.group.first + row >= grid.group.last || !find_column(grid, column)) return;
    heap_.push_back(
        {rows_[grid.group.first + row].total + grid.columns[column].score, number, row, column});
    std::push_heap(heap_.begin(), heap_.end(), later);
  };
  for (const ItemOptions::Piece& piece : options_.pieces_to(position)) {
    if (beam_of(piece.area, piece.end) != beam) continue;
    const Groups groups = grouped(piece.begin, piece.area);
    for (uint32_t g = groups.first; g < groups.last; ++g) {
      if (grids == grids_.size()) grids_.emplace_back();
      Grid& grid = grids_[grids];
      grid.group = groups_[g];
      grid.next = piece.first;
      grid.last = piece.last;
      grid.columns.clear();
      grid.waiting.clear();
      offer(static_cast<uint32_t>(grids++), 0, 0);
    }
  }
  for (uint32_t pops = 0; pops < settings_.pops && !heap_.empty(); ++pops) {
    const Cell cell = heap_.front();
    std::pop_heap(heap_.begin(), heap_.end(), later);
    heap_.pop_back();
    // A row is opened by the first cell of the row before it: no cell comes twice.
    offer(cell.grid, cell.row, cell.column + 1);
    if (cell.column == 0) offer(cell.grid, cell.row + 1, 0);
    const Grid& grid = grids_[cell.grid];
    const Column& column = grid.columns[cell.column];
    push(rows_[grid.group.first + cell.row].hypothesis, column.option, grid.group.depth,
         column.choice);
  }
}

}  // namespace demotic::decode::amasis
