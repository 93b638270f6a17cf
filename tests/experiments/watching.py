"""A progress that tests read."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from demotic.progress import Advance, SpokenProgress


class Watching(SpokenProgress):
    """What was done."""

    def __init__(self) -> None:
        self.steps: list[str] = []
        self.said: list[str] = []

    @contextmanager
    def step(self, title: str, total: int | None = None, unit: str = "") -> Iterator[Advance]:
        self.steps.append(title)
        yield lambda amount: None

    def say(self, message: str) -> None:
        self.said.append(message)
