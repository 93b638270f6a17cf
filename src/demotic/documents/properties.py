"""Java's ``.properties``: keys and values, one to a line or several."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import ClassVar

from demotic.documents.document import Edit, Fill, Segment, Slot, TextDocument, Writer
from demotic.documents.encoded_text import EncodedText, decode
from demotic.documents.inline import Inline
from demotic.errors import EncodingError

_LINE = re.compile(
    r"[ \t\f]*(?:[#!](?P<note>[^\n]*)"
    r"|(?P<key>(?:\\.|[^\\\s=:#!])(?:\\.|[^\\\s=:])*)[ \t\f]*[=:]?[ \t\f]*"
    r"(?P<value>(?:\\\r?\n|\\.|[^\\\r\n])*)|)\r?(?:\n|$)",
    re.DOTALL,
)
_BREAK = re.compile(r"\\\r?\n[ \t\f]*")
_ESCAPE = re.compile(r"\\(u[0-9a-fA-F]{4}|.)", re.DOTALL)
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "f": "\f"}


class PropertiesDocument(TextDocument):
    """Messages of one language; they become those of another."""

    format: ClassVar[str] = "properties"

    @classmethod
    def read(cls, data: bytes, path: Path, target_language: str = "") -> PropertiesDocument:
        try:
            encoded = decode(data, path)
            # What is ASCII today may be read as Latin-1: other characters are escaped.
            if encoded.text.isascii():
                encoded = EncodedText(encoded.text, "ascii", encoded.mark, _reference)
        except EncodingError:
            if b"\0" in data:
                raise
            encoded = EncodedText(data.decode("latin-1"), "latin-1", b"", _reference)
        document = cls(path, encoded)
        document._collect()
        return document

    def _collect(self) -> None:
        at = 0
        note = ""
        while at < len(self.text):
            found = _LINE.match(self.text, at)
            if found is None or found.end() == at:  # a lone escape at the end
                break
            if found["note"] is not None:
                note = found["note"].strip()
            elif found["key"] is not None:
                text = _unescaped(_BREAK.sub("", found["value"]))
                if text.strip():
                    key = _unescaped(found["key"])
                    segment = Segment(Inline(text), self.line_of(at), key, note=note)
                    self.slots.append(Slot(segment, _writer(*found.span("value"))))
                note = ""
            at = found.end()


def _writer(start: int, end: int) -> Writer:
    def write(fill: Fill) -> Sequence[Edit]:
        text = fill.target.text.replace("\\", "\\\\").replace("\n", "\\n").replace("\t", "\\t")
        text = text.replace("\r", "\\r").replace("\f", "\\f")
        return [Edit(start, end, f"\\{text}" if text[:1] == " " else text)]

    return write


def _unescaped(raw: str) -> str:
    """Escapes resolved; two that make one character beyond the first plane are put together."""
    text = _ESCAPE.sub(_character, raw)
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _character(found: re.Match[str]) -> str:
    name = found[1]
    if name[0] == "u" and len(name) == 5:
        return chr(int(name[1:], 16))
    return _ESCAPES.get(name, name)


def _reference(character: str) -> str:
    units = character.encode("utf-16-be")
    return "".join(f"\\u{units[i : i + 2].hex()}" for i in range(0, len(units), 2))
