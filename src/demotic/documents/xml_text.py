"""XML as a list of pieces that together are the text: what every XML format is read from.

The text is checked by expat first (well-formed, no entity declarations, nothing fetched); then a
regular expression cuts it, and every character belongs to exactly one piece.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal
from xml.sax.saxutils import escape as escape_text

from demotic.corpus.xml_errors import xml_errors
from demotic.documents.encoded_text import EncodedText, decode
from demotic.errors import FormatError

_DECLARED = re.compile(rb"\s*<\?xml[^>]*?encoding\s*=\s*[\"']([\w.:-]+)[\"']")
_PIECE = re.compile(
    r"<!--.*?-->|<\?.*?\?>|<!\[CDATA\[.*?\]\]>"
    r"|<!DOCTYPE(?:[^\[\]<>\"']|\"[^\"]*\"|'[^']*')*(?:\[.*?\]\s*)?>"
    r"|</?[^\s<>/!?](?:[^<>\"']|\"[^\"]*\"|'[^']*')*>|[^<]+",
    re.DOTALL,
)
_NAME = re.compile(r"</?([^\s<>/]+)")
_ATTRIBUTE = re.compile(r"([^\s=<>\"'/]+)\s*=\s*(\"[^\"]*\"|'[^']*')")
_REFERENCE = re.compile(r"&(#x[0-9a-fA-F]{1,6}|#[0-9]{1,7}|[A-Za-z][\w.-]*);")
_NAMED = {"amp": "&", "lt": "<", "gt": ">", "quot": '"', "apos": "'"}
Kind = Literal["start", "end", "empty", "text", "cdata", "other"]


@dataclass(frozen=True)
class Piece:
    """A tag, a stretch of text, or something else."""

    kind: Kind
    start: int
    end: int
    raw: str
    name: str = ""
    """Of the element, without its prefix."""
    attributes: Mapping[str, str] = field(default_factory=dict)


def decode_xml(data: bytes, path: Path) -> EncodedText:
    """Text in the encoding that its declaration names."""
    declared = _DECLARED.match(data[:300])
    encoded = decode(data, path, declared[1].decode("ascii") if declared else None)
    return EncodedText(encoded.text, encoded.encoding, encoded.mark, lambda c: f"&#{ord(c)};")


def pieces(text: str, path: Path) -> list[Piece]:
    """All pieces, in their order; FormatError unless the text is well-formed."""
    _check(text, path)
    found: list[Piece] = []
    at = 0
    for match in _PIECE.finditer(text):
        if match.start() != at:
            break
        found.append(_piece(match))
        at = match.end()
    if at != len(text):
        raise FormatError(
            "XML that cannot be cut into tags and text",
            path=path,
            line=text.count("\n", 0, at) + 1,
            remedy="write the file again with an XML editor",
        )
    return found


def plain(raw: str) -> str:
    """Text with its references resolved; those of unknown entities stay."""
    return _REFERENCE.sub(_character, raw) if "&" in raw else raw


def escape(text: str) -> str:
    """Plain text as XML has it; characters that XML cannot hold are left out."""
    return escape_text(_ILLEGAL.sub("", text))


_ILLEGAL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff\ud800-\udfff]")


def element_end(found: list[Piece], start: int) -> int:
    """The number of the piece that ends the element which piece ``start`` begins."""
    if found[start].kind == "empty":
        return start
    depth = 0
    for number in range(start, len(found)):
        if found[number].kind == "start":
            depth += 1
        elif found[number].kind == "end":
            depth -= 1
            if depth == 0:
                return number
    raise AssertionError("expat has seen the end")


def with_attribute(tag: str, name: str, value: str) -> str:
    """A start tag in which an attribute has a value, added at its end or changed in its place."""
    quoted = '"' + escape_text(value, {'"': "&quot;"}) + '"'
    for found in _ATTRIBUTE.finditer(tag):
        if found[1] == name:
            return tag[: found.start(2)] + quoted + tag[found.end(2) :]
    end = len(tag) - (2 if tag.endswith("/>") else 1)
    body = tag[:end].rstrip()
    return f"{body} {name}={quoted}{tag[end:]}"


def _piece(match: re.Match[str]) -> Piece:
    raw = match[0]
    start, end = match.span()
    if raw[0] != "<":
        return Piece("text", start, end, raw)
    if raw.startswith("<![CDATA["):
        return Piece("cdata", start, end, raw)
    if raw[1] in "!?":
        return Piece("other", start, end, raw)
    named = _NAME.match(raw)
    assert named is not None
    name = named[1].rpartition(":")[2]
    if raw[1] == "/":
        return Piece("end", start, end, raw, name)
    attributes = {found[1]: plain(found[2][1:-1]) for found in _ATTRIBUTE.finditer(raw)}
    return Piece("empty" if raw.endswith("/>") else "start", start, end, raw, name, attributes)


def _character(found: re.Match[str]) -> str:
    name = found[1]
    if name[0] != "#":
        return _NAMED.get(name, found[0])
    code = int(name[2:], 16) if name[1] == "x" else int(name[1:])
    return chr(code) if 0 < code < 0x110000 and not 0xD800 <= code < 0xE000 else found[0]


def _check(text: str, path: Path) -> None:
    from defusedxml.ElementTree import DefusedXMLParser

    parser = DefusedXMLParser(target=_Nothing(), encoding="utf-8")
    with xml_errors(path, lambda: int(parser.parser.CurrentLineNumber)):
        parser.feed(text.encode("utf-8", "surrogatepass"))
        parser.close()


class _Nothing:
    """Builds no tree: the check is all that is wanted."""

    def close(self) -> None:
        pass
