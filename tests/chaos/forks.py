"""Processes that begin with everything loaded, which takes as long as half of a small training.

    forks = Forks()
    code, errors = forks.run(arguments, folder, environment)      # those of ``dying.py``

What is forked shares the seed of Python's hashes; a process of its own has another one.
"""

from __future__ import annotations

import faulthandler
import importlib
import json
import os
import pkgutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[2]
NEEDED = tuple(
    f"demotic.{name}"
    for name in (
        "align", "bundle", "cli.train", "corpus", "decode", "engine", "features", "forest",
        "glossary", "grammar", "learn", "lm", "memory", "metrics", "model", "parse", "systems",
        "transduce", "trees",
    )
)  # fmt: skip


class Forks:
    """A process that waits for something to do, and has a child of its do it."""

    def __init__(self) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tests.chaos.forks"], cwd=ROOT, text=True,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE,
        )  # fmt: skip

    def run(
        self, arguments: Sequence[str], folder: Path, environment: Mapping[str, str]
    ) -> tuple[int, str]:
        """How ``dying.py`` ended that was given these arguments, and what it said."""
        descriptor, name = tempfile.mkstemp()
        os.close(descriptor)
        errors = Path(name)  # not in the folder, whose disk may be full
        request = [list(arguments), str(folder), dict(environment), str(errors)]
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        print(json.dumps(request), file=self._process.stdin, flush=True)
        code, said = int(self._process.stdout.readline()), errors.read_text(errors="replace")
        errors.unlink()
        return code, said


@cache
def forks() -> Forks:
    """Of this process."""
    return Forks()


def _load() -> None:
    """All that a training may import; nothing of it runs, so that no thread is lost by forking."""
    import duckdb  # noqa: F401
    import pyarrow.compute
    import pyarrow.ipc  # noqa: F401
    import sacrebleu.metrics  # noqa: F401

    import demotic

    for module in pkgutil.walk_packages(demotic.__path__, "demotic."):
        if module.name.startswith(NEEDED):
            importlib.import_module(module.name)


def _work() -> None:
    _load()
    from tests.chaos.dying import main

    for line in sys.stdin:
        arguments, folder, environment, errors = json.loads(line)
        child = os.fork()
        if child == 0:
            os.environ |= environment
            os.chdir(folder)
            for number, path in ((0, os.devnull), (1, os.devnull), (2, errors)):
                os.dup2(os.open(path, os.O_RDWR | os.O_CREAT | os.O_TRUNC, 0o666), number)
            faulthandler.enable()
            main(arguments)
            sys.exit()
        print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)


if __name__ == "__main__":
    _work()
