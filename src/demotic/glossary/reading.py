"""Glossaries from files: tab-separated values, CSV, TBX.

A line of a table has a term and its translation; further columns are ignored.  A term without
translation stays as it is.  A line for each translation of a term that has several; the first one
is what is written, all of them are accepted.  Lines that begin with ``#`` are comments.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator, Sequence
from pathlib import Path

from demotic import files
from demotic.corpus.language import matches
from demotic.corpus.markup import XML_LANG, Attributes, Handler, parse
from demotic.corpus.reading import Reading
from demotic.errors import FormatError
from demotic.glossary.term import Glossary

_HEADS = ("source", "src", "term", "original")


def read_glossary(
    paths: Sequence[str | Path], *, source: str | None = None, target: str | None = None
) -> Glossary:
    """The terms of all files; ``source`` and ``target`` are language codes, which TBX needs."""
    return Glossary.of(pair for path in paths for pair in _pairs(Path(path), source, target))


def _pairs(path: Path, source: str | None, target: str | None) -> Iterator[tuple[str, str]]:
    head = next(files.read_bytes(path), b"").lstrip(b"\xef\xbb\xbf \r\n\t")
    if head[:1] == b"<":
        if source is None or target is None:
            raise FormatError("which languages?", path=path, remedy="name source and target")
        found = list(parse(_TbxHandler(Reading(str(path), source, target))))
        if not found:
            raise FormatError(
                f"no terms in {source} and {target}", path=path, remedy="give a TBX file with both"
            )
        for one, other, _ in found:
            yield one, other
        return
    named = {name.removesuffix(".gz") for name in (path.suffix, "".join(path.suffixes[-2:]))}
    comma = ".csv" in named
    for number, line in enumerate(files.read_lines(path), 1):
        text = line.lstrip("\ufeff")
        if not text.strip() or text.startswith("#"):
            continue
        try:
            cells = [cell.strip() for cell in (_quoted(text) if comma else text.split("\t"))]
        except csv.Error as error:
            raise FormatError(
                f"no CSV: {error}", path=path, line=number, remedy="write a term on each line"
            ) from None
        if number == 1 and _is_head(cells, source, target):
            continue
        if not cells[0]:
            raise FormatError(
                "a translation without a term",
                path=path,
                line=number,
                remedy="write the term, a tab, and its translation",
            )
        yield cells[0], (cells[1] if len(cells) > 1 and cells[1] else cells[0])


def _quoted(line: str) -> list[str]:
    """The cells of a line of CSV; semicolons where there are no commas."""
    delimiter = ";" if ";" in line and "," not in line else ","
    return next(csv.reader([line], delimiter=delimiter))


def _is_head(cells: Sequence[str], source: str | None, target: str | None) -> bool:
    names = [cell.lower() for cell in cells]
    if names[0] in _HEADS and len(names) > 1:
        return True
    codes = (source, target)
    return len(names) > 1 and all(
        code is not None and matches(code, name)
        for code, name in zip(codes, names[:2], strict=True)
    )


class _TbxHandler(Handler):
    """TBX of any dialect: entries (``termEntry``, ``conceptEntry``) hold a part for each language
    (``langSet``, ``langSec``) with its terms."""

    def __init__(self, reading: Reading) -> None:
        super().__init__(reading)
        self._language = ""
        self._unit = ""
        self._terms: list[tuple[str, str]] = []
        self._text: list[str] | None = None

    def begin(self, name: str, attributes: Attributes) -> None:
        if not self.path and name not in ("tbx", "martif"):
            raise FormatError(
                f"not a TBX file: its root is <{name}>",
                path=self.reading.path,
                line=self.line,
                remedy="give TBX, or a table of two columns separated by tabs",
            )
        if name in ("termEntry", "conceptEntry"):
            self._terms = []
            self._unit = attributes.get("id") or f"line {self.line}"
        elif name in ("langSet", "langSec"):
            self._language = attributes.get(XML_LANG) or attributes.get("lang") or ""
        elif name == "term":
            self._text = []

    def data(self, text: str) -> None:
        if self._text is not None:
            self._text.append(text)

    def finish(self, name: str) -> None:
        if name == "term" and self._text is not None:
            if text := " ".join("".join(self._text).split()):
                self._terms.append((self._language, text))
            self._text = None
        elif name in ("termEntry", "conceptEntry"):
            assert self.reading.source is not None
            assert self.reading.target is not None
            ours = [text for code, text in self._terms if matches(self.reading.source, code)]
            theirs = [text for code, text in self._terms if matches(self.reading.target, code)]
            self.rows += [(one, other, self._unit) for one in ours for other in theirs]
