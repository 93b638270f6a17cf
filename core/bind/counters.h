// Counters (core/counters.h) as Python sees them: their fields by name, read only.
#pragma once

#include <tuple>

#include "bind/bind.h"
#include "counters.h"

namespace demotic::bind {

template <class Counters>
void bind_counters(nb::module_& m, const char* name, const char* doc) {
  nb::class_<Counters> bound(m, name, doc);
  const auto add = [&](const auto& field) {
    bound.def_prop_ro(
        field.name, [member = field.member](const Counters& counters) { return counters.*member; });
  };
  std::apply([&](const auto&... field) { (add(field), ...); }, Counters::kFields);
}

}  // namespace demotic::bind
