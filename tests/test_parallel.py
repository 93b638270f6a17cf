"""core/parallel.h, compiled by itself: every chunk runs once, failures come out, nobody hangs."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

CORE = Path(__file__).parents[1] / "core"

PROGRAM = r"""
#include <sys/wait.h>
#include <unistd.h>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>
#include "parallel.h"

using demotic::parallel_for;

thread_local int allocations_left = -1;  // -1: any number

void* operator new(size_t size) {
  if (allocations_left == 0) throw std::bad_alloc();
  if (allocations_left > 0) --allocations_left;
  return std::malloc(size);
}
void operator delete(void* place) noexcept { std::free(place); }
void operator delete(void* place, size_t) noexcept { std::free(place); }

// The sum of the chunks' numbers by way of each worker's own, inside one another `depth` times.
size_t nested_sum(size_t chunks, unsigned threads, int depth) {
  std::vector<size_t> sums(threads, 0);
  parallel_for(chunks, threads, [&](size_t chunk, unsigned worker) {
    sums[worker] += depth == 0 ? chunk : nested_sum(chunks, threads, depth - 1);
  });
  size_t sum = 0;
  for (const size_t each : sums) sum += each;
  return sum;
}

// Several callers at once, each with calls inside calls.
void at_once() {
  std::vector<size_t> sums(6);
  std::vector<std::thread> callers;
  for (unsigned i = 0; i < sums.size(); ++i)
    callers.emplace_back([&, i] {
      for (int again = 0; again < 20; ++again) sums[i] += nested_sum(5, 2 + i, 2);
    });
  for (std::thread& caller : callers) caller.join();
  for (const size_t sum : sums) std::printf("%zu ", sum);
}

// A child has none of its parent's threads, and starts its own, as does a child of the child.
void forks(int generations) {
  std::printf("%zu ", nested_sum(50, 4, 0));
  std::fflush(stdout);
  if (generations == 0) return;
  const pid_t child = ::fork();
  if (child == 0) return forks(generations - 1);
  int status = 0;
  ::waitpid(child, &status, 0);
  std::printf("%zu ", nested_sum(50, 4, 0));
}

// No memory for a new thread: the caller works alone, and the threads that are there are left as
// they were.
void starved() {
  std::printf("%zu ", nested_sum(50, 2, 0));
  for (int again = 0; again < 100; ++again) {
    allocations_left = 1;  // for the sums
    try {
      std::printf("%zu ", nested_sum(50, 40, 0));
    } catch (const std::bad_alloc&) {
      std::printf("0 ");
    }
    allocations_left = -1;
    nested_sum(50, 2, 0);  // threads that were left with what the call left behind take it up
  }
}

// chunks, threads, then the chunks that fail: prints how often each ran, and what was caught.
int main(int count, char** arguments) {
  if (std::strcmp(arguments[1], "at_once") == 0) return at_once(), 0;
  if (std::strcmp(arguments[1], "forks") == 0) return forks(2), 0;
  if (std::strcmp(arguments[1], "starved") == 0) return starved(), 0;
  const size_t chunks = std::strtoul(arguments[1], nullptr, 10);
  const unsigned threads = static_cast<unsigned>(std::strtoul(arguments[2], nullptr, 10));
  std::vector<std::atomic<int>> runs(chunks);
  std::string caught = "nothing";
  try {
    parallel_for(chunks, threads, [&](size_t chunk, unsigned worker) {
      if (worker >= threads) std::abort();
      ++runs[chunk];
      for (int i = 3; i < count; ++i)
        if (std::strtoul(arguments[i], nullptr, 10) == chunk)
          throw std::runtime_error(std::to_string(chunk));
    });
  } catch (const std::runtime_error& error) {
    caught = error.what();
  }
  for (const auto& each : runs) std::printf("%d ", each.load());
  std::printf("%s", caught.c_str());
}
"""


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    compiler = shutil.which("c++") or shutil.which("g++")
    if compiler is None:
        pytest.skip("no C++ compiler")
    folder = tmp_path_factory.mktemp("parallel")
    (folder / "program.cc").write_text(PROGRAM)
    sources = ["program.cc", CORE / "parallel.cc"]
    subprocess.run(
        [compiler, "-std=c++20", "-pthread", f"-I{CORE}", *sources, "-o", "program"],
        cwd=folder,
        check=True,
    )
    return folder / "program"


def run(program: Path, chunks: int, threads: int, *failing: int) -> tuple[list[int], str]:
    arguments = map(str, (chunks, threads, *failing))
    done = subprocess.run([program, *arguments], capture_output=True, text=True, check=True)
    *runs, caught = done.stdout.split()
    return [int(each) for each in runs], caught


def test_callers_at_once_and_calls_within_calls_all_end(program: Path) -> None:
    done = subprocess.run([program, "at_once"], capture_output=True, text=True, check=True)
    assert [int(each) for each in done.stdout.split()] == [20 * 5 * 5 * 10] * 6


def test_a_forked_process_starts_threads_of_its_own(program: Path) -> None:
    done = subprocess.run([program, "forks"], capture_output=True, text=True, check=True)
    assert [int(each) for each in done.stdout.split()] == [1225] * 5


def test_a_thread_that_finds_no_memory_is_done_without(program: Path) -> None:
    done = subprocess.run([program, "starved"], capture_output=True, text=True, check=True)
    assert [int(each) for each in done.stdout.split()] == [1225] * 101


def test_python_forks_and_ends_while_threads_sleep() -> None:
    script = """
import os
from demotic import _core
bleu = _core.SentenceBleu(["a b c d"], _core.BleuOptions(_core.BleuSmoothing.none, 0.0, False))
texts = ["a b c d", "a b c d e"] * 500
score = lambda: list(bleu.scores(texts, 4)) == [bleu.score(text) for text in texts]
print(score(), flush=True)
child = os.fork()
print(score(), flush=True)
if child:
    assert os.waitpid(child, 0)[1] == 0
"""
    command = [sys.executable, "-W", "ignore", "-c", script]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert (done.stdout.count("True"), done.stdout.count("False")) == (3, 0)
    assert done.stderr == ""


@pytest.mark.parametrize("threads", [1, 2, 5])
@pytest.mark.parametrize("chunks", [0, 1, 3, 400])
def test_every_chunk_runs_once(program: Path, chunks: int, threads: int) -> None:
    assert run(program, chunks, threads) == ([1] * chunks, "nothing")


@pytest.mark.parametrize("threads", [1, 2, 5])
@pytest.mark.parametrize("failing", [(0,), (7, 8, 9), (399,), (20, 300)])
def test_the_failure_of_the_lowest_chunk_comes_out(
    program: Path, threads: int, failing: tuple[int, ...]
) -> None:
    for _ in range(5):
        runs, caught = run(program, 400, threads, *failing)
        assert caught == str(failing[0])
        assert set(runs[: failing[0] + 1]) == {1}
        assert set(runs) <= {0, 1}
