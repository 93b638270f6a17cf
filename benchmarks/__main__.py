"""All benchmarks, one after the other: ``make bench``, or ``python -m benchmarks lm align``.

What each prints is kept in ``bench-out/NAME.txt``, and the last one, ``page``, makes
``bench-out/index.html`` of all.  Benchmarks that want a model or files of one's own (``serve``,
``glossary``, ``documents``, ``remembering``, ``sharing``) or take long (``growth``) are run by
hand, and so is ``neural``, which wants the extra of its name.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

NAMES = (
    "corpus",
    "tokenise",
    "orthography",
    "align",
    "lm",
    "lm_estimate",
    "metrics",
    "forest",
    "mert",
    "extract",
    "hiero",
    "umt",
    "phrase",
    "blocks",
    "amasis",
    "load",
    "parallel",
    "memory",
    "trained",
    "curve",
    "page",
)
FOLDER = Path("bench-out")


def run(name: str) -> int:
    """One in a process of its own, so that none sees another's memory; its output is kept."""
    command = [sys.executable, "-u", "-m", f"benchmarks.{name}"]
    FOLDER.mkdir(exist_ok=True)
    kept = FOLDER / f"{name}.txt"
    with (
        subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as running,
        kept.open("w", encoding="utf-8") as out,
    ):
        assert running.stdout is not None
        for line in running.stdout:
            print(line, end="", flush=True)
            out.write(line)
    if name == "page":
        kept.unlink()  # it is no part of itself
    return running.returncode


def main() -> None:
    """Those that are named, or all."""
    chosen = sys.argv[1:] or NAMES
    if unknown := sorted(set(chosen) - set(NAMES)):
        sys.exit(f"no such benchmark: {', '.join(unknown)} (there are {', '.join(NAMES)})")
    for name in chosen:
        print(f"\n== {name} ==", flush=True)
        if run(name):
            sys.exit(f"the benchmark {name} failed")


if __name__ == "__main__":
    main()
