"""core/parallel.h, compiled by itself: every chunk once, and the first failure comes out."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

CORE = Path(__file__).parents[1] / "core"

PROGRAM = r"""
#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include "parallel.h"

// chunks, threads, then the chunks that fail: prints how often each ran, and what was caught.
int main(int count, char** arguments) {
  const size_t chunks = std::strtoul(arguments[1], nullptr, 10);
  const unsigned threads = static_cast<unsigned>(std::strtoul(arguments[2], nullptr, 10));
  std::vector<std::atomic<int>> runs(chunks);
  std::string caught = "nothing";
  try {
    demotic::parallel_for(chunks, threads, [&](size_t chunk, unsigned worker) {
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
    subprocess.run(
        [compiler, "-std=c++20", "-pthread", f"-I{CORE}", "program.cc", "-o", "program"],
        cwd=folder,
        check=True,
    )
    return folder / "program"


def run(program: Path, chunks: int, threads: int, *failing: int) -> tuple[list[int], str]:
    arguments = map(str, (chunks, threads, *failing))
    done = subprocess.run([program, *arguments], capture_output=True, text=True, check=True)
    *runs, caught = done.stdout.split()
    return [int(each) for each in runs], caught


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
