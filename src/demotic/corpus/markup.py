"""XML as a stream of events, and the text of segments with inline codes.

No tree is built: a ``Handler`` is told of starts, ends and text, and collects rows; memory does not
grow with the file, however long or deep.  Entity declarations and external references are refused
(XML bombs, files that read other files) by defusedxml; a mere reference to a DTD is not followed.
Encodings are those that the document declares, UTF-16 included.
"""

from __future__ import annotations

import codecs
import re
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from itertools import chain
from typing import Any

from demotic.corpus.reading import Reading, Row
from demotic.corpus.xml_errors import xml_errors
from demotic.errors import EncodingError, FormatError
from demotic.files import LONGEST_LINE, check_length, read_bytes

_DEEPEST = 1_000_000  # elements
Attributes = Mapping[str, str]
XML_LANG = "{http://www.w3.org/XML/1998/namespace}lang"
_DECLARED = re.compile(rb"<\?xml[^>]*?encoding\s*=\s*[\"']([\w.:-]+)[\"']")


class Handler(ABC):
    """Base of the readers of XML formats: they define ``begin``, ``finish`` and ``data``."""

    def __init__(self, reading: Reading) -> None:
        self.reading = reading
        self.rows: list[Row] = []
        self.path: list[str] = []  # names of the open elements, without namespaces
        self.parser: Any = None

    @property
    def line(self) -> int:
        """The line that the parser has reached."""
        return int(self.parser.parser.CurrentLineNumber)

    def start(self, tag: str, attributes: Attributes) -> None:
        name = tag.rpartition("}")[2]
        if len(self.path) == _DEEPEST:
            raise FormatError(
                f"more than {_DEEPEST:,} elements in one another",
                path=self.reading.path,
                line=self.line,
                remedy="write the file again",
            )
        self.begin(name, attributes)
        self.path.append(name)

    def end(self, tag: str) -> None:
        self.finish(self.path.pop())

    @abstractmethod
    def begin(self, name: str, attributes: Attributes) -> None:
        """An element starts; ``path`` holds those around it."""

    @abstractmethod
    def finish(self, name: str) -> None:
        """An element ended; ``path`` holds those around it."""

    @abstractmethod
    def data(self, text: str) -> None:
        """Text inside an element."""


def parse(handler: Handler) -> Iterator[Row]:
    """The rows that the handler finds while its file streams past."""
    from defusedxml.ElementTree import DefusedXMLParser

    path = handler.reading.path
    parser, fed = None, 0
    with xml_errors(path, lambda: handler.line):
        for chunk, encoding in _chunks(path):
            if parser is None:
                parser = DefusedXMLParser(target=handler, encoding=encoding)
                handler.parser = parser
            parser.feed(chunk)
            fed += len(chunk)
            # Expat holds a tag or a comment until it ends.
            check_length(fed - parser.parser.CurrentByteIndex, path, handler.line)
            rows, handler.rows = handler.rows, []
            yield from rows
        if parser is None:
            raise FormatError("an empty file", path=path, remedy="give a file with translations")
        parser.close()
    yield from handler.rows


def _chunks(path: str) -> Iterator[tuple[bytes, str | None]]:
    """The file's bytes; in UTF-8 where expat does not know the declared encoding itself."""
    chunks = read_bytes(path)
    head = next(chunks, b"")
    encoding = _foreign_encoding(head, path)
    if encoding is None:
        for chunk in chain([head] if head else [], chunks):
            yield chunk, None
        return
    decoder = codecs.getincrementaldecoder(encoding)()
    line = 1
    for chunk in chain([head], chunks, [b""]):
        try:
            text = decoder.decode(chunk, final=not chunk)
        except UnicodeDecodeError as error:
            bad = error.object[error.start]
            raise EncodingError(
                f"the encoding is {encoding}, but byte 0x{bad:02x} does not belong to it",
                path=path,
                line=line + error.object.count(b"\n", 0, error.start),
                remedy="correct the XML declaration",
            ) from None
        line += text.count("\n")
        yield text.encode(), "utf-8"


def _foreign_encoding(head: bytes, path: str) -> str | None:
    """The declared encoding, if expat does not know it."""
    declared = _DECLARED.match(head.removeprefix(codecs.BOM_UTF8)[:200])
    if declared is None:
        return None
    name = declared.group(1).decode("ascii")
    try:
        known = codecs.lookup(name)
        " ".encode(name)
    except LookupError:
        raise EncodingError(
            f"the XML declaration names an unknown encoding: {name}",
            path=path,
            line=1,
            remedy="correct the declaration",
        ) from None
    if known.name.startswith("utf") or known.name in ("ascii", "iso8859-1"):
        return None  # expat's own; it also notices when the declaration is wrong
    return name


# Inline codes.  What they stand for is kept where the file tells it (``<b>`` in TMX's
# <bpt>&lt;b&gt;</bpt>); otherwise they become one of three tags, which protected spans keep whole.
_PAIRED = frozenset({"g", "pc"})
_OPENING = frozenset({"bpt", "bx", "sc"})
_CLOSING = frozenset({"ept", "ex", "ec"})
_STANDALONE = frozenset({"ph", "it", "ut", "x"})


class InlineText:
    """The text of one segment: text, codes, and elements that only mark a stretch of it."""

    def __init__(self, original: Mapping[str, str] | None = None) -> None:
        self._parts: list[str] = []
        self._closing: list[tuple[str, int]] = []  # what to add at the end tag if nothing came
        self._original = original or {}
        self._size = 0

    def __str__(self) -> str:
        return "".join(self._parts)

    def data(self, text: str) -> None:
        self._grow(len(text))
        self._parts.append(text)

    def _grow(self, size: int) -> None:
        self._size += size
        if self._size > LONGEST_LINE:
            raise FormatError(
                f"a segment of more than {LONGEST_LINE:,} characters",
                remedy="is it a translation memory? write the file again",
            )

    def begin(self, name: str, attributes: Attributes) -> None:
        """An element inside the segment starts."""
        closing = ""
        self._grow(1)
        if name in _PAIRED:
            self._parts.append(self._code(attributes, "dataRefStart", _tag("g", attributes)))
            closing = self._code(attributes, "dataRefEnd", "</g>")
            self._closing.append((closing, -1))
            return
        if name in _OPENING:
            closing = self._code(attributes, "dataRef", _tag("g", attributes))
        elif name in _CLOSING:
            closing = self._code(attributes, "dataRef", "</g>")
        elif name in _STANDALONE:
            closing = self._code(attributes, "dataRef", _tag("x", attributes, "/"))
        elif name == "cp":
            closing = _character(attributes.get("hex", ""))
        self._closing.append((closing, len(self._parts)))

    def finish(self) -> None:
        """The innermost element inside the segment ended."""
        closing, parts = self._closing.pop()
        if parts < 0 or parts == len(self._parts):
            self._parts.append(closing)

    def _code(self, attributes: Attributes, reference: str, otherwise: str) -> str:
        original = self._original.get(attributes.get(reference, ""))
        return original or attributes.get("equiv-text") or attributes.get("equiv") or otherwise


def _tag(name: str, attributes: Attributes, slash: str = "") -> str:
    for key in ("id", "x", "i", "startRef"):
        if key in attributes:
            return f'<{name} id="{attributes[key]}"{slash}>'
    return f"<{name}{slash}>"


def _character(hexadecimal: str) -> str:
    """A character that XML cannot hold; only of use if it is text."""
    try:
        character = chr(int(hexadecimal, 16))
    except (ValueError, OverflowError):
        return ""
    return character if character.isprintable() else ""
