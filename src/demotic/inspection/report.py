"""What an inspection found out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

Scalar: TypeAlias = str | int | float | bool | None
Fact: TypeAlias = Scalar | Sequence["Fact"] | Mapping[str, "Fact"]
_LISTED = 8  # values of a list that people are shown


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
                out += _table(fact, "    ")
            else:
                out.append(f"  {name}: {_shown(fact)}")
        out += [f"  note: {remark}" for remark in self.remarks]
        out += [f"  PROBLEM: {problem}" for problem in self.problems]
        return out


def _table(facts: Mapping[str, Fact], indent: str) -> list[str]:
    """Names and values in columns, numbers to the right if all are; tables below their name."""
    facts = {name: _numbered(fact) for name, fact in facts.items()}
    shown = {name: _shown(fact) for name, fact in facts.items() if not isinstance(fact, Mapping)}
    names = max(map(len, shown), default=0)
    numbers = all(_is_number(facts[name]) for name in shown)
    digits = max(map(len, shown.values()), default=0) if numbers else 0
    lines = []
    for name, fact in facts.items():
        if isinstance(fact, Mapping):
            if fact:
                lines.append(f"{indent}{name}:")
                lines += _table(fact, indent + "  ")
        else:
            lines.append(f"{indent}{name.ljust(names)}  {shown[name].rjust(digits)}")
    return lines


def _numbered(fact: Fact) -> Fact:
    """Tables in a list, by their number."""
    if isinstance(fact, list | tuple) and fact and isinstance(fact[0], Mapping):
        return {str(number): each for number, each in enumerate(fact, 1)}
    return fact


def _is_number(fact: Fact) -> bool:
    return isinstance(fact, int | float) and not isinstance(fact, bool)


def _shown(fact: Fact) -> str:
    match fact:
        case None:
            return "none"
        case bool():
            return "yes" if fact else "no"
        case int():
            return f"{fact:,}"
        case float():
            return f"{fact:,.3f}".rstrip("0").rstrip(".")
        case str():
            return fact
        case Mapping():
            return ", ".join(f"{name} {_shown(value)}" for name, value in fact.items())
    more = f", ... ({len(fact):,} in all)" if len(fact) > _LISTED else ""
    return (", ".join(_shown(value) for value in fact[:_LISTED]) or "none") + more
