// Threads without races in the result: work is cut into chunks whose borders do not depend on the
// number of threads, and whoever needs a sum adds the chunks' partial sums in index order.
//
//   parallel_for(chunks, threads, [&](size_t chunk, unsigned worker) { ... });
//
// `worker` < threads names the thread's scratch space.  The first exception (by chunk index) is
// rethrown after all threads have stopped.
#pragma once

#include <atomic>
#include <cstddef>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace demotic {

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
  std::vector<std::jthread> pool;
  for (unsigned worker = 1; worker < threads; ++worker) pool.emplace_back(run, worker);
  run(0);
  pool.clear();
  if (failure) std::rethrow_exception(failure);
}

}  // namespace demotic
