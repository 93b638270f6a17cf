// CPU seconds of the calling thread, for the timers of decoders.
#pragma once

#include <ctime>

namespace demotic::decode {

inline double thread_seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

}  // namespace demotic::decode
