"""DOCX and ODT: archives whose parts with text are rewritten; all others are copied as they are.

A paragraph is a segment.  What a word processor writes within it, such as a run of another style, a
link, a tab, a picture, is a code.
"""

from __future__ import annotations

import io
import re
import struct
import zipfile
import zlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import ClassVar

from demotic.documents.document import Document, Edit, Fill, Segment, Slot, TextDocument, Writer
from demotic.documents.inline import Inline, InlineBuilder
from demotic.documents.prose import is_prose
from demotic.documents.xml_inline import content
from demotic.documents.xml_text import Piece, decode_xml, element_end, escape, pieces, plain
from demotic.errors import FormatError

MOST_BYTES = 256 << 20
"""Of all parts together, unpacked."""
_MOST_PARTS = 20_000
_DOCX_PARTS = re.compile(r"word/(?:document|header\d*|footer\d*|footnotes|endnotes|comments)\.xml")
_ODT_PARTS = re.compile(r"(?:content|styles)\.xml")
_SPACES = re.compile(r"[ \t\r\n]+")


class OfficeDocument(Document):
    """An archive with several parts that hold text."""

    def __init__(self, path: Path, data: bytes, parts: Mapping[str, TextDocument]) -> None:
        self.path = path
        self._data = data
        self._parts = dict(parts)
        self._places = [
            (name, number) for name, part in parts.items() for number in range(len(part.slots))
        ]
        self.segments = [parts[name].segments[number] for name, number in self._places]

    def filled(self, fills: Mapping[int, Fill]) -> bytes:
        if not fills:
            return self._data
        changed: dict[str, dict[int, Fill]] = {}
        for number, fill in fills.items():
            name, own = self._places[number]
            changed.setdefault(name, {})[own] = fill
        out = io.BytesIO()
        with (
            _archive_errors(self.path),
            zipfile.ZipFile(io.BytesIO(self._data)) as old,
            zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as new,
        ):
            for info in old.infolist():
                data = _member(old, info, self.path)
                if info.filename in changed:
                    data = self._parts[info.filename].filled(changed[info.filename])
                new.writestr(info, data, compress_type=info.compress_type)
        return out.getvalue()


class DocxDocument(OfficeDocument):
    format: ClassVar[str] = "docx"

    @classmethod
    def read(cls, data: bytes, path: Path, target_language: str = "") -> DocxDocument:
        return cls(path, data, _parts(data, path, _DOCX_PARTS, _DocxPart))


class OdtDocument(OfficeDocument):
    format: ClassVar[str] = "odt"

    @classmethod
    def read(cls, data: bytes, path: Path, target_language: str = "") -> OdtDocument:
        return cls(path, data, _parts(data, path, _ODT_PARTS, _OdtPart))


def _parts(
    data: bytes, path: Path, wanted: re.Pattern[str], kind: type[_DocxPart] | type[_OdtPart]
) -> dict[str, TextDocument]:
    with _archive_errors(path), zipfile.ZipFile(io.BytesIO(data)) as archive:
        infos = archive.infolist()
        if len(infos) > _MOST_PARTS or sum(info.file_size for info in infos) > MOST_BYTES:
            raise FormatError(
                f"an archive of more than {MOST_BYTES >> 20} MB unpacked",
                path=path,
                remedy="take large pictures out of the document",
            )
        names = [info.filename for info in infos]
        if len(set(names)) != len(names):
            raise FormatError("an archive that holds a name twice", path=path)
        return {
            info.filename: kind.read(_member(archive, info, path), path)
            for info in infos
            if wanted.fullmatch(info.filename)
        }


@contextmanager
def _archive_errors(path: Path) -> Iterator[None]:
    try:
        yield
    except (
        zipfile.BadZipFile, NotImplementedError, RuntimeError, EOFError, OSError, ValueError,
        zlib.error, struct.error,
    ) as error:  # fmt: skip
        raise FormatError(
            f"a damaged or encrypted archive: {error}",
            path=path,
            remedy="save the document again, without a password",
        ) from None


def _member(archive: zipfile.ZipFile, info: zipfile.ZipInfo, path: Path) -> bytes:
    """A part, no longer than the archive's list says."""
    with archive.open(info) as stream:
        data = stream.read(info.file_size + 1)
    if len(data) > info.file_size:
        raise FormatError("an archive whose parts are longer than it says", path=path)
    return data


class _OdtPart(TextDocument):
    """Paragraphs and headings; notes and frames within them stay as they are."""

    format: ClassVar[str] = "odt"
    _CLOSED = frozenset({"note", "annotation", "frame", "tracked-changes", "ruby", "custom-shape"})

    @classmethod
    def read(cls, data: bytes, path: Path) -> _OdtPart:
        document = cls(path, decode_xml(data, path))
        found = pieces(document.text, path)
        number = 0
        while number < len(found):
            piece = found[number]
            if piece.kind == "start" and piece.name in ("p", "h") and ":" in piece.raw[:12]:
                last = element_end(found, number)
                source = content(found, number + 1, last, read=_read, closed=cls._CLOSED)
                if is_prose(source.text):
                    segment = Segment(source, document.line_of(piece.start))
                    write = _odt_writer(piece.end, found[last].start)
                    document.slots.append(Slot(segment, write))
                    number = last
            number += 1
        return document


def _read(raw: str) -> str:
    return _SPACES.sub(" ", plain(raw))


def _odt_writer(start: int, end: int) -> Writer:
    def write(fill: Fill) -> Sequence[Edit]:
        return [Edit(start, end, fill.target.rendered(escape))]

    return write


class _DocxPart(TextDocument):
    """Paragraphs of runs: runs of one format are one stretch, those of another format are pairs."""

    format: ClassVar[str] = "docx"

    @classmethod
    def read(cls, data: bytes, path: Path) -> _DocxPart:
        document = cls(path, decode_xml(data, path))
        found = pieces(document.text, path)
        # A text box holds paragraphs within a paragraph: innermost ones are segments.
        open_: list[int] = []
        inner: set[int] = set()
        for number, piece in enumerate(found):
            if piece.name != "p" or not piece.raw.startswith(("<w:p", "</w:p")):
                continue
            if piece.kind == "start":
                inner.update(open_)
                open_.append(number)
            elif piece.kind == "end" and open_:
                first = open_.pop()
                if first not in inner:
                    document._add(found, first, number)
        document.slots.sort(key=lambda slot: slot.segment.line)
        return document

    def _add(self, found: list[Piece], first: int, last: int) -> None:
        begin = first + 1
        if found[begin].name == "pPr":
            begin = element_end(found, begin) + 1
        if any(
            found[i].name in ("fldChar", "instrText", "del", "moveFrom") for i in range(begin, last)
        ):
            return  # fields and tracked changes: a part of the text stands elsewhere
        runs = _Runs(found, begin, last)
        if is_prose(runs.source.text):
            segment = Segment(runs.source, self.line_of(found[first].start))
            write = _docx_writer(found[begin].start, found[last].start, runs.base)
            self.slots.append(Slot(segment, write))


class _Runs:
    """The text of a paragraph; ``base`` is the format of most of it."""

    def __init__(self, found: list[Piece], begin: int, last: int) -> None:
        stretches: list[tuple[str, str]] = []  # format and text, or "" and a code
        number = begin
        while number < last:
            piece = found[number]
            end = element_end(found, number) if piece.kind == "start" else number
            raw = "".join(each.raw for each in found[number : end + 1])
            if piece.kind == "start" and piece.name == "r":
                stretches += _run(found, number, end)
                number = end
            elif piece.kind == "start" and piece.name not in (
                "hyperlink",
                "ins",
                "smartTag",
                "sdt",
            ):
                stretches.append(("", raw))
                number = end
            elif piece.kind != "text" or piece.raw.strip():
                stretches.append(("", piece.raw))
            number += 1
        lengths: dict[str, int] = {}
        for format, text in stretches:
            if format:
                lengths[format] = lengths.get(format, 0) + len(text)
        self.base = max(lengths, key=lambda each: lengths[each]) if lengths else "r"
        self.source = self._built(stretches)

    def _built(self, stretches: list[tuple[str, str]]) -> Inline:
        built = InlineBuilder()
        opened = ""
        for format, text in stretches:
            wanted = "" if not format or format == self.base else format
            if opened and opened != wanted:
                built.end("", opened)
                opened = ""
            if wanted and not opened:
                built.begin(_FORMAT + wanted, wanted)
                opened = wanted
            if format:
                built.text(text)
            elif text.startswith("<w:hyperlink") and not text.endswith("/>"):
                built.begin(text, "hyperlink")
            elif text.startswith("</w:hyperlink"):
                built.end(text, "hyperlink")
            else:
                built.point(text)
        if opened:
            built.end("", opened)
        return built.finish()


_FORMAT = "\0"  # begins the code of another format; no XML holds this character


def _run(found: list[Piece], first: int, last: int) -> list[tuple[str, str]]:
    """A run as stretches: text with its format; what else is in it as runs of their own."""
    number = first + 1
    properties = ""
    if number < last and found[number].name == "rPr":
        end = element_end(found, number)
        properties = "".join(each.raw for each in found[number : end + 1])
        number = end + 1
    stretches: list[tuple[str, str]] = []
    while number < last:
        piece = found[number]
        end = element_end(found, number) if piece.kind == "start" else number
        if piece.name == "t" and piece.kind == "start":
            text = "".join(plain(each.raw) for each in found[number + 1 : end])
            stretches.append((f"r{properties}", text))
        elif piece.kind in ("start", "empty"):
            raw = "".join(each.raw for each in found[number : end + 1])
            stretches.append(("", f"<w:r>{properties}{raw}</w:r>"))
        number = end + 1
    return stretches


def _docx_writer(start: int, end: int, base: str) -> Writer:
    def write(fill: Fill) -> Sequence[Edit]:
        parts: list[str] = []
        formats = [base]
        at = 0
        for code in fill.target.codes:
            parts.append(_written_run(fill.target.text[at : code.at], formats[-1]))
            at = code.at
            if code.raw.startswith(_FORMAT) and code.kind == "open":
                formats.append(code.raw[1:])
            elif code.raw == "" and code.kind == "close":
                formats.pop()
            elif not code.raw.startswith(_FORMAT):
                parts.append(code.raw)
        parts.append(_written_run(fill.target.text[at:], formats[-1]))
        return [Edit(start, end, "".join(parts))]

    return write


def _written_run(text: str, format: str) -> str:
    if not text:
        return ""
    return f'<w:r>{format[1:]}<w:t xml:space="preserve">{escape(text)}</w:t></w:r>'
