"""JSON resource files: the strings that are values.

Chrome's ``messages.json`` has its texts under ``message``; Flutter's ``.arb`` has keys with ``@``
that describe others.  What looks like no text (no letter, an address, one word with a dot or an
underscore) is left as it is.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import ClassVar

from demotic.documents.document import Edit, Fill, Segment, Slot, TextDocument, Writer
from demotic.documents.encoded_text import decode
from demotic.documents.inline import Inline
from demotic.documents.prose import is_prose
from demotic.errors import FormatError

_TOKEN = re.compile(r'\s*("(?:[^"\\\x00-\x1f]|\\.)*"|[{}\[\],:]|[^\s{}\[\],:"]+)')


@dataclass
class _Level:
    """An object or array that is open."""

    is_object: bool
    key: str = ""
    index: int = 0
    keys: list[str] = field(default_factory=list)


class JsonDocument(TextDocument):
    """Messages of one language; they become those of another."""

    format: ClassVar[str] = "json"

    @classmethod
    def read(cls, data: bytes, path: Path, target_language: str = "") -> JsonDocument:
        document = cls(path, decode(data, path))
        try:
            json.loads(document.text, parse_int=str)  # of any number of digits
        except json.JSONDecodeError as error:
            raise FormatError(
                f"broken JSON: {error.msg}", path=path, line=error.lineno, remedy="repair the file"
            ) from None
        except RecursionError:
            raise FormatError(
                "JSON that is nested too deeply", path=path, remedy="split the file"
            ) from None
        document._collect()
        return document

    def _collect(self) -> None:
        found = list(_values(self.text))
        keys = {path[-1] for path, _, _ in found if path}
        chrome = bool(found) and keys <= {"message", "description", "content", "example"}
        escapes = not self.text.isascii()
        for path, start, end in found:
            if any(part.startswith("@") for part in path) or (chrome and path[-1] != "message"):
                continue
            text = json.loads(self.text[start:end])
            if is_prose(text):
                segment = Segment(Inline(text), self.line_of(start), ".".join(path))
                self.slots.append(Slot(segment, _writer(start, end, ascii=not escapes)))


def _values(text: str) -> Iterator[tuple[tuple[str, ...], int, int]]:
    """Each string that is a value: the keys above it and its place.  The text must be JSON."""
    levels: list[_Level] = []
    expects_key = False
    at = 0
    while found := _TOKEN.match(text, at):
        at = found.end()
        token = found[1]
        if token in "{[":
            levels.append(_Level(token == "{"))
            expects_key = token == "{"
        elif token in "}]":
            levels.pop()
            expects_key = False
        elif token == ",":
            levels[-1].index += 1
            expects_key = levels[-1].is_object
        elif token == ":":
            expects_key = False
        elif token[0] == '"' and expects_key:
            levels[-1].key = json.loads(token)
        elif token[0] == '"':
            path = tuple(level.key if level.is_object else str(level.index) for level in levels)
            yield path, found.start(1), found.end(1)


def _writer(start: int, end: int, *, ascii: bool) -> Writer:
    def write(fill: Fill) -> Sequence[Edit]:
        return [Edit(start, end, json.dumps(fill.target.text, ensure_ascii=ascii))]

    return write
