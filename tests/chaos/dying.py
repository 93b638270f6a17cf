"""The command line, in a process that may die at a point that was chosen before.

    python -m tests.chaos.dying FOLDER TRACE WHEN AT train ...

WHEN is ``file``, before the AT-th change of a file below FOLDER (Python's own; the core's show in
the other way); ``cpu``, after AT seconds of CPU time, whatever it does; or ``never``.  SIGKILL is
what comes: nothing is flushed, closed or put in order.  With ``memory`` nobody kills it: it gets AT
bytes of addresses beyond what it has when its libraries are loaded.  TRACE is where a process that
lived writes what it took.
"""

from __future__ import annotations

import contextlib
import ctypes
import json
import os
import resource
import signal
import sys
import time
from collections.abc import Sequence
from pathlib import Path

CHANGES = {
    "os.rename", "os.remove", "os.rmdir", "os.mkdir", "os.link", "os.symlink", "os.chmod",
    "os.truncate",
}  # fmt: skip
_WRITES = os.O_WRONLY | os.O_RDWR


class Changes:
    """Counts changes of files below a folder, as Python announces them."""

    def __init__(self, folder: Path, last: int) -> None:
        self.folder = folder
        self.cache = folder / "tmp" / "cache"
        self.last = last
        self.count = 0
        self.begun = 0.0
        """CPU seconds before the first of them."""

    def __call__(self, event: str, arguments: tuple[object, ...]) -> None:
        """An audit hook: it is asked before anything happens."""
        if event == "open":
            if not (isinstance(arguments[2], int) and arguments[2] & _WRITES):
                return
        elif event not in CHANGES:
            return
        path = arguments[0]
        if not isinstance(path, str | bytes | os.PathLike):
            return
        place = Path.cwd() / os.fsdecode(path)
        if not place.is_relative_to(self.folder) or place.is_relative_to(self.cache):
            return
        self.count += 1
        self.begun = self.begun or time.process_time()
        if self.count == self.last:
            os.kill(os.getpid(), signal.SIGKILL)


class _Event(ctypes.Structure):
    """``struct sigevent`` of Linux."""

    _fields_ = (
        ("value", ctypes.c_void_p),
        ("signo", ctypes.c_int),
        ("notify", ctypes.c_int),
        ("rest", ctypes.c_char * 48),
    )


def die_after(seconds: float) -> None:
    """A timer of the system's, which waits for no interpreter and no lock."""
    system = ctypes.CDLL(None, use_errno=True)
    timer = ctypes.c_void_p()
    event = _Event(signo=signal.SIGKILL, notify=0)
    clock = time.CLOCK_PROCESS_CPUTIME_ID
    if system.timer_create(clock, ctypes.byref(event), ctypes.byref(timer)):
        raise OSError(ctypes.get_errno(), "timer_create")
    whole, part = int(seconds), int(seconds % 1 * 1e9)
    spec = (ctypes.c_long * 4)(0, 0, whole, max(part, 1))
    if system.timer_settime(timer, 0, ctypes.byref(spec), None):
        raise OSError(ctypes.get_errno(), "timer_settime")


def _addresses(which: str) -> int:
    status = Path("/proc/self/status").read_text()
    return int(status.split(f"{which}:")[1].split()[0]) * 1024


def leave(memory: int) -> None:
    """Limit addresses, when everything is loaded: what happens before is for others to answer."""
    import duckdb

    import demotic.cli.train
    import demotic.corpus
    import demotic.grammar.extraction
    import demotic.learn.tuner  # noqa: F401

    duckdb.connect().sql("select 1").fetchall()
    hard = resource.getrlimit(resource.RLIMIT_AS)[1]
    resource.setrlimit(resource.RLIMIT_AS, (_addresses("VmSize") + memory, hard))


def main(arguments: Sequence[str]) -> None:
    """As the process's arguments say."""
    folder, trace, when, at, *rest = arguments
    changes = Changes(Path(folder), int(at) if when == "file" else 0)
    sys.addaudithook(changes)
    if when == "cpu":
        die_after(max(float(at) - time.process_time(), 1e-3))
    if when == "memory":
        leave(int(at))
    from demotic.__main__ import main as run

    sys.argv = ["demotic", *rest]
    try:
        run()
    finally:
        spent = resource.getrusage(resource.RUSAGE_SELF)
        record = {
            "changes": changes.count,
            "begun": changes.begun,
            "cpu": spent.ru_utime + spent.ru_stime,
            "addresses": _addresses("VmPeak"),
        }
        with contextlib.suppress(OSError):  # where there is no room
            Path(trace).write_text(json.dumps(record))


if __name__ == "__main__":
    main(sys.argv[1:])
