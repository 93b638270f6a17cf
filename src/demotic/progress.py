"""What long work tells the user while it runs.

    with progress.step("aligning", total=10) as advance:
        for round in range(10):
            ...
            advance(1)

Library calls take a ``Progress`` and default to ``SILENT``; the command line passes one that fits
the terminal, a log file, or ``--json-log``.  What a user had better know, such as a model too small
to use, is no progress: who says nothing passes it on to Python's ``warnings``.
"""

from __future__ import annotations

import json
import sys
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import IO, TYPE_CHECKING

from demotic.terminal import shown_line

if TYPE_CHECKING:
    from rich import progress as bars
    from rich.console import Console

Advance = Callable[[int], None]


class DemoticWarning(UserWarning):
    """What somebody had better know of their text, settings or model."""


class Progress:
    """Says nothing, but for warnings; the base of those who speak."""

    @contextmanager
    def step(self, title: str, total: int | None = None, unit: str = "") -> Iterator[Advance]:
        """One piece of work; call the yielded function with the amount done since the last call."""
        yield lambda amount: None

    def say(self, message: str) -> None:
        """One line of news."""

    def warn(self, message: str) -> None:
        """One line that should not be missed."""
        warnings.warn(message, DemoticWarning, stacklevel=_callers_level())


def _callers_level() -> int:
    """Of ``warnings.warn``: the code that called Demotic."""
    frame, level = sys._getframe(1), 1
    while frame.f_back is not None and frame.f_globals.get("__name__", "").startswith("demotic."):
        frame, level = frame.f_back, level + 1
    return level


SILENT = Progress()


class QuietProgress(Progress):
    """Says nothing at all."""

    def warn(self, message: str) -> None:
        pass


class SpokenProgress(Progress):
    """Warnings stand among the news."""

    def warn(self, message: str) -> None:
        self.say(f"warning: {message}")


class TerminalProgress(SpokenProgress):
    """A bar on a terminal."""

    def __init__(self, console: Console | None = None) -> None:
        from rich.console import Console

        self._console = console or Console(stderr=True)
        self._bars: bars.Progress | None = None  # one display, also for steps within steps

    @contextmanager
    def step(self, title: str, total: int | None = None, unit: str = "") -> Iterator[Advance]:
        with self._display() as display:
            task = display.add_task(title, total=total, unit=unit)
            yield lambda amount: display.advance(task, amount)

    @contextmanager
    def _display(self) -> Iterator[bars.Progress]:
        if self._bars is not None:
            yield self._bars
            return
        from rich import progress as bars

        columns: list[bars.ProgressColumn] = [
            bars.TextColumn("{task.description}", markup=False),
            bars.BarColumn(),
            bars.MofNCompleteColumn(),
            bars.TextColumn("{task.fields[unit]}"),
            bars.TimeElapsedColumn(),
        ]
        with bars.Progress(*columns, console=self._console) as self._bars:
            try:
                yield self._bars
            finally:
                self._bars = None

    def say(self, message: str) -> None:
        self._console.print(shown_line(message), highlight=False, markup=False)


class PlainProgress(SpokenProgress):
    """A line now and then, for logs."""

    def __init__(self, stream: IO[str] | None = None, every: float = 5.0) -> None:
        self._stream = stream or sys.stderr
        self._every = every

    @contextmanager
    def step(self, title: str, total: int | None = None, unit: str = "") -> Iterator[Advance]:
        begin = last = time.monotonic()
        done = 0

        def advance(amount: int) -> None:
            nonlocal done, last
            done += amount
            now = time.monotonic()
            if now - last >= self._every:
                last = now
                self._report(title, done, total, unit, now - begin, finished=False)

        yield advance
        self._report(title, done, total, unit, time.monotonic() - begin, finished=True)

    def say(self, message: str) -> None:
        print(shown_line(message), file=self._stream, flush=True)

    def _report(
        self, title: str, done: int, total: int | None, unit: str, seconds: float, *, finished: bool
    ) -> None:
        amount = f"{done:,}" if total is None or finished else f"{done:,}/{total:,}"
        self.say(f"{title}: {amount} {unit}".rstrip() + f" ({seconds:.1f} s)")


class JsonProgress(PlainProgress):
    """One JSON object per line, for machines."""

    def say(self, message: str) -> None:
        self._write({"event": "message", "text": message})

    def warn(self, message: str) -> None:
        self._write({"event": "warning", "text": message})

    def _report(
        self, title: str, done: int, total: int | None, unit: str, seconds: float, *, finished: bool
    ) -> None:
        self._write(
            {
                "event": "done" if finished else "progress",
                "step": title,
                "amount": done,
                "total": total,
                "unit": unit,
                "seconds": round(seconds, 3),
            }
        )

    def _write(self, record: dict[str, object]) -> None:
        print(json.dumps(record, ensure_ascii=False), file=self._stream, flush=True)
