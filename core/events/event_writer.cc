#include "events/event_writer.h"

#include "events/permutation.h"
#include "io/error.h"

namespace demotic::events {

namespace {

// A group of a piece: where its candidates and its events are.
struct Place {
  uint32_t piece;
  uint32_t rows;
  size_t candidate;
  size_t event, events;
};

}  // namespace

EventWriter::EventWriter(uint32_t width, uint32_t sparse_size, const std::string& folder,
                         size_t memory)
    : width_(width),
      sparse_size_(sparse_size),
      group_ptr_(folder, memory),
      features_(folder, memory),
      binary_(folder, memory),
      group_(folder, memory),
      label_(folder, memory) {
  const uint64_t zero = 0;
  group_ptr_.append(std::span(&zero, 1));
}

void EventWriter::append(std::span<const Piece> pieces, uint64_t window) {
  std::vector<Place> places;
  size_t candidates = 0;
  for (const Piece& piece : pieces) {
    size_t candidate = 0, event = 0;
    for (uint32_t g = 0; g < piece.rows.size(); ++g) {
      size_t end = event;
      while (end < piece.group.size() && piece.group[end] == g) ++end;
      places.push_back({static_cast<uint32_t>(&piece - pieces.data()), piece.rows[g], candidate,
                        event, end - event});
      candidate += piece.rows[g];
      event = end;
    }
    candidates += candidate;
  }
  Piece mixed;
  mixed.rows.reserve(places.size());
  mixed.features.reserve(candidates * width_);
  if (sparse_size_ > 0) mixed.binary.reserve(candidates);
  const auto copy = [](auto& to, const auto& from, size_t begin, size_t count) {
    const auto first = from.begin() + static_cast<ptrdiff_t>(begin);
    to.insert(to.end(), first, first + static_cast<ptrdiff_t>(count));
  };
  const Permutation order(places.size(), 1, window);
  for (size_t i = 0; i < places.size(); ++i) {
    const Place& place = places[order(i)];
    const Piece& piece = pieces[place.piece];
    copy(mixed.features, piece.features, place.candidate * width_, size_t{place.rows} * width_);
    if (sparse_size_ > 0) copy(mixed.binary, piece.binary, place.candidate, place.rows);
    mixed.group.insert(mixed.group.end(), place.events, static_cast<uint32_t>(i));
    copy(mixed.label, piece.label, place.event, place.events);
    mixed.rows.push_back(place.rows);
  }
  append(mixed);
}

void EventWriter::append(const Piece& piece) {
  if (piece.rows.size() > UINT32_MAX - groups_)
    throw io::Error(io::Fault::argument, "more than four billion groups of events", 0,
                    "use less text");
  std::vector<uint64_t> borders;
  for (const uint32_t rows : piece.rows) borders.push_back(candidates_ += rows);
  group_ptr_.append(borders);
  features_.append(piece.features);
  if (sparse_size_ > 0) binary_.append(piece.binary);
  std::vector<uint32_t> groups = piece.group;
  for (uint32_t& g : groups) g += groups_;
  group_.append(groups);
  label_.append(piece.label);
  groups_ += static_cast<uint32_t>(piece.rows.size());
}

EventGroups EventWriter::finish() {
  io::Array<uint32_t> group = group_.finish();
  return {.width = width_,
          .sparse_size = sparse_size_,
          .group_ptr = group_ptr_.finish(),
          .features = features_.finish(),
          .binary = binary_.finish(),
          .event_ptr = io::Array<uint64_t>(event_borders(group, groups_)),
          .group = group,
          .label = label_.finish()};
}

}  // namespace demotic::events
