// Groups of candidates being written, in memory or, where they are many, in files.
//
//   EventWriter writer(width, sparse_size, folder, memory);
//   EventWriter::Piece piece;  piece.rows ...           what one thread made of a piece of text
//   writer.append(pieces, window);                      pieces of neighbouring text, mixed
//   EventGroups events = writer.finish();
//
// Learners visit neighbours together (visit_order.h), and groups of one sentence are alike: they
// are written in an order that mixes those of all pieces given at once.  It depends on the pieces
// and on `window` alone.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "events/event_groups.h"
#include "io/growing_array.h"

namespace demotic::events {

class EventWriter {
 public:
  // `memory` bytes for each array; what is larger goes to a file in `folder`.
  EventWriter(uint32_t width, uint32_t sparse_size, const std::string& folder, size_t memory);

  struct Piece {
    std::vector<uint32_t> rows;  // candidates by group
    std::vector<float> features;
    std::vector<uint32_t> binary;        // by candidate, if there are any at all
    std::vector<uint32_t> group, label;  // by event; groups counted from the piece's first
  };
  void append(std::span<const Piece> pieces, uint64_t window);
  EventGroups finish();

 private:
  void append(const Piece& piece);

  uint32_t width_, sparse_size_;
  uint64_t candidates_ = 0;
  uint32_t groups_ = 0;
  io::GrowingArray<uint64_t> group_ptr_;
  io::GrowingArray<float> features_;
  io::GrowingArray<uint32_t> binary_, group_, label_;
};

}  // namespace demotic::events
