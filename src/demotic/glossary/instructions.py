"""What a line of text may say about its own translation, in markup.

    Send it to the <x translation="Lieferadresse">shipping address</x> of <i translate="no">X</i>
    <zone>the old house</zone> that we saw <wall/> , and so on

An element with the attribute ``translation`` has that translation, the first of several that ``||``
separates.
What is in one with ``translate="no"`` stays as it is.  Words of a ``zone`` stay together, and
nothing moves across a ``wall``.  All other tags are text.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from html import unescape
from itertools import count
from typing import TYPE_CHECKING

from demotic.corpus.marks import bare
from demotic.corpus.marks import unescape as without_references
from demotic.corpus.token_places import Stretch, token_stretches
from demotic.decode.bounded import MOST_ZONES
from demotic.errors import FormatError
from demotic.glossary.placing import Decided, with_decided

if TYPE_CHECKING:
    from demotic.corpus import Encoded

_TAG = re.compile(
    r"<(?P<end>/)?(?P<name>[A-Za-z][\w.:-]*)"
    r"(?P<attributes>(?:\s+[\w.:-]+\s*=\s*(?:\"[^\"]*\"|'[^']*'))*)\s*(?P<empty>/)?>"
)
_ATTRIBUTE = re.compile(r"([\w.:-]+)\s*=\s*(?:\"([^\"]*)\"|'([^']*)')")
_PIECES = 6  # tokens that a name may be taken apart into
_REMEDY = "close elements in the order in which they were opened, each in its line"


@dataclass(frozen=True)
class Instructed:
    """A line without its instructions, and these."""

    text: str
    """With a name such as ``{x1}`` in place of each decided translation."""
    decided: dict[str, tuple[str, str]] = field(default_factory=dict)
    """By these names: the words of the line, and their translation."""
    zones: tuple[Stretch, ...] = ()
    walls: tuple[int, ...] = ()
    """Characters of the text."""

    def __bool__(self) -> bool:
        """Are there any instructions?"""
        return bool(self.decided or self.zones or self.walls)


def instructions(line: str) -> Instructed:
    """The instructions of a line."""
    if "<" not in line:
        return Instructed(line)
    reader = _Reader(line)
    at = 0
    for tag in _TAG.finditer(line):
        if reader.means_something(tag):
            reader.add(line[at : tag.start()])
            reader.take(tag)
            at = tag.end()
    reader.add(line[at:])
    return reader.finish()


@dataclass
class _Open:
    """An element that is not closed yet."""

    name: str
    start: int
    translation: str | None
    """None for a zone."""
    inner: int = 0
    """Elements of its name that are text, not closed yet."""


class _Reader:
    """Takes text and tags from left to right."""

    def __init__(self, line: str) -> None:
        self._line = line
        self._text = ""
        self._decided: dict[str, tuple[str, str]] = {}
        self._zones: list[Stretch] = []
        self._walls: list[int] = []
        self._open: list[_Open] = []
        self._behind_tag = False

    def means_something(self, tag: re.Match[str]) -> bool:
        """Is this tag an instruction, or text?"""
        name = tag["name"]
        if self._is_within(tag):
            return False
        if tag["end"]:
            if self._open and self._open[-1].name == name:
                return True
            if name in ("zone", "wall") or any(each.name == name for each in self._open):
                raise FormatError(f"</{name}> closes nothing", remedy=_REMEDY)
            return False
        if tag["empty"]:
            return name == "wall"
        given = _attributes(tag)
        return name == "zone" or "translation" in given or given.get("translate") == "no"

    def _is_within(self, tag: re.Match[str]) -> bool:
        """Is it a tag of the text, of the same name as the element that it stands in?"""
        around = self._open[-1] if self._open else None
        if around is None or around.name != tag["name"] or around.name == "zone" or tag["empty"]:
            return False
        if tag["end"] and around.inner:
            around.inner -= 1
            return True
        given = _attributes(tag)
        if tag["end"] or "translation" in given or given.get("translate") == "no":
            return False
        around.inner += 1
        return True

    def add(self, text: str) -> None:
        """Text, without a second space where a tag was."""
        if self._behind_tag and text[:1] == " " and self._text[-1:] in (" ", ""):
            text = text[1:]
        self._text += text

    def take(self, tag: re.Match[str]) -> None:
        """A tag that means something."""
        self._behind_tag = True
        if tag["empty"]:
            self._walls.append(len(self._text))
        elif tag["end"]:
            self._close(self._open.pop())
        else:
            if any(each.translation is not None for each in self._open):
                raise FormatError(f"{tag[0]} within a translation that is given", remedy=_REMEDY)
            translation = _attributes(tag).get("translation", "").split("||")[0].strip()
            zone = tag["name"] == "zone"
            self._open.append(_Open(tag["name"], len(self._text), None if zone else translation))

    def _close(self, element: _Open) -> None:
        if element.translation is None:
            self._zones.append((element.start, len(self._text)))
            return
        words = self._text[element.start :].strip()
        name = self._free_name()
        self._decided[name] = (words, element.translation or words)
        self._text = self._text[: element.start] + name

    def _free_name(self) -> str:
        """One that neither the line nor another translation has."""
        numbers = count(len(self._decided) + 1)
        names = (f"{{x{number}}}" for number in numbers)
        return next(name for name in names if name not in self._line and name not in self._decided)

    def finish(self) -> Instructed:
        """All of them, when the line has ended."""
        if self._open:
            raise FormatError(f"<{self._open[-1].name}> is not closed", remedy=_REMEDY)
        if max(len(self._zones), len(self._walls)) > MOST_ZONES:
            raise FormatError(
                f"more than {MOST_ZONES} zones or walls in one line", remedy="divide the line"
            )
        return Instructed(self._text, self._decided, tuple(self._zones), tuple(self._walls))


def _attributes(tag: re.Match[str]) -> dict[str, str]:
    found = _ATTRIBUTE.findall(tag["attributes"])
    return {key: unescape(double or single) for key, double, single in found}


def with_instructions(given: Instructed, encode: Callable[[str], Encoded]) -> Encoded:
    """The line as a model sees it, with what was decided in its place."""
    encoded = encode(given.text)
    if not _has_all(encoded, given):  # tokens are what spaces separate
        given = _set_apart(given)
        encoded = encode(given.text)
    spans = tuple(
        replace(
            span,
            text=given.decided[span.text][1],
            words=given.decided[span.text][0] != given.decided[span.text][1],
            origin=given.decided[span.text][0],
        )
        if span.text in given.decided
        else span
        for span in encoded.spans
    )
    encoded = replace(encoded, spans=spans)
    if given.zones or given.walls:
        zones, walls = token_limits(given, encoded)
        encoded = replace(encoded, zones=tuple(zones), walls=tuple(walls))
    # Models of tokenised text protect nothing: there the name is a token, or a few.
    decided = [
        Decided(first, last, given.decided[name][1], given.decided[name][0])
        for name, first, last in _names(encoded, given)
    ]
    return with_decided(encoded, decided)[0] if decided else encoded


def _names(encoded: Encoded, given: Instructed) -> list[tuple[str, int, int]]:
    """Names of decided translations among the tokens, with the first and the last one of each."""
    words = [without_references(bare(token)) for token in encoded.tokens]
    found: list[tuple[str, int, int]] = []
    for at, word in enumerate(words):
        if not word.startswith("{"):
            continue
        for last in range(at, min(at + _PIECES, len(words))):
            name = "".join(words[at : last + 1])
            if name in given.decided:
                found.append((name, at, last))
                break
    return found


def _has_all(encoded: Encoded, given: Instructed) -> bool:
    """Is there a place among the tokens for all that was decided?"""
    found = {name for name, _, _ in _names(encoded, given)}
    return given.decided.keys() <= found | {span.text for span in encoded.spans}


def _set_apart(given: Instructed) -> Instructed:
    """The same with spaces around the names of what was decided."""
    text = given.text
    places: set[int] = set()
    for found in re.finditer("|".join(map(re.escape, given.decided)), text):
        places.update(found.span())
    added = sorted(
        at for at in places if 0 < at < len(text) and not text[at - 1 : at + 1].count(" ")
    )
    ends = [*added, len(text)]
    pieces = [text[begin:end] for begin, end in zip([0, *added], ends, strict=True)]

    def moved(character: int) -> int:
        return character + bisect_left(added, character)

    return replace(
        given,
        text=" ".join(pieces),
        zones=tuple((moved(first), moved(end)) for first, end in given.zones),
        walls=tuple(map(moved, given.walls)),
    )


def token_limits(given: Instructed, encoded: Encoded) -> tuple[list[tuple[int, int]], list[int]]:
    """Zones (first token, end) and walls (token before which one stands) by tokens."""
    names = {text: name for name, (text, _) in given.decided.items()}
    spans = {
        span.token: names.get(span.origin, span.text) if span.origin else span.text
        for span in encoded.spans
    }
    places = token_stretches(encoded.tokens, given.text, spans)

    def token_at(character: int) -> int:
        """The first token that does not begin before a character."""
        found = (i for i, each in enumerate(places) if each is not None and each[0] >= character)
        return next(found, len(places))

    zones = [(token_at(start), token_at(end)) for start, end in given.zones]
    walls = [token_at(wall) for wall in given.walls]
    return [each for each in zones if each[0] < each[1]], walls
