// Counters that add up: a struct lists its fields once, with the names that users see, and sums and
// bindings follow from the list.
//
//   struct SearchCounters {
//     uint64_t pops = 0;
//     double seconds = 0;
//     static constexpr auto kFields =
//         std::tuple{CounterField{"pops", &SearchCounters::pops},
//                    CounterField{"seconds", &SearchCounters::seconds}};
//   };
//   add_counters(sum, counters);
//
// A struct that has those of another one as well inherits from it and begins its list with that
// one's (std::tuple_cat).  What is not listed is not added.
#pragma once

#include <tuple>

namespace demotic {

template <class Owner, class Value>
struct CounterField {
  const char* name;
  Value Owner::* member;
};

template <class Counters>
void add_counters(Counters& to, const Counters& from) {
  std::apply([&](const auto&... field) { ((to.*field.member += from.*field.member), ...); },
             Counters::kFields);
}

}  // namespace demotic
