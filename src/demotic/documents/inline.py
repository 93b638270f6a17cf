"""Text with inline markup: plain text, and codes that stand between its characters.

    >>> text = Inline("a red car", (Code(2, "<b>", "open", 1), Code(5, "</b>", "close", 1)))
    >>> text.rendered(str)
    'a <b>red</b> car'

A code is whatever the format writes around or between words: a tag, a pair of asterisks, the
borders of a run of text.  Two codes with one number are a pair and stand for a stretch of text;
others are points.  Pairs nest, and pairs never cross.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Literal

Kind = Literal["open", "close", "point"]


@dataclass(frozen=True)
class Code:
    """One code, in front of the character at ``at``."""

    at: int
    raw: str
    """As the file writes it."""
    kind: Kind = "point"
    pair: int = 0
    """What an opening and its closing code have in common; of no meaning for points."""


@dataclass(frozen=True)
class Inline:
    """Plain text with codes, in the order in which the file has them."""

    text: str
    codes: tuple[Code, ...] = ()

    def rendered(self, escape: Callable[[str], str]) -> str:
        """As the file writes it; ``escape`` writes plain text."""
        parts: list[str] = []
        at = 0
        for code in self.codes:
            parts += (escape(self.text[at : code.at]), code.raw)
            at = code.at
        parts.append(escape(self.text[at:]))
        return "".join(parts)


class InlineBuilder:
    """Collects text and codes as a reader comes across them.

    A closing code without its opening one, or the other way round, is a point.
    """

    def __init__(self) -> None:
        self._parts: list[str] = []
        self._codes: list[Code] = []
        self._open: list[tuple[str, int]] = []  # name and place among the codes
        self._opened: Counter[str] = Counter()  # their names
        self._length = 0
        self._pairs = 0

    def text(self, text: str) -> None:
        self._parts.append(text)
        self._length += len(text)

    def point(self, raw: str) -> None:
        self._codes.append(Code(self._length, raw))

    def begin(self, raw: str, name: str) -> None:
        """The opening code of a pair; the next closing one of this name belongs to it."""
        self._open.append((name, len(self._codes)))
        self._opened[name] += 1
        self.point(raw)

    def end(self, raw: str, name: str) -> None:
        """A closing code; what was opened since its opening one stays without an end."""
        if not self._opened[name]:
            self.point(raw)
            return
        while True:
            its, place = self._open.pop()
            self._opened[its] -= 1
            if its == name:
                break
        self._pairs += 1
        first = self._codes[place]
        self._codes[place] = Code(first.at, first.raw, "open", self._pairs)
        self._codes.append(Code(self._length, raw, "close", self._pairs))

    def finish(self) -> Inline:
        return Inline("".join(self._parts), tuple(self._codes))


def stripped(inline: Inline) -> tuple[str, Inline, str]:
    """The white space before and behind the text, and the text without it.

    Codes stay with the text; those that stood in the white space come to its edge.

    >>> stripped(Inline("  a car "))
    ('  ', Inline(text='a car', codes=()), ' ')
    """
    text = inline.text
    core = text.strip()
    start = len(text) - len(text.lstrip()) if core else 0
    end = start + len(core)
    codes = tuple(
        Code(min(max(code.at, start), end) - start, code.raw, code.kind, code.pair)
        for code in inline.codes
    )
    return text[:start], Inline(core, codes), text[end:]


def joined(parts: Iterable[Inline]) -> Inline:
    """Pieces behind each other; numbers of pairs are made different."""
    texts: list[str] = []
    codes: list[Code] = []
    length = pairs = 0
    for part in parts:
        codes += (
            Code(code.at + length, code.raw, code.kind, code.pair + pairs) for code in part.codes
        )
        texts.append(part.text)
        length += len(part.text)
        pairs += max((code.pair for code in part.codes), default=0)
    return Inline("".join(texts), tuple(codes))
