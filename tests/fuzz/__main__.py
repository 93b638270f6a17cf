"""Put every reader to changed input, each for some seconds.

    python -m tests.fuzz --seconds 10 --seed 1      all readers
    python -m tests.fuzz text "core lm"             those whose names begin so
    python -m tests.fuzz --guided ...               by atheris (pip install demotic[fuzz])
    python -m tests.fuzz --ledger FILE --inputs N   until each has taken so many, over all runs

Names are those of ``readers.py`` and, for files of the core, ``core KIND`` of
``tests/io/hostile.py``.  Each reader runs in a process of its own.  What it could not take is
written to ``fuzz-out``; it belongs into ``tests/fuzz/found/NAME``, from where ``test_fuzz.py``
reads it ever after.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import time
from pathlib import Path

from tests.fuzz.ledger import Ledger

ROOT = Path(__file__).parents[2]
ROUND = 300  # cases of a kind of the core's files, before a look at the clock
ROUNDS = 1_000_000  # of one seed


def main() -> None:
    options = _options()
    known = _names()
    wanted = options.names or [""]
    # In the order asked for, each once.
    names = list(dict.fromkeys(n for each in wanted for n in known if n.startswith(each)))
    if not names:
        sys.exit("no reader has such a name")
    failed = []
    ledger = Ledger(options.ledger)
    for name in names:
        first = ledger.inputs(name, options.seed)
        last = options.inputs - ledger.inputs(name) + first
        if last <= first:
            continue
        run = _core if name.startswith("core ") else _reader
        done, inputs, seconds = run(name, options, first, last)
        ledger.add(name, options.seed, inputs, cpu=seconds, failed=not done)
        rate = f"{inputs / max(seconds, 1e-9):,.0f} per CPU second"
        said = f"{name:28} {inputs:>9,} inputs, {rate}"
        if options.ledger:
            said += f", {ledger.inputs(name):,} in all"
        print(f"{said}{'' if done else '   FAILED'}", flush=True)
        failed += [] if done else [name]
    if options.ledger:
        options.ledger.with_suffix(".md").write_text(f"{ledger.table()}\n")
    if failed:
        sys.exit(f"{len(failed)} failed: {', '.join(failed)}; see {options.out}")


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz")
    parser.add_argument("names", nargs="*", metavar="NAME")
    parser.add_argument("--seconds", type=float, default=5, help="of CPU time for each reader")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--inputs", type=int, default=1 << 62, help="for each reader, at most")
    parser.add_argument("--ledger", type=Path, help="a file to count inputs in, and to go on from")
    parser.add_argument("--guided", action="store_true", help="let atheris look for new branches")
    parser.add_argument("--out", type=Path, default=ROOT / "fuzz-out")
    return parser.parse_args()


def _names() -> list[str]:
    from tests.fuzz.readers import readers
    from tests.io.hostile import USES

    return [*readers(), *(f"core {kind}" for kind in USES)]


def _reader(
    name: str, options: argparse.Namespace, first: int, last: int
) -> tuple[bool, int, float]:
    """Ended well, inputs, seconds."""
    module = "tests.fuzz.guided" if options.guided else "tests.fuzz.seeded"
    command = [sys.executable, "-m", module, name, str(options.seconds), str(options.seed)]
    command += [str(options.out), *([] if options.guided else [str(first), str(last)])]
    done = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, text=True, check=False)
    last = done.stdout.splitlines()[-1:] or ["0 0"]
    inputs, seconds = last[0].split()
    return done.returncode == 0, int(inputs), float(seconds)


def _core(name: str, options: argparse.Namespace, first: int, last: int) -> tuple[bool, int, float]:
    """Cases of rounds, each with a seed of its own."""
    kind = name.removeprefix("core ")
    inputs, begin = 0, _children()
    deadline = time.monotonic() + 10 * options.seconds
    while (
        _children() - begin < options.seconds
        and time.monotonic() < deadline
        and first + inputs < last
    ):
        seed = options.seed * ROUNDS + (first + inputs) // ROUND
        command = [sys.executable, "-m", "tests.io.hostile", kind, str(seed), str(ROUND)]
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
        inputs += len(done.stdout.splitlines())
        if done.returncode != 0:
            print(" ".join(command[1:]), done.stdout.splitlines()[-1:], done.stderr[-3000:])
            return False, inputs, _children() - begin
    return True, inputs, _children() - begin


def _children() -> float:
    times = os.times()
    return times.children_user + times.children_system


if __name__ == "__main__":
    main()
