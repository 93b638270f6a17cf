"""Apple's ``.strings``: ``"key" = "value";`` with comments."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import ClassVar

from demotic.documents.document import Edit, Fill, Segment, Slot, TextDocument, Writer
from demotic.documents.encoded_text import decode
from demotic.documents.inline import Inline
from demotic.errors import FormatError

_PIECE = re.compile(
    r"\s+|/\*(?P<note>.*?)\*/|//[^\n]*"
    r"|(?P<key>\"(?:[^\"\\]|\\.)*\"|[\w.-]+)\s*=\s*(?P<value>\"(?:[^\"\\]|\\.)*\")\s*;",
    re.DOTALL,
)
_ESCAPE = re.compile(r"\\([Uu][0-9a-fA-F]{4}|.)", re.DOTALL)
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r"}


class AppleStringsDocument(TextDocument):
    """Strings of one language; they become those of another."""

    format: ClassVar[str] = "strings"

    @classmethod
    def read(cls, data: bytes, path: Path, target_language: str = "") -> AppleStringsDocument:
        document = cls(path, decode(data, path))
        document._collect()
        return document

    def _collect(self) -> None:
        at = 0
        note = ""
        while at < len(self.text):
            found = _PIECE.match(self.text, at)
            if found is None:
                raise FormatError(
                    'not what a .strings file holds: it needs "key" = "value";',
                    path=self.path,
                    line=self.line_of(at),
                    remedy="check it with plutil -lint",
                )
            at = found.end()
            if found["note"] is not None:
                note = found["note"].strip()
            if found["value"] is None:
                continue
            text = _ESCAPE.sub(_character, found["value"][1:-1])
            if text.strip():
                key = _ESCAPE.sub(_character, found["key"].strip('"'))
                segment = Segment(Inline(text), self.line_of(found.start()), key, note=note)
                self.slots.append(Slot(segment, _writer(*found.span("value"))))
            note = ""


def _writer(start: int, end: int) -> Writer:
    def write(fill: Fill) -> Sequence[Edit]:
        text = fill.target.text.replace("\\", "\\\\").replace('"', '\\"')
        text = text.replace("\n", "\\n").replace("\t", "\\t").replace("\r", "\\r")
        return [Edit(start, end, f'"{text}"')]

    return write


def _character(found: re.Match[str]) -> str:
    name = found[1]
    if name[0] in "Uu" and len(name) == 5:
        return chr(int(name[1:], 16))
    return _ESCAPES.get(name, name)
