"""Telling kinds of files apart."""

from __future__ import annotations

import re
from enum import StrEnum
from pathlib import Path

from demotic import files
from demotic.bundle import ABOUT
from demotic.errors import FormatError

_HEAD = 1 << 16
_LINK = rb"\d+[-?p]\d+(:\d+(\.\d+)?)?"
_PHARAOH = re.compile(rb"\s*(%b(\s+%b)*\s*)?" % (_LINK, _LINK))


class Kind(StrEnum):
    """The kinds that can be told apart; the value is how people call them."""

    model = "translation model"
    container = "Demotic binary file"
    arpa = "ARPA language model"
    arrow = "Arrow bitext"
    tmx = "TMX translation memory"
    xliff = "XLIFF document"
    po = "PO catalogue"
    mo = "MO catalogue"
    tsv = "tab-separated text"
    grammar = "text grammar"
    pharaoh = "word alignment (Pharaoh)"
    text = "plain text"


def detect(path: str | Path) -> Kind:
    """The kind of a file; :class:`FormatError` for one that Demotic has no use for."""
    if Path(path).is_dir():
        return _folder_kind(Path(path))
    head = _head(path)
    by_magic = {
        b"DEMOTIC\0": Kind.container,
        b"PK\x03\x04": Kind.model,
        b"ARROW1\0\0": Kind.arrow,
        b"\xde\x12\x04\x95": Kind.mo,
        b"\x95\x04\x12\xde": Kind.mo,
    }
    for magic, kind in by_magic.items():
        if head.startswith(magic):
            return kind
    return _text_kind(path, head)


def _folder_kind(path: Path) -> Kind:
    if (path / ABOUT).is_file():
        return Kind.model
    raise FormatError("a folder that is no model", path=path, remedy="name the files in it")


def _head(path: str | Path) -> bytes:
    head = b""
    for chunk in files.read_bytes(path):
        head += chunk
        if len(head) >= _HEAD:
            break
    return head[:_HEAD]


def _is_binary(head: bytes) -> bool:
    """Whether so much is no text that a list of the bad lines would help nobody."""
    odd = head.decode(errors="replace").count("\ufffd") + len(re.findall(rb"[\0-\x08]", head))
    return b"\0" in head and odd > 0.3 * len(head)


def _text_kind(path: str | Path, head: bytes) -> Kind:
    # XML may be in UTF-16; its reader knows how to decode it.
    plain = head.replace(b"\0", b"") if head[:2] in (b"\xff\xfe", b"\xfe\xff", b"<\0") else head
    if b"<tmx" in plain:
        return Kind.tmx
    if b"<xliff" in plain:
        return Kind.xliff
    if _is_binary(head):
        raise FormatError(
            "a binary file of a kind that Demotic does not read",
            path=path,
            remedy="give text, bitext, an alignment, a language model or another Demotic file",
        )
    lines = head.split(b"\n")
    if len(head) == _HEAD:
        lines.pop()  # cut off in the middle
    first = next((line.strip() for line in lines if line.strip()), b"")
    if first.removeprefix(b"\xef\xbb\xbf") == b"\\data\\" or first == b"iARPA":
        return Kind.arpa
    name = Path(path).name.removesuffix(".gz")
    if name.endswith((".po", ".pot")) or any(line.startswith(b"msgid ") for line in lines):
        return Kind.po
    if first and all(line.count(b" ||| ") >= 2 for line in lines if line.strip()):
        return Kind.grammar
    if first and all(_PHARAOH.fullmatch(line) for line in lines):
        return Kind.pharaoh
    if name.endswith((".tsv", ".tab")) or (first and all(b"\t" in line for line in lines if line)):
        return Kind.tsv
    return Kind.text
