"""Peak memory and CPU time of alignment and of counting pairs of blocks, with and without a limit.

    python -m benchmarks.memory [--pairs 60000]

A made-up corpus of sentences with 25 words on each side.  Each run has a process of its own; its
peak is given above that of a run with ten sentences, which has Python and the libraries in it.
Pairs of blocks are those of all candidates, in a sixth of the sentences.
"""

from __future__ import annotations

import argparse
import random
import resource
import subprocess
import sys
from collections.abc import Callable, Sequence

from demotic.align import Text
from demotic.align.aligner import Aligner
from demotic.align.symmetrise import symmetrise
from demotic.grammar import BlockExtraction, EventOptions, extract_blocks, orient

WORDS = 25
LIMITS = (4 << 30, 64 << 20, 16 << 20)


def corpus(pairs: int) -> tuple[list[str], list[str]]:
    """Sentences of frequent and rare words and their translations, neighbours swapped at times."""
    random_words = random.Random(1)
    source, target = [], []
    for _ in range(pairs):
        line = [min(int(random_words.paretovariate(0.7)), 1500) for _ in range(WORDS)]
        other = list(line)
        at = random_words.randrange(WORDS - 1)
        other[at], other[at + 1] = other[at + 1], other[at]
        source.append(" ".join(f"s{word}" for word in line))
        target.append(" ".join(f"t{word}" for word in other))
    return source, target


def aligned(pairs: int, memory: int) -> None:
    Aligner.train(*corpus(pairs), memory=memory)


def counted(pairs: int, memory: int) -> None:
    lines = corpus(max(10, pairs // 6))  # candidates are many
    aligner = Aligner.train(*(side[:2000] for side in lines))
    source, target = (Text.of(side) for side in lines)
    links = symmetrise(*aligner.align(source, target), "intersection")
    blocks = extract_blocks(source, target, links, options=BlockExtraction(max_words=3))
    orient(blocks, source, target, links, options=EventOptions(pairs="candidates"), memory=memory)


RUNS: dict[str, Callable[[int, int], None]] = {"align": aligned, "pairs of blocks": counted}


def measured(name: str, pairs: int, memory: int) -> tuple[float, float]:
    """Peak megabytes and CPU seconds of one run."""
    command = [sys.executable, "-m", "benchmarks.memory", "--run", name]
    command += ["--pairs", str(pairs), "--memory", str(memory)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    peak, cpu = done.stdout.split()
    return float(peak), float(cpu)


def table(pairs: int, limits: Sequence[int]) -> None:
    print(f"{'':>16} {'limit, MB':>10} {'peak, MB':>9} {'CPU, ratio':>10}")
    for name in RUNS:
        empty, start = measured(name, 10, limits[0])
        first = None
        for memory in limits:
            peak, cpu = measured(name, pairs, memory)
            first = first or cpu - start
            ratio = (cpu - start) / first
            print(f"{name:>16} {memory >> 20:>10} {peak - empty:>9.0f} {ratio:>10.2f}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pairs", type=int, default=60_000)
    parser.add_argument("--run", choices=RUNS)
    parser.add_argument("--memory", type=int, default=LIMITS[0])
    given = parser.parse_args()
    if given.run is None:
        table(given.pairs, LIMITS)
        return
    RUNS[given.run](given.pairs, given.memory)
    used = resource.getrusage(resource.RUSAGE_SELF)
    print(used.ru_maxrss / 1024, used.ru_utime + used.ru_stime)


if __name__ == "__main__":
    main()
