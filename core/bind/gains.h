// What leaves of boosted trees promise, by name.
#pragma once

#include <string>

#include "io/error.h"
#include "learn/boosting.h"

namespace demotic::bind {

inline learn::Gain gain_by_name(const std::string& name) {
  if (name == "printed") return learn::Gain::printed;
  if (name == "hard") return learn::Gain::hard;
  throw io::Error(io::Fault::argument, "there is no gain '" + name + "'", 0, "printed or hard");
}

}  // namespace demotic::bind
