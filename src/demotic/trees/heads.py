"""Which child of a node its head comes from: rules in a table that can be edited.

A line is ``LABEL DIRECTION LABEL ...``; ``#`` begins a comment.  Lines of one label are tried in
turn, and the last one that is tried decides where none finds a child:

``L``   the first label of the list that a child has, the leftmost such child; else the leftmost
``R``   the same from the right; else the rightmost
``LS``  the leftmost child that has any of the labels; else the leftmost
``RS``  the rightmost that has any of them; else the rightmost
``E``   the last child, if it has one of the labels; else the last

The head of a coordination is its first member: where the child to the left of the head is a CC, the
head is two to the left.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from importlib.resources import files as resources
from pathlib import Path
from typing import Self

from demotic import files
from demotic.errors import FormatError

_DIRECTIONS = ("L", "R", "LS", "RS", "E")


class HeadRules:
    """A table of rules."""

    def __init__(self, rules: dict[str, list[tuple[str, tuple[str, ...]]]]) -> None:
        self._rules = rules

    @classmethod
    def read(cls, path: str | Path) -> Self:
        """A table in a file."""
        with files.naming(path):
            return cls.parse(files.read_lines(path))

    @classmethod
    def collins(cls) -> Self:
        """Those of Collins (1999) for the labels of the Penn treebank."""
        text = resources("demotic.trees").joinpath("collins.heads").read_text(encoding="utf-8")
        return cls.parse(text.splitlines())

    @classmethod
    def parse(cls, lines: Iterable[str]) -> Self:
        """A table from its lines."""
        rules: dict[str, list[tuple[str, tuple[str, ...]]]] = {}
        for number, line in enumerate(lines, 1):
            fields = line.partition("#")[0].split()
            if not fields:
                continue
            if len(fields) < 2 or fields[1] not in _DIRECTIONS:
                raise FormatError(
                    "not a rule for heads",
                    line=number,
                    remedy=f"LABEL DIRECTION LABEL ..., a direction is {', '.join(_DIRECTIONS)}",
                )
            rules.setdefault(fields[0], []).append((fields[1], tuple(fields[2:])))
        return cls(rules)

    def find(self, label: str, children: Sequence[str]) -> int:
        """The place of the head among children with these labels."""
        chosen = self._chosen(label, children)
        if chosen >= 2 and children[chosen - 1] == "CC":
            return chosen - 2
        return chosen

    def _chosen(self, label: str, children: Sequence[str]) -> int:
        direction = "L"
        for direction, wanted in self._rules.get(label, ()):
            found = _find(direction, wanted, children)
            if found is not None:
                return found
        return 0 if direction in ("L", "LS") else len(children) - 1


def _find(direction: str, wanted: tuple[str, ...], children: Sequence[str]) -> int | None:
    last = len(children) - 1
    if direction == "E":
        return last if children[last] in wanted else None
    places = range(last + 1) if direction[0] == "L" else range(last, -1, -1)
    if direction in ("LS", "RS"):
        return next((place for place in places if children[place] in wanted), None)
    for label in wanted:
        for place in places:
            if children[place] == label:
                return place
    return None
