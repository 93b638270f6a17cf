"""What a call of the core's ``parallel_for`` costs: threads that stay beside threads started anew.

    python -m benchmarks.parallel

Compiles a small program with the core's own files.  A call has 16 chunks of equal work: none, or
2000 or 20,000 additions.  Both ways take turns in one run; a figure is the least time of its turns,
in microseconds per call.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

CORE = Path(__file__).parents[1] / "core"
PROGRAM = r"""
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <thread>
#include <vector>
#include "parallel.h"

// As parallel_for was before its threads stayed.
template <class Work>
void started_anew(size_t chunks, unsigned threads, Work&& work) {
  std::atomic<size_t> next{0};
  const auto run = [&](unsigned worker) {
    for (size_t chunk; (chunk = next.fetch_add(1)) < chunks;) work(chunk, worker);
  };
  std::vector<std::jthread> others;
  for (unsigned worker = 1; worker < threads; ++worker) others.emplace_back(run, worker);
  run(0);
}

template <class Calls>
double microseconds(int calls, Calls&& call) {
  const auto begin = std::chrono::steady_clock::now();
  for (int i = 0; i < calls; ++i) call();
  const auto end = std::chrono::steady_clock::now();
  return std::chrono::duration<double, std::micro>(end - begin).count() / calls;
}

int main() {
  for (const unsigned threads : {2u, 8u}) {
    for (const int work : {0, 2000, 20000}) {
      const auto chunk = [&](size_t number, unsigned) {
        volatile double sum = 0;
        for (int i = 0; i < work; ++i) sum = sum + static_cast<double>(number);
      };
      double stay = 1e9, anew = 1e9;
      const int calls = 1 + 50 / (1 + work / 1000);  // short turns: other programs run, too
      for (int turn = 0; turn < 300; ++turn) {
        const auto with_new = [&] { started_anew(16, threads, chunk); };
        const auto with_old = [&] { demotic::parallel_for(16, threads, chunk); };
        anew = std::min(anew, microseconds(calls, with_new));
        stay = std::min(stay, microseconds(calls, with_old));
      }
      std::printf("%u %d %.1f %.1f\n", threads, work, anew, stay);
    }
  }
}
"""


def measured() -> list[list[str]]:
    """Rows of threads, work of a chunk, cost with new threads and with those that stay."""
    compiler = shutil.which("c++") or shutil.which("g++")
    if compiler is None:
        sys.exit("no C++ compiler")
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "program.cc").write_text(PROGRAM)
        flags = ["-std=c++20", "-O2", "-pthread", f"-I{CORE}"]
        sources = ["program.cc", str(CORE / "parallel.cc")]
        subprocess.run([compiler, *flags, *sources, "-o", "program"], cwd=folder, check=True)
        done = subprocess.run([Path(folder) / "program"], capture_output=True, check=True)
    return [line.split() for line in done.stdout.decode().splitlines()]


def main() -> None:
    print(f"{'threads':>7} {'work':>6} {'anew':>8} {'stay':>8} {'ratio':>6}")
    for threads, work, anew, stay in measured():
        ratio = float(anew) / max(float(stay), 0.1)
        print(f"{threads:>7} {work:>6} {anew:>8} {stay:>8} {ratio:>6.1f}")


if __name__ == "__main__":
    main()
