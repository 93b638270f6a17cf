"""Brackets, quotation marks, tags and their like that stand in pairs, found among marked tokens.

>>> [(pair.first, pair.last, pair.kind) for pair in pairs(['(￭', 'a', '￭)', '"￭', 'b', '￭"'])]
[(0, 2, '('), (3, 5, 'double')]
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from demotic.corpus.marks import JOINER, bare, escape, protected_class
from demotic.corpus.pattern import Pattern
from demotic.corpus.protect import Span

# The opening one with the closing one; full-width ones are of the same kind as the ordinary ones.
_BRACKETS = {"(": ")", "[": "]", "{": "}", "（": "）", "［": "］", "｛": "｝", "【": "】"}
_WIDE = {"（": "(", "［": "[", "｛": "{"}
_OPENING = {escape(one): escape(_WIDE.get(one, one)) for one in _BRACKETS}
_CLOSING = {escape(other): escape(_WIDE.get(one, one)) for one, other in _BRACKETS.items()}
BRACKETS = {**_OPENING, **_CLOSING}
"""Every bracket, as it stands in tokens, with its kind."""
_DOUBLE = frozenset('"“”„‟«»「」『』《》')
_SINGLE = frozenset("'‘’‚‛‹›〈〉")
_EAST = frozenset("「」『』《》〈〉")
# How quotation marks pair in the languages of the world, one kind with itself and others.
_STYLES = "\"\" '' „“ „” “” ”” «» »« ‘’ ‚‘ ‚’ ’’ ‹› ›‹ 「」 『』 《》 〈〉"
STYLES = frozenset(_STYLES.split())
EASTERN = frozenset(("「」", "『』", "《》", "〈〉"))
"""Those that Chinese and Japanese have alone."""

QUOTE_TOKENS = frozenset(
    left + mark + right
    for mark in _DOUBLE | _SINGLE
    for left in ("", JOINER)
    for right in ("", JOINER)
)
"""Every way in which a quotation mark can be a token."""
MARK_TOKENS = QUOTE_TOKENS | {
    left + mark + right
    for mark in (*_OPENING, *_CLOSING)
    for left in ("", JOINER)
    for right in ("", JOINER)
}
"""The same for brackets, too."""


@dataclass(frozen=True, slots=True)
class Pair:
    """Two marks and their places among the tokens."""

    first: int
    last: int
    kind: str
    """``double`` or ``single`` quotation marks; for others the opening bracket, or what tags and
    placeholders that come in pairs have in common."""

    @property
    def quotes(self) -> bool:
        return self.kind in ("double", "single")


def quote_kind(token: str) -> str:
    """``double``, ``single``, or nothing for a token that is no quotation mark."""
    core = bare(token)
    return "double" if core in _DOUBLE else "single" if core in _SINGLE else ""


def enclosing(spans: Iterable[Span]) -> dict[str, str]:
    """The text of spans that may enclose others, by their class tokens; none if none closes."""
    found = {span.token: span.text for span in spans if span.kind in ("tag", "var")}
    if not found:
        return found
    closes = any("/" in text or "end" in text or "close" in text for text in found.values())
    return found if closes else {}


def pairs(tokens: Sequence[str], tags: Mapping[str, str] | None = None) -> list[Pair]:
    """The pairs that nest, by their ends; ``tags`` gives the text of class tokens.

    >>> pairs(["⟦var1⟧", "x", "⟦var2⟧"], {"⟦var1⟧": "{% if y %}", "⟦var2⟧": "{% endif %}"})
    [Pair(first=0, last=2, kind='{if')]
    """
    found: list[Pair] = []
    if not tags and MARK_TOKENS.isdisjoint(tokens):
        return found
    open_: list[tuple[str, int]] = []
    for at, token in enumerate(tokens):
        if token not in MARK_TOKENS and not (tags and "⟦" in token):
            continue
        kind, opens = _side(token, tags or {})
        if opens is None:  # no space tells
            opens = _opens(bare(token), [bare(tokens[one]) for each, one in open_ if each == kind])
        if not kind:
            continue
        if opens:
            open_.append((kind, at))
            continue
        for depth in range(len(open_) - 1, max(len(open_) - 9, -1), -1):
            if open_[depth][0] == kind:
                found.append(Pair(open_[depth][1], at, kind))
                del open_[depth:]
                break
    return found


def _side(token: str, tags: Mapping[str, str]) -> tuple[str, bool | None]:
    """What a token pairs with, and whether it opens; None where its own look does not tell."""
    name = protected_class(token)
    if name is not None:
        return _element(tags.get(name, ""))
    core = bare(token)
    if core in _OPENING:
        return _OPENING[core], True
    if core in _CLOSING:
        return _CLOSING[core], False
    kind = quote_kind(token)
    if not kind:
        return "", False
    before, after = token.startswith(JOINER), token.endswith(JOINER)
    if core in _EAST:
        return kind, core in "「『《〈"
    if before != after:
        return kind, after
    if core in "«‹„‚»›":
        return kind, core in "«‹„‚"
    return ("", False) if before and core in "\"'" else (kind, None)


def _opens(mark: str, open_: Sequence[str]) -> bool:
    """Does a mark open, with the same space on both sides, or none as in Chinese?"""
    if mark in "“‘":
        return not open_ or open_[-1] not in "„‚"
    return mark in "\"'‟‛" and mark not in open_


_BLOCK = Pattern(r"\{%-? *+(end)?(\w++).*")
_NAMED = Pattern(r"(?:%\(|\$?\{{1,2})\s*+(\w++)\s*+(?:\)[sd]|\}{1,2})")
_HALVES = {"start": True, "begin": True, "open": True, "end": False, "close": False}


def _element(text: str) -> tuple[str, bool]:
    """The same for a tag (``</b>``), a block's end (``{% endif %}``) or one of two placeholders
    (``%(link)s`` and ``%(end_link)s``)."""
    if text.startswith("<"):
        if text.endswith("/>"):
            return "", False
        name = text.strip("</>").split()[:1]
        return f"<{name[0].lower() if name else ''}", not text.startswith("</")
    if found := _BLOCK.fullmatch(text):
        return f"{{{found[2]}", not found[1]
    if not (found := _NAMED.fullmatch(text)):
        return "", False
    first, _, rest = found[1].partition("_")
    if rest and first in _HALVES:
        return f"%{rest}", _HALVES[first]
    front, _, last = found[1].rpartition("_")
    return (f"%{front}", _HALVES[last]) if front and last in _HALVES else (f"%{found[1]}", True)


def emptied(
    tokens: Sequence[str],
    translation: Sequence[str],
    links: Iterable[tuple[int, int]],
    enclosed: Iterable[tuple[int, int]],
) -> bool:
    """Does a pair of marks that enclosed words stand around nothing in the translation?

    >>> links = [(0, 0), (1, 1), (3, 2)]
    >>> emptied(["add", "(￭", "page", "￭)"], ["dodaj", "(￭", "￭)"], links, [(1, 4)])
    True
    """
    targets: dict[int, list[int]] = {}
    for one, other in links:
        targets.setdefault(one, []).append(other)
    places = {name: at for at, token in enumerate(translation) if (name := protected_class(token))}

    def place(at: int) -> int | None:
        name = protected_class(tokens[at])
        return places.get(name) if name else min(targets.get(at, ()), default=None)

    for first, end in enclosed:
        inner = range(first + 1, end - 1)
        if any(at in targets for at in inner) or not any(
            map(_is_word, tokens[first + 1 : end - 1])
        ):
            continue
        opening, closing = place(first), place(end - 1)
        if opening is not None and closing is not None and abs(closing - opening) == 1:
            return True
    return False


def _is_word(token: str) -> bool:
    return protected_class(token) is None and any(map(str.isalnum, bare(token)))


class QuoteCounts:
    """Counts how a text writes pairs of quotation marks."""

    def __init__(self) -> None:
        self._styles: dict[str, Counter[str]] = {"double": Counter(), "single": Counter()}

    def add(self, tokens: Sequence[str]) -> None:
        """One tokenised line."""
        for pair in pairs(tokens):
            style = bare(tokens[pair.first]) + bare(tokens[pair.last])
            if pair.quotes and style in STYLES:
                self._styles[pair.kind][style] += 1

    def record(self) -> dict[str, Any]:
        """What was counted, for another process."""
        return dict(self._styles)

    def absorb(self, record: Mapping[str, Any]) -> None:
        """What was counted of the lines that follow."""
        for kind, counts in record.items():
            self._styles[kind].update(counts)

    def usual(self) -> dict[str, str]:
        """Of each kind the most frequent style; ties go to the first in the order of letters."""
        return {
            kind: min(counts, key=lambda style: (-counts[style], style))
            for kind, counts in self._styles.items()
            if counts
        }


def places(pair: Pair) -> Iterable[int]:
    """Of what stands between the marks."""
    return range(pair.first + 1, pair.last)
