"""White space and labels around and within a message, which a translation gets back.

    >>> layout, text = taken("  1. Delete  page\\r\\n", labels=True)
    >>> text, layout.before, layout.after, layout.gaps
    ('Delete  page', '  1. ', '\\r\\n', ((0, '  '),))

What stands before and after the words is put back as it was.  A gap within them that is more than
one plain space is known by its number among the gaps of the text, later by the token after it; it
goes where it parts the translation's words as it parted those of the source.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

_SILENT = re.compile("[\u00ad\u200b\u2060\ufeff]+")
_BLANK = r"[\s\x00-\x1f\x7f-\x9f]"
_RUN = re.compile(rf"{_BLANK}+")
_LINE_END = re.compile(r"\r\n|[\n\r\x85\u2029]")
# A list's own marks are no part of its sentences: "1. ", "b) ", "(3) ", "- ", "* ", "• ".
_LABEL = re.compile(
    r"(?:\d{1,3}[.)]|\([0-9]{1,3}\)|\(?[A-Za-z]\)|[-*•‣▪·–—])(?=\s+\S)\s+(?=[^\W_]|[\"'(<„“‘«{%])"
)
# Where "1." is how "first" is written, it belongs to the sentence.
_ORDINAL_LANGUAGES = "bs cs da de et fi fo hr hu is lb lv me nb nn no pl sk sl sr tr"
ORDINALS = frozenset(_ORDINAL_LANGUAGES.split())
_ORDINAL = re.compile(r"\d+\.")


@dataclass(frozen=True, slots=True)
class Layout:
    """What was taken off a message."""

    before: str = ""
    after: str = ""
    gaps: tuple[tuple[int, str], ...] = ()
    """Numbers of wide gaps, or positions of the tokens after them, and their text."""
    lines: tuple[int, ...] = ()
    """Tokens that begin a line or paragraph, where its beginning is meant."""
    mark: str = ""
    """Of the accelerator: the character, with the letter that it stood before (``&f``)."""
    home: int = -1
    """The token that had it, or the first of those that it is written together with."""

    def moved(self, places: Sequence[int]) -> Layout:
        """The layout of tokens that have gone to other places."""
        return replace(
            self,
            gaps=tuple((places[at], gap) for at, gap in self.gaps),
            lines=tuple(places[at] for at in self.lines),
            home=places[self.home] if self.home >= 0 else -1,
        )


PLAIN = Layout()


def breaks_line(gap: str) -> bool:
    """Does a gap mean something even in scripts that have no spaces: a line end, a tab?"""
    return "\t" in gap or ends_line(gap)


def ends_line(gap: str) -> bool:
    """Does a gap hold a line end?"""
    return _LINE_END.search(gap) is not None


def ends_paragraph(gap: str) -> bool:
    """Does a gap hold an empty line?"""
    return len(_LINE_END.findall(gap)) > 1


def label_of(text: str, *, ordinals: bool = False) -> str:
    """The label that a line of a list begins with, and its space; empty if there is none.

    >>> label_of("1. Delete page"), label_of("1. Januar", ordinals=True), label_of("- 5")
    ('1. ', '', '- ')
    """
    found = _LABEL.match(text)
    if found is None or (ordinals and _ORDINAL.match(found[0])):
        return ""
    return found[0]


def taken(text: str, *, labels: bool, ordinals: bool = False) -> tuple[Layout, str]:
    """The layout of a text, its gaps by number, and the text without what is around it."""
    if text.isprintable() and "  " not in text and text[:1] != " " and text[-1:] != " ":
        if not labels or not (label := label_of(text, ordinals=ordinals)):
            return PLAIN, text
        return Layout(before=label), text[len(label) :]
    text = _SILENT.sub("", text)
    inner = text.strip()
    start = text.find(inner)
    before, after = text[:start], text[start + len(inner) :]
    if labels and (label := label_of(inner, ordinals=ordinals)):
        before += label
        inner = inner[len(label) :]
    gaps = tuple(
        (number, kept)
        for number, run in enumerate(_RUN.finditer(inner))
        if (kept := "".join(filter(str.isspace, run[0])))
        and (len(kept) > 1 or kept in "\t\n\r\v\f\x85\u2028\u2029")
    )
    return Layout(before, after, gaps), inner


def gap_numbers(text: str, spans: Iterable[tuple[int, int]]) -> list[int | None]:
    """For each gap of a normalised text its number among those outside of the spans."""
    numbers: list[int | None] = []
    edges = iter(spans)
    begin, end = next(edges, (len(text), len(text)))
    outside = 0
    for run in _RUN.finditer(text):
        while end <= run.start() and begin < len(text):
            begin, end = next(edges, (len(text), len(text)))
        if begin <= run.start() < end:
            numbers.append(None)
        else:
            numbers.append(outside)
            outside += 1
    return numbers


def gap_places(
    gaps: Sequence[tuple[int, str]],
    links: Iterable[tuple[int, int]],
    starts: Sequence[int],
    source_length: int,
    target_length: int,
    *,
    seams: Sequence[int] = (),
) -> dict[int, tuple[int, str]]:
    """For the token of the translation before which it goes, each wide gap: one of ``starts``; for
    line ends and tabs one of ``seams``, which have no space where the script has none.

    That is where the fewest links cross it; among equals, where it stood in proportion, or behind
    what has no links (endings, particles) where no spaces tell.
    """
    placed: dict[int, tuple[int, str]] = {}
    pairs = list(links)
    used = 0
    for at, text in gaps:
        among = (seams or starts) if breaks_line(text) else starts
        free = [place for place in among if place > used]
        if not free:
            continue
        # Links of what stands before the gap must not end behind it, nor the others before it.
        cost = [0] * (target_length + 1)
        for source, target in pairs:
            cost[target] += 1 if source >= at else -1
        crossings, total = [0] * (target_length + 1), 0
        total = sum(1 for source, _ in pairs if source < at)
        for place in range(target_length + 1):
            crossings[place] = total
            total += cost[place]
        fewest = min(crossings[place] for place in free)
        equals = [place for place in free if crossings[place] == fewest]
        wanted = at / max(source_length, 1) * target_length
        if len(among) > len(starts):
            best = equals[-1]
        else:
            best = min(equals, key=lambda place: abs(place - wanted))
        placed[best] = at, text
        used = best
    return placed
