"""Which format a file has: by its content, and by its name where several formats look alike."""

from __future__ import annotations

import codecs
import re
import struct
import zipfile
from collections.abc import Callable
from io import BytesIO
from pathlib import Path

from demotic.documents.document import Document
from demotic.errors import ArgumentError, FormatError
from demotic.files import naming, read_bytes, read_whole

FORMATS = (
    "po", "xliff", "tmx", "android", "strings", "properties", "json", "yaml", "html", "markdown",
    "docx", "odt", "srt",
)  # fmt: skip
SUFFIXES = {
    ".po": "po", ".pot": "po", ".xlf": "xliff", ".xliff": "xliff", ".sdlxliff": "xliff",
    ".mqxliff": "xliff", ".mxliff": "xliff", ".tmx": "tmx", ".strings": "strings",
    ".properties": "properties", ".json": "json", ".arb": "json", ".yaml": "yaml", ".yml": "yaml",
    ".html": "html", ".htm": "html", ".xhtml": "html", ".md": "markdown", ".markdown": "markdown",
    ".docx": "docx", ".odt": "odt", ".srt": "srt",
}  # fmt: skip
_MO = (b"\xde\x12\x04\x95", b"\x95\x04\x12\xde")
_MESSAGE = re.compile(r"^(?:msgid|msgctxt)[ \t]*\"", re.MULTILINE)
_CUE = re.compile(r"^\s*\d+\r?\n\d+:\d\d:\d\d,\d+ --> ", re.MULTILINE)
_HEAD = 65536


def recognise(data: bytes, name: str = "") -> str:
    """The format, or ``text`` for plain lines.  Content goes before the name's suffix."""
    if data[:4] == b"PK\x03\x04":
        return _archive(data)
    if data[:4] in _MO:
        return "mo"
    if not data.strip():
        return "text"
    head = _text(data[:_HEAD])
    start = head.lstrip("\ufeff \t\r\n")
    suffix = SUFFIXES.get(Path(name.removesuffix(".gz")).suffix.lower(), "text")
    if start.startswith("<"):
        for mark, format in (("<xliff", "xliff"), ("<tmx", "tmx"), ("<resources", "android")):
            if re.search(rf"{mark}[\s>]", head):
                return format
        if re.match(r"<!doctype\s+html|<html[\s>]", start, re.IGNORECASE):
            return "html"
    if suffix == "po" or _MESSAGE.search(head):
        return "po"
    if _CUE.match(head):
        return "srt"
    # The rest has no mark of its own: plain text may look like any of them.
    return suffix if suffix not in ("xliff", "tmx", "docx", "odt") else "text"


def document_format(path: str | Path) -> str | None:
    """The format of a file that is a document; None for plain text, of which little is read."""
    with naming(path):
        chunks = read_bytes(path)
        head = next(chunks, b"")
        whole = head[:4] == b"PK\x03\x04"  # the list of what is in an archive stands at its end
        format = recognise(read_whole(path) if whole else head, Path(path).name)
    return None if format == "text" else format


def open_document(
    path: str | Path,
    *,
    source_language: str = "",
    target_language: str = "",
    format: str | None = None,
    data: bytes | None = None,
) -> Document:
    """The document in a file; ``data`` is its content where it was read already."""
    path = Path(path)
    if data is None:
        data = read_whole(path)
    format = format or recognise(data, path.name)
    if format == "mo":
        raise FormatError(
            "a compiled catalogue (MO) cannot be filled in: it holds no untranslated messages",
            path=path,
            remedy="give the PO file that it was compiled from, and compile that with msgfmt",
        )
    if format not in FORMATS:
        raise ArgumentError(f"no document format: {format}", remedy=f"one of {', '.join(FORMATS)}")
    return _reader(format, source_language, target_language)(data, path)


def _reader(format: str, source: str, target: str) -> Callable[[bytes, Path], Document]:
    """Each module is imported when a file of its format comes."""
    match format:
        case "po":
            from demotic.documents.po import PoDocument

            return lambda data, path: PoDocument.read(data, path, target)
        case "xliff":
            from demotic.documents.xliff import XliffDocument

            return lambda data, path: XliffDocument.read(data, path, target)
        case "tmx":
            from demotic.documents.tmx import TmxDocument

            return lambda data, path: TmxDocument.read(data, path, target, source)
        case "android":
            from demotic.documents.android import AndroidDocument

            return AndroidDocument.read
        case "strings":
            from demotic.documents.apple_strings import AppleStringsDocument

            return AppleStringsDocument.read
        case "properties":
            from demotic.documents.properties import PropertiesDocument

            return PropertiesDocument.read
        case "json":
            from demotic.documents.json_resource import JsonDocument

            return JsonDocument.read
        case "yaml":
            from demotic.documents.yaml_resource import YamlDocument

            return lambda data, path: YamlDocument.read(data, path, target, source)
        case "html":
            from demotic.documents.html import HtmlDocument

            return HtmlDocument.read
        case "markdown":
            from demotic.documents.markdown import MarkdownDocument

            return MarkdownDocument.read
        case "docx":
            from demotic.documents.office import DocxDocument

            return DocxDocument.read
        case "odt":
            from demotic.documents.office import OdtDocument

            return OdtDocument.read
        case _:
            from demotic.documents.subtitles import SubtitleDocument

            return SubtitleDocument.read


def _text(head: bytes) -> str:
    if head.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return head.decode("utf-16", "replace")
    if head[:4].count(b"\0") == 2:
        return head.decode("utf-16-be" if head[0] == 0 else "utf-16-le", "replace")
    return head.decode("utf-8", "replace")


def _archive(data: bytes) -> str:
    try:
        with zipfile.ZipFile(BytesIO(data)) as archive:
            names = set(archive.namelist())
    except (zipfile.BadZipFile, NotImplementedError, OSError, ValueError, struct.error) as error:
        raise FormatError(f"a damaged archive: {error}", remedy="save the document again") from None
    if "word/document.xml" in names:
        return "docx"
    if "content.xml" in names and "META-INF/manifest.xml" in names:
        return "odt"
    raise FormatError(
        "an archive that is neither DOCX nor ODT", remedy="unpack it, and give the files in it"
    )
