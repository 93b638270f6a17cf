"""HTML: the text of paragraphs, headings, cells and the like, with inline elements as codes.

The file need not be well-formed: it is cut into tags and text, and what is no inline element ends a
segment.  Scripts, styles, code and what says ``translate="no"`` stay as they are.  Texts in the
attributes of tags that stand between segments are segments of their own.
"""

from __future__ import annotations

import html
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from demotic.documents.document import Edit, Fill, Segment, Slot, TextDocument, Writer
from demotic.documents.encoded_text import decode
from demotic.documents.inline import Inline, InlineBuilder, stripped
from demotic.documents.prose import is_prose

_PIECE = re.compile(
    r"(?P<other><!--.*?(?:-->|$)|<[!?][^>]*(?:>|$))"
    r"|<(?P<slash>/?)(?P<name>[a-zA-Z][^\s/>]*)(?P<rest>(?:[^<>\"']|\"[^\"]*\"|'[^']*')*)>"
    r"|(?P<text>[^<]+|<)",
    re.DOTALL,
)
_ATTRIBUTE = re.compile(r"([^\s=\"'/<>]+)\s*=\s*(\"[^\"]*\"|'[^']*'|[^\s\"'<>]+)")
_CHARSET = re.compile(rb"<meta[^>]{0,200}?charset\s*=\s*[\"']?\s*([\w.:-]+)", re.IGNORECASE)
_SPACES = re.compile(r"[ \t\r\n\f]+")


def _names(listed: str) -> frozenset[str]:
    return frozenset(listed.split())


INLINE = _names(
    """a abbr acronym b bdi bdo big br cite code data del dfn em font i img ins kbd label mark q
    ruby rt rp s samp small span strike strong sub sup time tt u var wbr"""
)
_VOID = _names("area base br col embed hr img input link meta source track wbr")
_CLOSED = _names("code kbd samp var script style pre textarea noscript svg math template")
_FIXED = re.compile(r"\btranslate\s*=\s*[\"']?no\b|\bnotranslate\b")
_READ_ATTRIBUTES = ("alt", "title", "placeholder", "aria-label")


@dataclass(frozen=True)
class _Piece:
    start: int
    end: int
    raw: str
    kind: str  # text, start, end, other
    name: str = ""


class HtmlDocument(TextDocument):
    """A page of one language; it becomes one of another."""

    format: ClassVar[str] = "html"

    @classmethod
    def read(cls, data: bytes, path: Path, target_language: str = "") -> HtmlDocument:
        declared = _CHARSET.search(data[:4096])
        document = cls(path, decode(data, path, declared[1].decode("ascii") if declared else None))
        document.target_language = target_language
        document._collect()
        return document

    def _collect(self) -> None:
        found = _pieces(self.text)
        ends = _closed_ends(found)
        number = 0
        begin: int | None = None
        while number < len(found):
            piece = found[number]
            last = ends.get(number, number)
            inline = piece.kind == "text" or (
                piece.kind in ("start", "end") and piece.name in INLINE
            )
            if inline and begin is None:
                begin = number
            if not inline and begin is not None:
                self._add(found, ends, begin, number)
                begin = None
            if not inline and piece.kind == "start":
                self._add_attributes(piece)
            number = last + 1
        if begin is not None:
            self._add(found, ends, begin, len(found))

    def _add(self, found: list[_Piece], ends: dict[int, int], first: int, end: int) -> None:
        built = InlineBuilder()
        number = first
        while number < end:
            piece = found[number]
            last = ends.get(number, number)
            raw = self.text[piece.start : found[last].end]
            if last > number or piece.kind == "other":
                built.point(raw)
            elif piece.kind == "text":
                built.text(_SPACES.sub(" ", html.unescape(raw)))
            elif piece.kind == "end":
                built.end(raw, piece.name)
            elif piece.name in _VOID:
                built.point(raw)
            else:
                built.begin(raw, piece.name)
            number = last + 1
        source = built.finish()
        if not is_prose(source.text):
            return
        lead, core, trail = stripped(source)
        start, stop = found[first].start, found[end - 1].end
        raw = self.text[start:stop]
        # White space at the edges stays as it was written, unless codes stand within it.
        if lead and raw[:1].isspace():
            start += len(raw) - len(raw.lstrip())
            lead = ""
        if trail and raw[-1:].isspace():
            stop -= len(raw) - len(raw.rstrip())
            trail = ""
        segment = Segment(core, self.line_of(start))
        self.slots.append(Slot(segment, _writer(start, stop, lead, trail)))

    def _add_attributes(self, piece: _Piece) -> None:
        for found in _ATTRIBUTE.finditer(piece.raw):
            if found[1].lower() not in _READ_ATTRIBUTES:
                continue
            quoted = found[2][0] in "\"'"
            text = html.unescape(found[2][1:-1] if quoted else found[2])
            if is_prose(text):
                start, end = piece.start + found.start(2), piece.start + found.end(2)
                segment = Segment(Inline(text), self.line_of(start), found[1].lower())
                self.slots.append(Slot(segment, _attribute_writer(start, end)))


def _pieces(text: str) -> list[_Piece]:
    found: list[_Piece] = []
    at = 0
    while at < len(text):
        match = _PIECE.match(text, at)
        assert match is not None  # any character is text
        at = match.end()
        name = (match["name"] or "").lower()
        kind = "text" if match["text"] else "other" if match["other"] else "start"
        if match["slash"]:
            kind = "end"
        found.append(_Piece(match.start(), at, match[0], kind, name))
        if kind == "start" and name in ("script", "style") and not match[0].endswith("/>"):
            close = re.compile(rf"</{name}\b", re.IGNORECASE).search(text, at)
            end = close.start() if close else len(text)
            if end > at:
                found.append(_Piece(at, end, text[at:end], "other"))
            at = end
    return found


def _closed_ends(found: list[_Piece]) -> dict[int, int]:
    """Of elements that are not translated, the number of the last piece by that of the first."""
    ends: dict[int, int] = {}
    open_: dict[str, list[int]] = {}
    for number, piece in enumerate(found):
        if piece.kind == "start" and piece.name not in _VOID and not piece.raw.endswith("/>"):
            open_.setdefault(piece.name, []).append(number)
        elif piece.kind == "end" and open_.get(piece.name):
            first = open_[piece.name].pop()
            if piece.name in _CLOSED or _FIXED.search(found[first].raw):
                ends[first] = number
    return ends


def _writer(start: int, stop: int, lead: str, trail: str) -> Writer:
    def write(fill: Fill) -> Sequence[Edit]:
        text = fill.target.rendered(lambda plain: html.escape(plain, quote=False))
        return [Edit(start, stop, f"{lead}{text}{trail}")]

    return write


def _attribute_writer(start: int, end: int) -> Writer:
    def write(fill: Fill) -> Sequence[Edit]:
        return [Edit(start, end, '"' + html.escape(fill.target.text) + '"')]

    return write
