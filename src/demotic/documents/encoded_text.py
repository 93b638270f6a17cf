"""The text of a file and how to write it so that unchanged text gives unchanged bytes."""

from __future__ import annotations

import codecs
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from demotic.errors import EncodingError, FormatError
from demotic.files import MOST_BYTES

_MARKS = (  # the longer ones first: UTF-32's begins as UTF-16's does
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)


@dataclass(frozen=True)
class EncodedText:
    """Text without its byte-order mark, and what is needed to get the same bytes again."""

    text: str
    encoding: str
    mark: bytes = b""
    reference: Callable[[str], str] | None = None
    """How the format writes a character that the encoding does not have."""

    def encode(self, text: str, path: Path) -> bytes:
        """The bytes of the text, or of what became of it."""
        if self.reference is not None:
            text = _with_references(text, self.encoding, self.reference)
        try:
            return self.mark + text.encode(self.encoding)
        except UnicodeEncodeError as error:
            raise EncodingError(
                f"a translation holds {error.object[error.start]!r}, which the file's encoding, "
                f"{self.encoding}, does not have",
                path=path,
                remedy="convert the file to UTF-8 first",
            ) from None


def decode(data: bytes, path: Path, declared: str | None = None) -> EncodedText:
    """Text by its byte-order mark, what the file declares, or UTF-8; one of these must fit."""
    if len(data) > MOST_BYTES:
        raise FormatError(
            f"{len(data) >> 20} MB are too much for one document",
            path=path,
            remedy=f"split it: up to {MOST_BYTES >> 20} MB can be filled in at once",
        )
    for mark, encoding in _MARKS:
        if data.startswith(mark):
            return EncodedText(_decoded(data[len(mark) :], encoding, path), encoding, mark)
    if data[:4].count(b"\0") == 2:  # two letters of UTF-16 without a mark
        encoding = "utf-16-be" if data[0] == 0 else "utf-16-le"
        return EncodedText(_decoded(data, encoding, path), encoding)
    if b"\0" in data:
        raise EncodingError(
            "a binary file (it holds a NUL byte)",
            path=path,
            line=data.count(b"\n", 0, data.index(b"\0")) + 1,
            remedy="give a text file",
        )
    encoding = _known(declared, path) if declared else "utf-8"
    text = _decoded(data, encoding, path)
    if text.encode(encoding) != data:  # shift states of some encodings
        raise EncodingError(
            f"{encoding} has several ways to write this text, which would not come back as it was",
            path=path,
            remedy="convert the file to UTF-8 first",
        )
    return EncodedText(text, encoding)


def _known(name: str, path: Path) -> str:
    try:
        "".encode(name)
        return codecs.lookup(name).name
    except (LookupError, ValueError):
        raise EncodingError(
            f"an unknown encoding: {name!r}", path=path, remedy="correct what the file declares"
        ) from None


def _decoded(data: bytes, encoding: str, path: Path) -> str:
    try:
        return data.decode(encoding)
    except UnicodeDecodeError as error:
        bad = data[error.start : error.start + 1].hex()
        raise EncodingError(
            f"byte 0x{bad} is no part of {encoding.upper()} text",
            path=path,
            line=data.count(b"\n", 0, error.start) + 1,
            remedy="declare the right encoding in the file, or convert it to UTF-8",
        ) from None


def _with_references(text: str, encoding: str, reference: Callable[[str], str]) -> str:
    try:
        text.encode(encoding)
        return text
    except UnicodeEncodeError:
        return "".join(c if _fits(c, encoding) else reference(c) for c in text)


def _fits(character: str, encoding: str) -> bool:
    try:
        character.encode(encoding)
    except UnicodeEncodeError:
        return False
    return True
