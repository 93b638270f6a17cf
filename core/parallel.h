// Threads without races in the result: work is cut into chunks whose borders do not depend on the
// number of threads, and whoever needs a sum adds the chunks' partial sums in index order.
//
//   parallel_for(chunks, threads, [&](size_t chunk, unsigned worker) { ... });
//
// `worker` < threads names the thread's scratch space.  The first exception (by chunk index) is
// rethrown after all threads have stopped.
//
// Threads are started when they are first needed, stay for the life of the process and sleep
// between calls.  Calls may be nested and may come from several threads: a caller takes part in its
// own work and never waits for a helper that has not begun.
#pragma once

#include <atomic>
#include <cstddef>
#include <exception>
#include <mutex>

namespace demotic {

// Calls run(work, 0) here and run(work, 1 ... threads - 1) on other threads, as many of these as
// come before the first is done; returns when all have returned.  They must not throw.
void run_with_helpers(unsigned threads, void (*run)(void* work, unsigned worker), void* work);

template <class Work>
void parallel_for(size_t chunks, unsigned threads, Work&& work) {
  if (threads <= 1 || chunks <= 1) {
    for (size_t chunk = 0; chunk < chunks; ++chunk) work(chunk, 0u);
    return;
  }
  if (threads > chunks) threads = static_cast<unsigned>(chunks);
  std::atomic<size_t> next{0};
  std::mutex guard;
  std::exception_ptr failure;
  size_t failed_chunk = chunks;
  auto run = [&](unsigned worker) {
    for (size_t chunk; (chunk = next.fetch_add(1)) < chunks;) {
      try {
        work(chunk, worker);
      } catch (...) {
        const std::scoped_lock lock(guard);
        if (chunk < failed_chunk) {
          failed_chunk = chunk;
          failure = std::current_exception();
        }
        next.store(chunks);
      }
    }
  };
  run_with_helpers(
      threads, [](void* all, unsigned worker) { (*static_cast<decltype(run)*>(all))(worker); },
      &run);
  if (failure) std::rethrow_exception(failure);
}

}  // namespace demotic
