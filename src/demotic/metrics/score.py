"""A number that says how it came about."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Interval:
    """A bootstrap confidence interval of a corpus score."""

    low: float
    high: float
    level: float
    samples: int
    seed: int


@dataclass(frozen=True)
class Score:
    """A corpus score with the signature that makes it reproducible."""

    name: str
    value: float
    signature: str
    interval: Interval | None = None

    def __str__(self) -> str:
        spread = ""
        if self.interval is not None:
            spread = f" [{self.interval.low:.2f}, {self.interval.high:.2f}]"
        return f"{self.name} {self.value:.2f}{spread} ({self.signature})"
