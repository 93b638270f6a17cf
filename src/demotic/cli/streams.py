"""Standard streams that the caller closed: ``demotic inspect FILE >&-``.

Without them a file that is opened later would get their number, and be written to by whoever means
the stream; and Python's own are None.
"""

from __future__ import annotations

import io
import os
import sys
from typing import NoReturn

from demotic.errors import FileAccessError

_REMEDIES = {"input": "name a file, or redirect it: < FILE", "output": "redirect it: > FILE"}


def guard() -> None:
    """Put something in the place of each stream that is closed."""
    for number in range(3):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)  # the lowest number that is free
    if sys.stdin is None:
        sys.stdin = ClosedStream("input")
    if sys.stdout is None:
        sys.stdout = ClosedStream("output")
    if sys.stderr is None:  # nobody could be told of it
        sys.stderr = open(os.devnull, "w", encoding="utf-8")  # noqa: PTH123, SIM115


class ClosedStream(io.TextIOBase):
    """Says so when it is used."""

    def __init__(self, name: str) -> None:
        self._name = name

    def read(self, size: int | None = -1, /) -> NoReturn:
        self._refuse()

    def write(self, text: str, /) -> NoReturn:
        self._refuse()

    @property
    def buffer(self) -> NoReturn:
        """For bytes."""
        self._refuse()

    def _refuse(self) -> NoReturn:
        raise FileAccessError(
            "is closed", path=f"standard {self._name}", remedy=_REMEDIES[self._name]
        )
