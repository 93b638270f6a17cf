"""What an inspection found out."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

Fact = str | int | float | bool | list[str] | Mapping[str, int] | Mapping[str, float]


@dataclass(frozen=True)
class Report:
    """One file: what it is, what is in it, what is odd about it, what is wrong with it."""

    path: str
    kind: str
    bytes: int | None  # on disk; none for a pipe
    facts: Mapping[str, Fact]
    remarks: tuple[str, ...] = ()
    problems: tuple[str, ...] = field(default=())

    def lines(self) -> list[str]:
        """The report for people."""
        size = "" if self.bytes is None else f", {self.bytes:,} bytes"
        out = [f"{self.path}: {self.kind}{size}"]
        for name, fact in self.facts.items():
            if isinstance(fact, Mapping):
                out.append(f"  {name}:")
                out += _table(fact)
            else:
                out.append(f"  {name}: {_shown(fact)}")
        out += [f"  note: {remark}" for remark in self.remarks]
        out += [f"  PROBLEM: {problem}" for problem in self.problems]
        return out


def _table(numbers: Mapping[str, int] | Mapping[str, float]) -> list[str]:
    shown = {name: _shown(number) for name, number in numbers.items()}
    names = max(map(len, shown), default=0)
    digits = max(map(len, shown.values()), default=0)
    return [f"    {name.ljust(names)}  {number.rjust(digits)}" for name, number in shown.items()]


def _shown(fact: Fact) -> str:
    if isinstance(fact, bool):
        return "yes" if fact else "no"
    if isinstance(fact, int):
        return f"{fact:,}"
    if isinstance(fact, float):
        return f"{fact:,.3f}".rstrip("0").rstrip(".")
    return ", ".join(fact) if isinstance(fact, list) else str(fact)
