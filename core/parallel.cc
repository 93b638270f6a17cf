#include "parallel.h"

#include <pthread.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <condition_variable>
#include <thread>
#include <vector>

namespace demotic {

namespace {

// One call under way, on its caller's stack.
struct Team {
  void (*run)(void*, unsigned);
  void* work;
  unsigned size;
  unsigned joined = 1;   // workers that have begun, the caller first
  unsigned helping = 0;  // helpers that have begun and not ended
  std::condition_variable left;
};

// Threads that wait for teams to join.  A pool is never destroyed: its threads sleep when the
// process ends, and after a fork the child, which has none of them, starts a pool of its own.
class ThreadPool {
 public:
  static ThreadPool& of_this_process();

  void run(Team& team) {
    unsigned wanted = team.size - 1;
    {
      const std::scoped_lock lock(guard_);
      open_.push_back(&team);
      for (const Team* other : open_)
        if (other != &team) wanted += other->size - other->joined;
      grow(wanted);
    }
    wake(wanted);
    team.run(team.work, 0);
    std::unique_lock lock(guard_);
    std::erase(open_, &team);
    team.left.wait(lock, [&] { return team.helping == 0; });
  }

 private:
  // Each thread that wakes up wakes two more, so that no caller pays for all, and nobody wakes
  // threads for work that was done meanwhile.
  void wake(size_t wanted) {
    for (size_t i = 0; i < std::min<size_t>(wanted, 2); ++i) team_.notify_one();
  }

  void grow(unsigned wanted) {
    // Signals are for the threads that the process knows of.
    sigset_t all, before;
    if (idle_ >= wanted) return;
    ::sigfillset(&all);
    ::pthread_sigmask(SIG_SETMASK, &all, &before);
    try {
      for (; idle_ < wanted; ++idle_) std::thread(&ThreadPool::help, this).detach();
    } catch (const std::exception&) {
      // As many as the system and memory allow: the caller does without the rest.
    }
    ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  }

  [[noreturn]] void help() {
    // The C library makes a thread's record of exceptions when the first one is thrown, and ends
    // the process where there is no memory for it: have it made while there is some.
    [[maybe_unused]] const volatile int thrown = std::uncaught_exceptions();
    std::unique_lock lock(guard_);
    for (;;) {
      team_.wait(lock, [&] { return !open_.empty(); });
      --idle_;
      Team& team = *open_.front();
      const unsigned worker = team.joined++;
      ++team.helping;
      if (team.joined == team.size) open_.erase(open_.begin());
      const size_t more = open_.empty() ? 0 : 2;
      lock.unlock();
      wake(more);
      team.run(team.work, worker);
      lock.lock();
      ++idle_;
      if (--team.helping == 0) team.left.notify_one();
    }
  }

  const pid_t process_ = ::getpid();
  std::mutex guard_;              // of what follows
  std::condition_variable team_;  // there is a team to join
  std::vector<Team*> open_;       // teams that want helpers, the oldest first
  unsigned idle_ = 0;             // threads without a team
};

// No lock that a fork could leave locked.
ThreadPool& ThreadPool::of_this_process() {
  static std::atomic<ThreadPool*> current{nullptr};
  ThreadPool* pool = current.load();
  while (pool == nullptr || pool->process_ != ::getpid()) {
    auto* fresh = new ThreadPool;
    if (current.compare_exchange_strong(pool, fresh)) return *fresh;
    delete fresh;
  }
  return *pool;
}

}  // namespace

void run_with_helpers(unsigned threads, void (*run)(void* work, unsigned worker), void* work) {
  Team team{.run = run, .work = work, .size = threads, .left = {}};
  ThreadPool::of_this_process().run(team);
}

}  // namespace demotic
