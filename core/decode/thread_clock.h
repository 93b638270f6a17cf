// CPU seconds of the calling thread, for the timers of decoders.
//
//   const ThreadTimer timer(counters.seconds);      adds what goes by until its end
#pragma once

#include <ctime>

namespace demotic::decode {

inline double thread_seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

class ThreadTimer {
 public:
  explicit ThreadTimer(double& seconds) : seconds_(seconds) {}
  ThreadTimer(const ThreadTimer&) = delete;
  ThreadTimer& operator=(const ThreadTimer&) = delete;
  ~ThreadTimer() { seconds_ += thread_seconds() - begin_; }

 private:
  double& seconds_;
  double begin_ = thread_seconds();
};

}  // namespace demotic::decode
