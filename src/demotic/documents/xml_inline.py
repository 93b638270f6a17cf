"""The text of an XML element with its inline elements as codes."""

from __future__ import annotations

from collections.abc import Callable

from demotic.documents.inline import Inline, InlineBuilder
from demotic.documents.xml_text import Piece, element_end, plain

# Elements of XLIFF and TMX whose content is the code of another format, not text.
NATIVE = frozenset({"bpt", "ept", "ph", "it", "ut", "sub"})
_MARKERS = {"bx": "ex", "sc": "ec"}  # pairs of empty elements


def content(
    pieces: list[Piece],
    first: int,
    end: int,
    *,
    read: Callable[[str], str] = plain,
    closed: frozenset[str] = NATIVE,
) -> Inline:
    """What stands between two pieces: ``first`` is the first, ``end`` the one behind the last.

    ``read`` resolves what the format writes in text; elements in ``closed`` are codes as a whole.
    """
    built = InlineBuilder()
    number = first
    while number < end:
        piece = pieces[number]
        if piece.kind == "text":
            built.text(read(piece.raw))
        elif piece.kind == "cdata":
            built.text(piece.raw[9:-3])
        elif piece.kind == "start" and piece.name in closed:
            last = element_end(pieces, number)
            _closed(built, piece, "".join(each.raw for each in pieces[number : last + 1]))
            number = last
        elif piece.kind == "start":
            built.begin(piece.raw, piece.name)
        elif piece.kind == "end":
            built.end(piece.raw, piece.name)
        elif piece.name in _MARKERS:
            built.begin(piece.raw, _MARKERS[piece.name] + _id(piece))
        elif piece.name in _MARKERS.values():
            built.end(piece.raw, piece.name + _id(piece))
        else:
            built.point(piece.raw)
        number += 1
    return built.finish()


def element_content(
    pieces: list[Piece],
    start: int,
    *,
    read: Callable[[str], str] = plain,
    closed: frozenset[str] = NATIVE,
) -> Inline:
    """The content of the element that piece ``start`` begins."""
    return content(pieces, start + 1, element_end(pieces, start), read=read, closed=closed)


def qualified(piece: Piece) -> str:
    """The name of a tag's element with its prefix."""
    return piece.raw[1:].split(None, 1)[0].rstrip("/>")


def _closed(built: InlineBuilder, piece: Piece, raw: str) -> None:
    """A code of another format; ``bpt`` and ``ept`` of one number are a pair."""
    if piece.name == "bpt":
        built.begin(raw, "native" + _id(piece))
    elif piece.name == "ept":
        built.end(raw, "native" + _id(piece))
    else:
        built.point(raw)


def _id(piece: Piece) -> str:
    for name in ("rid", "startRef", "i", "id"):
        if name in piece.attributes:
            return piece.attributes[name]
    return ""
