"""Messages that differ in what can be put right: numbers and placeholders, case, the final mark.

key = masked("Delete 3 files.", find)            # 'Delete ⟦num⟧ files.', and what was there
folded(key.text)                                 # 'delete ⟦num⟧ files'
substituted(stored, given, target, find)         # the target with the given numbers, or None
recased("Delete", "delete", "Löschen", casing)   # 'löschen'
repunctuated("Delete.", "Delete!", "Löschen.", "de")
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from demotic.corpus.casing import Casing
    from demotic.corpus.protect import Found

_END = re.compile(r"[\s.!?:;,…。！？：；，、،؟۔।]+$")
_MASK = re.compile("⟦[^⟧]*⟧")
_LETTERS = re.compile(r"[^\W\d_]+")
_WIDE = {".": "。", "!": "！", "?": "？", ":": "：", ";": "；", ",": "，", "...": "…"}
_FRENCH = {mark: f"\u00a0{mark}" for mark in "!?:;"}
_MARKS = {
    "zh": _WIDE, "ja": _WIDE | {",": "、"}, "fr": _FRENCH,
    "ar": {"?": "؟", ",": "،", ";": "؛"}, "fa": {"?": "؟", ",": "،", ";": "؛"},
    "ur": {"?": "؟", ",": "،", ".": "۔"}, "el": {"?": ";"},
    "hi": {".": "।"}, "bn": {".": "।"},
}  # fmt: skip
"""Final marks in languages that have others than English."""


@dataclass(frozen=True, slots=True)
class Masked:
    """A message without its numbers, placeholders and tags, and these, from left to right."""

    text: str
    spans: tuple[tuple[str, str], ...]
    """Kind and text."""


def masked(text: str, find: Callable[[str], Sequence[Found]]) -> Masked:
    """A message with each span that ``find`` gives as its kind."""
    pieces, spans, at = [], [], 0
    for found in find(text):
        pieces += [text[at : found.start], f"⟦{found.kind}⟧"]
        spans.append((found.kind, text[found.start : found.end]))
        at = found.end
    return Masked("".join([*pieces, text[at:]]), tuple(spans))


def folded(text: str) -> str:
    """A message without regard to case and to the mark at its end.

    >>> folded("Delete the File?"), folded("...")
    ('delete the file', '')
    """
    return _END.sub("", text).casefold()


def substituted(
    stored: Masked, given: Masked, target: str, find: Callable[[str], Sequence[Found]]
) -> str | None:
    """The translation of a stored message with the spans of the given one.

    None where a span that differs is not in the translation as often as in the message.
    """
    places: dict[tuple[str, str], list[tuple[int, int]]] = defaultdict(list)
    for found in find(target):
        places[found.kind, target[found.start : found.end]].append((found.start, found.end))
    changes: list[tuple[int, int, str]] = []
    differing: set[tuple[str, str]] = set()
    for ours, theirs in zip(stored.spans, given.spans, strict=True):
        if ours != theirs:
            differing.add(ours)
            if not places[ours]:
                return None
        if places[ours]:
            changes.append((*places[ours].pop(0), theirs[1]))
    if any(places[span] for span in differing):
        return None
    for begin, end, text in sorted(changes, reverse=True):
        target = target[:begin] + text + target[end:]
    return target


def recased(
    stored: str, given: str, target: str, casing: Casing, find: Callable[[str], Sequence[Found]]
) -> str | None:
    """The translation of a stored message in the case of the given one; None if nobody knows.

    The messages are masked, and have the same letters.
    """
    ours, theirs = (_letters(_MASK.sub("", text)) for text in (stored, given))
    if ours == theirs or not ours:
        return target
    spans = [(each.start, each.end) for each in find(target)]
    if theirs.isupper() and len(theirs) > 1 and not ours.isupper():
        return _outside(target, spans, str.upper)
    if ours.isupper() and not theirs.isupper() and _letters(target).isupper():
        return None
    if ours[0].isupper() == theirs[0].isupper():
        return target
    for word in _LETTERS.finditer(target):
        if any(begin <= word.start() < end for begin, end in spans):
            continue
        first, rest = target[word.start()], target[word.start() + 1 :]
        if theirs[0].isupper():
            first = first.upper()
        elif word[0].lower() in casing.small:
            first = first.lower()
        return target[: word.start()] + first + rest
    return target


def _letters(text: str) -> str:
    return "".join(_LETTERS.findall(text))


def _outside(text: str, spans: Sequence[tuple[int, int]], change: Callable[[str], str]) -> str:
    """A text changed everywhere but in its spans."""
    pieces, at = [], 0
    for begin, end in spans:
        pieces += [change(text[at:begin]), text[begin:end]]
        at = end
    return "".join([*pieces, change(text[at:])])


def repunctuated(stored: str, given: str, target: str, language: str) -> str | None:
    """The translation of a stored message with the final mark of the given one.

    None where only the translation has a mark: it may belong to its last word.
    """
    ours, theirs, its = (_end(text) for text in (stored, given, target))
    if ours == theirs:
        return target
    if its and not ours:
        return None
    own = _MARKS.get(language, {})
    return target[: len(target) - len(its)] + own.get(theirs.strip(), theirs)


def _end(text: str) -> str:
    found = _END.search(text)
    return found[0] if found else ""
