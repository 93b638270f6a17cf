"""Where one process decodes: 1 and 2 threads, and what several processes of one model share.

    python -m benchmarks.sharing MODEL LINES            # a file of source sentences

Throughput is given by the clock and in CPU time; the first says something on an idle machine alone.
Memory is what the kernel says of each process when all of them have translated the lines: RSS
counts every page that a process has mapped, PSS a page that n processes share as an n-th part.
Pages of the model's files are in the page cache once; what each process has for itself is
`private`.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import time
from itertools import islice
from pathlib import Path

import demotic
from demotic import files

PROCESSES = (1, 2, 4)


def kilobytes() -> dict[str, int]:
    """What the kernel says of this process."""
    lines = Path("/proc/self/smaps_rollup").read_text().splitlines()[1:]
    return {line.split(":")[0]: int(line.split()[1]) for line in lines}


def work(model: Path, lines: list[str]) -> None:
    """One of several processes: translate, then tell when asked to, then go when asked to."""
    list(demotic.load(model).translate_lines(lines))
    print("ready", flush=True)
    sys.stdin.readline()
    told = kilobytes()
    private = told["Private_Clean"] + told["Private_Dirty"]
    print(told["Rss"], told["Pss"], private, told["Anonymous"], flush=True)
    sys.stdin.readline()


def shared(model: Path, source: Path, count: int, processes: int) -> list[list[int]]:
    """RSS, PSS, private and anonymous memory in kB of processes that have the model at once."""
    arguments = [sys.executable, "-m", "benchmarks.sharing", str(model), str(source)]
    children = [
        subprocess.Popen(
            [*arguments, "--count", str(count), "--work"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        for _ in range(processes)
    ]

    def asked(child: subprocess.Popen[str]) -> str:
        assert child.stdin is not None
        assert child.stdout is not None
        child.stdin.write("\n")
        child.stdin.flush()
        return child.stdout.readline()

    for child in children:
        assert child.stdout is not None
        child.stdout.readline()
    told = [[int(each) for each in asked(child).split()] for child in children]
    for child in children:
        child.communicate("\n")
    return told


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("model", type=Path)
    parser.add_argument("lines", type=Path)
    parser.add_argument("--count", type=int, default=1000, help="lines to translate, at most")
    parser.add_argument("--work", action="store_true", help=argparse.SUPPRESS)
    given = parser.parse_args()
    lines = list(islice(files.read_lines(given.lines), given.count))
    if given.work:
        work(given.model, lines)
        return
    model = demotic.load(given.model)
    list(model.translate_lines(lines[:50]))
    for threads in (1, 2):
        begin, cpu = time.perf_counter(), time.process_time()
        list(model.translate_lines(lines, threads=threads))
        clock, used = time.perf_counter() - begin, time.process_time() - cpu
        print(
            f"{threads} thread{'s' if threads > 1 else ''}: {len(lines) / clock:,.0f} lines a "
            f"second by the clock, {1e3 * used / len(lines):.2f} CPU ms a line"
        )
    bundle = model.bundle
    size = sum(bundle.path(name).stat().st_size for name in bundle.parts)
    print(f"model: {size / 1e6:,.0f} MB on disk")
    del model
    for processes in PROCESSES:
        told = shared(given.model, given.lines, given.count, processes)
        names = ("RSS", "PSS", "private", "anonymous")
        means = [sum(column) / len(told) / 1024 for column in zip(*told, strict=True)]
        values = ", ".join(
            f"{name} {value:,.0f} MB" for name, value in zip(names, means, strict=True)
        )
        total = processes * means[1]
        print(f"{processes} process(es): each {values}; all together {total:,.0f} MB")


if __name__ == "__main__":
    main()
