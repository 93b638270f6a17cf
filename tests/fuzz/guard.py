"""One input at a time, watched: no error but ours, few seconds, less than a gigabyte."""

from __future__ import annotations

import contextlib
import faulthandler
import hashlib
import resource
import signal
import sys
import time
import traceback
from collections.abc import Iterator
from pathlib import Path

from tests.fuzz.readers import Reader

SLOW = 10  # seconds of CPU for 20 KB
HANGS = 300
AGAIN = 10  # seconds after which the clock of hangs starts again; each start is a thread
MEMORY = 1 << 30
_started: float | None = None


class TooSlowError(BaseException):
    """Raised inside of a reader, by the clock."""


def limit() -> None:
    """Let this process have a gigabyte more, and be told when an input takes long."""
    used = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    hard = resource.getrlimit(resource.RLIMIT_AS)[1]
    resource.setrlimit(resource.RLIMIT_AS, (used + MEMORY, hard))
    signal.signal(signal.SIGVTALRM, _too_slow)
    _watch()


def _watch() -> None:
    """End this process if it should hang, with a traceback."""
    global _started
    _started = time.monotonic()
    faulthandler.dump_traceback_later(HANGS, exit=True)


def _too_slow(*_: object) -> None:
    raise TooSlowError(f"more than {SLOW} s")


@contextlib.contextmanager
def _watched() -> Iterator[None]:
    signal.setitimer(signal.ITIMER_VIRTUAL, SLOW)
    if _started is not None and time.monotonic() - _started > AGAIN:
        _watch()
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)


def passes(name: str, reader: Reader, content: bytes, out: Path) -> bool:
    """Does the reader take it?  If not, it is kept in ``out``, with the reason."""
    try:
        with _watched():
            reader(content)
    except (Exception, TooSlowError):
        digest = hashlib.sha256(content).hexdigest()[:12]
        out.mkdir(parents=True, exist_ok=True)
        kept = out / f"{name} {digest}".replace(" ", "-")
        kept.write_bytes(content)
        print(f"{name}: {kept}\n{traceback.format_exc()[-2500:]}", file=sys.stderr, flush=True)
        return False
    return True
