#include "events/event_groups.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "io/error.h"

namespace demotic::events {

namespace {

[[noreturn]] void refuse(const std::string& what) { throw io::Error(io::Fault::argument, what); }

void check_costs(const EventGroups& events) {
  if (events.cost.empty()) return;
  if (events.cost.size() != events.candidates()) refuse("a cost is needed per candidate");
  for (const float cost : events.cost)
    if (!std::isfinite(cost)) refuse("a cost is not finite");
  for (size_t e = 0; e < events.events(); ++e) {
    const std::span<const float> costs = events.costs(events.group[e]);
    if (costs[events.label[e]] > *std::min_element(costs.begin(), costs.end()))
      refuse("event " + std::to_string(e + 1) + ": another candidate costs less than its label");
  }
}

}  // namespace

std::vector<uint64_t> event_borders(std::span<const uint32_t> group, size_t groups) {
  std::vector<uint64_t> borders(groups + 1, 0);
  for (size_t e = 0; e < group.size(); ++e) {
    if (group[e] >= groups || (e > 0 && group[e] < group[e - 1]))
      refuse("event " + std::to_string(e + 1) + " names a group that is not there or comes before");
    ++borders[group[e] + 1];
  }
  for (size_t g = 0; g < groups; ++g) borders[g + 1] += borders[g];
  return borders;
}

void check(const EventGroups& events) {
  if (events.group_ptr.empty() || events.group_ptr[0] != 0) refuse("borders of groups begin at 0");
  for (size_t g = 0; g < events.groups(); ++g) {
    if (events.group_ptr[g] > events.group_ptr[g + 1]) refuse("borders of groups must ascend");
    if (events.group_ptr[g + 1] - events.group_ptr[g] > UINT32_MAX) refuse("a group is too large");
  }
  const size_t most = events.width == 0 ? SIZE_MAX : SIZE_MAX / events.width;
  if (events.candidates() > most || events.features.size() != events.candidates() * events.width)
    refuse("a value is needed per candidate and feature");
  if (!events.binary.empty() && events.binary.size() != events.candidates())
    refuse("a binary feature is needed per candidate, or none at all");
  if (events.group.size() != events.label.size()) refuse("each event has a group and a label");
  if (!std::ranges::equal(events.event_ptr, event_borders(events.group, events.groups())))
    refuse("borders of events do not fit");
  for (const uint32_t b : events.binary)
    if (b != kNoBinary && b >= events.sparse_size) refuse("there is no such binary feature");
  if (!events.sparse_ends.empty() || !events.sparse_ids.empty())
    check(events.sparse_rows(), events.candidates(), events.sparse_size, io::Fault::argument);
  for (size_t e = 0; e < events.events(); ++e) {
    if (events.group[e] >= events.groups() || events.label[e] >= events.rows(events.group[e]))
      refuse("event " + std::to_string(e + 1) + " names a candidate that is not there");
  }
  for (size_t i = 0; i < events.features.size(); ++i)
    if (!std::isfinite(events.features[i]))
      refuse("feature value " + std::to_string(i + 1) + " is not finite");
  check_costs(events);
}

}  // namespace demotic::events
