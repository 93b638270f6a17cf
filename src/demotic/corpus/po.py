"""Gettext catalogues: PO (text) and MO (compiled), through polib.

The message is the source, its translation the target.  Of plural messages, form 0 is paired with
``msgid`` and every other form with ``msgid_plural`` (languages with a single form: with the
plural).  Fuzzy, obsolete and untranslated messages are skipped and counted.  The unit is the line
of the entry (MO: its number), ``[n]`` for plural form n, and the message context, if any.

A catalogue is read whole: polib builds its list, about 1 KB for each message.
"""

from __future__ import annotations

import codecs
import re
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from demotic.corpus.reading import Reading, Row
from demotic.errors import EncodingError, FormatError
from demotic.files import naming, read_whole

_CHARSET = re.compile(rb"Content-Type:[^\n]*?charset=([^\s\\\"]+)", re.IGNORECASE)
_SINGLE_BYTE = re.compile(r"iso-?8859|latin|windows-?125|cp125|koi8", re.IGNORECASE)
_LOCALE = re.compile(r"[a-z]{2}([_-][A-Z]{2})?")
_SYNTAX = re.compile(r"Syntax error in po file .*?\(line (\d+)\)(?:: )?(.*)", re.DOTALL)
_MO_MAGIC = (b"\xde\x12\x04\x95", b"\x95\x04\x12\xde")


def read_po(reading: Reading) -> Iterator[Row]:
    """Messages of a PO file and their translations."""
    import polib

    data = read_whole(reading.path)
    text = _decoded(data, _charset(data, reading.path), reading.path)
    # polib splits a string at more characters than it does a file; hence a file.
    with naming(reading.path), tempfile.NamedTemporaryFile("w", encoding="utf-8") as copy:
        copy.write(text)
        copy.flush()
        try:
            catalogue = polib.pofile(copy.name, encoding="utf-8")
        except OSError as error:
            raise _syntax_error(error, reading.path) from None
        except (ValueError, IndexError, AttributeError) as error:
            raise FormatError(
                f"not a PO file: {error}", path=reading.path, remedy="check it with msgfmt -c"
            ) from error
    yield from _rows(catalogue, reading)


def read_mo(reading: Reading) -> Iterator[Row]:
    """Messages of a compiled catalogue and their translations."""
    import polib

    data = read_whole(reading.path)
    _check_mo(data, reading.path)
    charset = _charset(data, reading.path)
    try:
        catalogue = polib.mofile(data, encoding=charset)
    except UnicodeDecodeError as error:
        raise EncodingError(
            f"the catalogue says charset {charset}, but it holds "
            f"{error.object[error.start : error.start + 1]!r}",
            path=reading.path,
            remedy="correct the charset in the PO file and compile it again",
        ) from error
    except (OSError, ValueError) as error:
        raise FormatError(f"not an MO file: {error}", path=reading.path) from error
    yield from _rows(catalogue, reading)


def _rows(catalogue: Any, reading: Reading) -> Iterator[Row]:
    language = catalogue.metadata.get("Language", "") or _language_of_path(reading.path)
    if language:
        reading.saw(language)
    direction = reading.direction(catalogue.metadata.get("X-Source-Language", ""), language)
    if not direction:
        reading.skipped["in other languages"] += len(catalogue)
        return
    if direction > 0:
        reading.source = reading.source or "en"  # what gettext expects messages to be in
    else:
        reading.target = reading.target or "en"
    for number, entry in enumerate(catalogue, 1):
        if entry.obsolete:
            reading.skipped["obsolete"] += 1
        elif entry.msgid and "fuzzy" in getattr(entry, "flags", ()):
            reading.skipped["fuzzy"] += 1
        elif entry.msgid:
            for source, target, form in _forms(entry):
                if target:
                    unit = f"{getattr(entry, 'linenum', None) or number}{form}"
                    unit = f"{unit} {entry.msgctxt}" if entry.msgctxt else unit
                    yield (source, target, unit) if direction > 0 else (target, source, unit)
                else:
                    reading.skipped["untranslated"] += 1


def _language_of_path(path: str) -> str:
    """What ``fr/LC_MESSAGES/app.mo`` or ``pt_BR.po`` says; many catalogues have no other word."""
    where = Path(path)
    if where.parent.name == "LC_MESSAGES":
        return where.parent.parent.name
    name = where.name.partition(".")[0]
    return name if _LOCALE.fullmatch(name) else ""


def _forms(entry: Any) -> Iterator[tuple[str, str, str]]:
    if not entry.msgid_plural:
        yield entry.msgid, entry.msgstr, ""
        return
    forms = sorted(entry.msgstr_plural.items())
    for index, translation in forms:
        singular = index == 0 and len(forms) > 1
        yield entry.msgid if singular else entry.msgid_plural, translation, f"[{index}]"


def _charset(data: bytes, path: str) -> str:
    found = _CHARSET.search(data)
    name = found.group(1).decode("ascii", "replace") if found else "UTF-8"
    if name == "CHARSET":  # a template that nobody has filled in
        return "UTF-8"
    try:
        codecs.lookup(name)
        b" ".decode(name)
    except (LookupError, ValueError):
        raise EncodingError(
            f"the header names an unknown charset: {name}",
            path=path,
            line=data.count(b"\n", 0, found.start()) + 1 if found else None,
            remedy="correct the charset in the Content-Type line",
        ) from None
    return name


def _decoded(data: bytes, charset: str, path: str) -> str:
    if b"\0" in data:
        raise EncodingError(
            "a binary file, not a PO file (it holds a NUL byte)",
            path=path,
            line=data.count(b"\n", 0, data.index(b"\0")) + 1,
            remedy="a compiled catalogue should be called .mo",
        )
    if _SINGLE_BYTE.search(charset) and not data.isascii() and _is_utf8(data):
        # Such bytes decode as anything; in a real Latin-1 text they are never all valid UTF-8.
        raise EncodingError(
            f"the header says charset {charset}, but the text is UTF-8",
            path=path,
            remedy="correct the charset in the Content-Type line",
        )
    try:
        return data.removeprefix(codecs.BOM_UTF8).decode(charset)
    except UnicodeDecodeError as error:
        raise EncodingError(
            f"the charset is {charset}, but byte 0x{data[error.start]:02x} does not belong to it",
            path=path,
            line=data.count(b"\n", 0, error.start) + 1,
            remedy="correct the charset in the Content-Type line, or convert with msgconv -t UTF-8",
        ) from None


def _is_utf8(data: bytes) -> bool:
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True


def _syntax_error(error: OSError, path: str) -> FormatError:
    found = _SYNTAX.search(str(error))
    detail = (found.group(2) if found else str(error)) or "not what a PO file holds"
    return FormatError(
        f"broken PO file: {detail}",
        path=path,
        line=int(found.group(1)) if found else None,
        remedy="check it with msgfmt -c",
    )


def _check_mo(data: bytes, path: str) -> None:
    """Refuse what polib would trust: strings outside the file, or more of them than it holds."""
    import numpy as np

    if data[:4] not in _MO_MAGIC or len(data) < 20:
        raise FormatError("not an MO file", path=path, remedy="give a compiled gettext catalogue")
    order = "<u4" if data[:4] == _MO_MAGIC[0] else ">u4"
    _, count, *tables = (int(n) for n in np.frombuffer(data, order, 4, offset=4))
    for table in tables:
        if table + 8 * count <= len(data):
            spans = np.frombuffer(data, order, 2 * count, offset=table).astype(np.int64)
            lengths, offsets = spans[0::2], spans[1::2]
            if (lengths + offsets <= len(data)).all() and lengths.sum() <= len(data):
                continue
        raise FormatError(
            "a damaged MO file: strings beyond its end", path=path, remedy="compile it again"
        )
