"""Arguments of ICU messages whose branches are text: plural, select, selectordinal.

    >>> [found] = arguments("{n, plural, one {# file} other {# files}} left")
    >>> found.branches
    ('# file', '# files')
    >>> found.filled(["# Datei", "# Dateien"])
    '{n, plural, one {# Datei} other {# Dateien}}'

The argument passes through a translation as one span; a reader sees its branches, so that they are
translated each by itself.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from demotic.corpus.pattern import Pattern

_HEAD = Pattern(r"\{\s*+\w++\s*+,\s*+(?:plural|selectordinal|select)\s*+,")
_SELECTOR = Pattern(r"\s*+(?:offset:\d++\s++)?+(?:=\d++|[\w-]++)\s*+\{")
_DEEPEST = 32  # braces in one another; each argument in a branch takes two
_BLANK = Pattern(r"\s*+$")


@dataclass(frozen=True)
class Argument:
    """An argument at its place in a message."""

    start: int
    end: int
    text: str
    places: tuple[tuple[int, int], ...]
    """Of its branches, in its own text."""

    @property
    def branches(self) -> tuple[str, ...]:
        """What stands between the braces of each selector."""
        return tuple(self.text[begin:end] for begin, end in self.places)

    def filled(self, branches: Sequence[str]) -> str:
        """The argument with other texts in its branches."""
        pieces, at = [], 0
        for (begin, end), branch in zip(self.places, branches, strict=True):
            pieces += [self.text[at:begin], branch]
            at = end
        return "".join([*pieces, self.text[at:]])


def head(text: str) -> str:
    """``{n,plural,`` of an argument: what both languages have in common."""
    found = _HEAD.match(text)
    return "".join(found[0].split()) if found else text


def arguments(text: str) -> list[Argument]:
    """The outermost arguments that are well formed, from left to right."""
    if "plural" not in text and "select" not in text:
        return []
    found: list[Argument] = []
    closing = _closing_braces(text)
    if closing is None:
        return []
    after = 0
    for match in _HEAD.finditer(text):
        start = match.start()
        if start < after or start not in closing:
            continue
        end = closing[start] + 1
        places = _branches(text, match.end(), end - 1, closing)
        if places:
            inner = tuple((begin - start, stop - start) for begin, stop in places)
            found.append(Argument(start, end, text[start:end], inner))
            after = end
    return found


def _closing_braces(text: str) -> dict[int, int] | None:
    """For each brace that is closed, where; quotes in apostrophes are left to the author.

    None where braces stand in one another without end: branches are read one level after the other.
    """
    open_, closing = [], {}
    for at, character in enumerate(text):
        if character == "{":
            open_.append(at)
            if len(open_) > _DEEPEST:
                return None
        elif character == "}" and open_:
            closing[open_.pop()] = at
    return closing


def _branches(text: str, at: int, end: int, closing: dict[int, int]) -> list[tuple[int, int]]:
    """Where the branches are, none if something else stands between them."""
    places = []
    while not _BLANK.match(text, at, end):
        found = _SELECTOR.match(text, at, end)
        if found is None:
            return []
        brace = found.end() - 1
        if brace not in closing or closing[brace] >= end:
            return []
        places.append((brace + 1, closing[brace]))
        at = closing[brace] + 1
    return places
