"""Android's ``strings.xml``: strings, arrays of strings and plurals."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import ClassVar

from demotic.documents.document import Edit, Fill, Segment, Slot, TextDocument, Writer
from demotic.documents.xml_inline import element_content
from demotic.documents.xml_text import Piece, decode_xml, element_end, escape, pieces, plain
from demotic.errors import FormatError

_ESCAPE = re.compile(r"\\(u[0-9a-fA-F]{4}|.)", re.DOTALL)
_REFERENCE = re.compile(r"\s*[@?][\w:.]+/[\w.]+\s*")
_SPACES = re.compile(r"\s+")
_CLOSED = frozenset({"g"})  # <xliff:g>: what must not be translated


class AndroidDocument(TextDocument):
    """Resources of one language; they become those of another."""

    format: ClassVar[str] = "android"

    @classmethod
    def read(cls, data: bytes, path: Path, target_language: str = "") -> AndroidDocument:
        document = cls(path, decode_xml(data, path))
        document._collect()
        return document

    _pieces: list[Piece]

    def _collect(self) -> None:
        self._pieces = pieces(self.text, self.path)
        roots = [piece for piece in self._pieces if piece.kind in ("start", "empty")]
        if not roots or roots[0].name != "resources":
            raise FormatError("not Android resources", path=self.path, line=1)
        path: list[Piece] = []
        number = 0
        while number < len(self._pieces):
            piece = self._pieces[number]
            if piece.kind == "start":
                fixed = any(p.attributes.get("translatable") == "false" for p in [*path, piece])
                parent = path[-1].name if path else ""
                is_string = piece.name == "string" or (
                    piece.name == "item" and parent in ("string-array", "plurals")
                )
                if is_string:
                    if not fixed:
                        self._add(number, path[-1] if piece.name == "item" else piece)
                    number = element_end(self._pieces, number)
                else:
                    path.append(piece)
            elif piece.kind == "end":
                path.pop()
            number += 1

    def _add(self, start: int, named: Piece) -> None:
        source = element_content(self._pieces, start, read=_read, closed=_CLOSED)
        raw = "".join(p.raw for p in self._pieces[start + 1 : element_end(self._pieces, start)])
        if not source.text.strip() or _REFERENCE.fullmatch(raw):
            return
        key = " ".join(
            filter(
                None, [named.attributes.get("name"), self._pieces[start].attributes.get("quantity")]
            )
        )
        segment = Segment(source, self.line_of(self._pieces[start].start), key)
        self.slots.append(Slot(segment, self._writer(start)))

    def _writer(self, start: int) -> Writer:
        def write(fill: Fill) -> Sequence[Edit]:
            first, last = self._pieces[start], self._pieces[element_end(self._pieces, start)]
            text = fill.target.rendered(_written)
            if text[:1] in ("@", "?"):
                text = f"\\{text}"
            return [Edit(first.end, last.start, text)]

        return write


def _read(raw: str) -> str:
    """Escapes resolved; quotes keep spaces, other white space is one space."""
    parts: list[str] = []
    for i, part in enumerate(re.split(r'(?<!\\)"', plain(raw))):
        parts.append(part if i % 2 else _SPACES.sub(" ", part))
    return _ESCAPE.sub(_character, "".join(parts))


def _character(found: re.Match[str]) -> str:
    name = found[1]
    if name[0] == "u" and len(name) == 5:
        return chr(int(name[1:], 16))
    return {"n": "\n", "t": "\t"}.get(name, name)


def _written(text: str) -> str:
    text = text.replace("\\", "\\\\").replace("'", "\\'").replace('"', '\\"')
    text = text.replace("\n", "\\n").replace("\t", "\\t")
    return escape(text)
