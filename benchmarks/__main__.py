"""All benchmarks, one after the other: ``make bench``, or ``python -m benchmarks lm align``."""

from __future__ import annotations

import subprocess
import sys

NAMES = (
    "corpus",
    "tokenise",
    "orthography",
    "align",
    "lm",
    "lm_estimate",
    "metrics",
    "forest",
    "extract",
    "hiero",
    "umt",
    "phrase",
    "amasis",
    "load",
    "parallel",
    "memory",
)


def main() -> None:
    """Each in a process of its own, so that none sees another's memory."""
    chosen = sys.argv[1:] or NAMES
    if unknown := sorted(set(chosen) - set(NAMES)):
        sys.exit(f"no such benchmark: {', '.join(unknown)} (there are {', '.join(NAMES)})")
    for name in chosen:
        print(f"\n== {name} ==", flush=True)
        if subprocess.run([sys.executable, "-m", f"benchmarks.{name}"], check=False).returncode:
            sys.exit(f"the benchmark {name} failed")


if __name__ == "__main__":
    main()
