"""Which format a file has, and reading files of any format into one Bitext."""

from __future__ import annotations

import codecs
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path

from demotic.corpus.bitext import Bitext
from demotic.corpus.language import UNKNOWN, looks_like_code, normalise
from demotic.corpus.plain import read_plain
from demotic.corpus.po import read_mo, read_po
from demotic.corpus.reading import Reading, Row
from demotic.corpus.storage import BitextWriter
from demotic.corpus.tmx import read_tmx
from demotic.corpus.tsv import read_tsv
from demotic.corpus.xliff import read_xliff
from demotic.errors import ArgumentError, EncodingError, FileAccessError, FormatError
from demotic.extras import check_training
from demotic.files import read_bytes, read_text
from demotic.progress import SILENT, Progress

StrPath = str | Path
_LISTED = 5  # files that were left out

READERS: dict[str, Callable[[Reading], Iterator[Row]]] = {
    "tsv": read_tsv,
    "po": read_po,
    "mo": read_mo,
    "tmx": read_tmx,
    "xliff": read_xliff,
}
SUFFIXES = {
    ".tsv": "tsv",
    ".tab": "tsv",
    ".po": "po",
    ".pot": "po",
    ".mo": "mo",
    ".gmo": "mo",
    ".tmx": "tmx",
    ".xlf": "xliff",
    ".xliff": "xliff",
    ".sdlxliff": "xliff",
    ".mqxliff": "xliff",
    ".mxliff": "xliff",
}


def read_bitext(
    path: StrPath | Sequence[StrPath | tuple[StrPath, StrPath]],
    other: StrPath | None = None,
    *,
    source: str | None = None,
    target: str | None = None,
    format: str | None = None,
    strict: bool = False,
    progress: Progress = SILENT,
) -> Bitext:
    """Read parallel sentences from files of any supported format.

    ``path`` is a file in one of the formats plain (then ``other`` holds the translations, line by
    line), tsv, po, mo, tmx, xliff; a folder, whose files of these formats are all read; or a list
    of files, in which a pair of names stands for two plain files.  Each may be gzip-compressed.
    The format is found out from name and content unless given.  ``source`` and ``target`` are
    language codes; without them, they are what the file says (for plain files: their suffixes).

        read_bitext("memory.tmx", source="en", target="fr")
        read_bitext("train.de.gz", "train.en.gz")
        read_bitext(["a.po", "b.xlf", ("c.de", "c.en")], source="en", target="de")

    Lines of tables that hold no pair are skipped and counted; of a folder, files that hold none are
    left out; ``progress`` says which and why.  ``strict`` refuses both.

    A corpus that outgrows 16 MB is kept in a temporary file (in TMPDIR), not in memory.
    """
    check_training()
    if format is not None and format not in READERS and format != "plain":
        raise ArgumentError(
            f"unknown format: {format}", remedy=f"one of plain, {', '.join(READERS)}"
        )
    inputs = list(_inputs(path, other, source, target, progress))
    named = {str(each) for each in _named(path)}
    writer = BitextWriter([first for first, _ in inputs])
    skipped: Counter[str] = Counter()
    languages = source, target
    found = False
    empty: FormatError | None = None
    with progress.step("reading", unit="pairs") as advance:
        for first, second in inputs:
            reading = Reading(first, languages[0], languages[1], strict=strict)
            count = 0
            try:
                for added in writer.add(_rows(reading, second, format), first):
                    advance(added)
                    count += added
            except (FormatError, EncodingError) as error:
                if strict or first in named:
                    raise
                progress.say(f"left out: {error}")
            skipped += reading.skipped
            if reading.lines:
                progress.say(f"{first}: skipped {reading.told()}")
            if count:
                found = True
                languages = _agreed(reading, second)
            else:
                if first not in named:
                    progress.say(f"left out: {reading.nothing_found()}")
                empty = empty or reading.nothing_found()
    if not found and empty is not None:
        raise empty
    return Bitext(
        writer.finish(),
        source_language=languages[0] or UNKNOWN,
        target_language=languages[1] or UNKNOWN,
        skipped=skipped,
    )


def detect_format(path: StrPath) -> str:
    """The format of a file by its suffix, else by its first bytes."""
    known = SUFFIXES.get(_stem(path).suffix.lower())
    if known:
        return known
    head = next(read_bytes(path), b"")[:4096]
    if head[:4] in (b"\xde\x12\x04\x95", b"\x95\x04\x12\xde"):
        return "mo"
    if head.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)) or b"<\0" in head[:4]:
        head = head.replace(b"\0", b"")
    if b"<tmx" in head:
        return "tmx"
    if b"<xliff" in head:
        return "xliff"
    if any(line.startswith((b"msgid ", b'msgid"')) for line in head.split(b"\n")):
        return "po"
    return "tsv" if b"\t" in head.split(b"\n")[0] else "plain"


def _rows(reading: Reading, other: str | None, format: str | None) -> Iterator[Row]:
    if other is not None:
        if format not in (None, "plain"):
            raise ArgumentError(
                f"two files, but the format {format} is one file",
                remedy="give one file, or no format",
            )
        return read_plain(reading, other)
    if format is None and reading.path == "-":  # looking at it would use it up
        raise ArgumentError(
            "standard input can be of any format", remedy=f"say which: {', '.join(READERS)}"
        )
    format = format or detect_format(reading.path)
    if format == "plain":
        if next(read_text(reading.path), None) is None:  # if it is not text at all, this says so
            raise FormatError("is empty", path=reading.path, remedy="give a file with translations")
        raise FormatError(
            "plain text, but only one file of it",
            path=reading.path,
            remedy="give the file with its translations as well, or one of TSV, PO, TMX, XLIFF",
        )
    return READERS[format](reading)


def _agreed(reading: Reading, other: str | None) -> tuple[str | None, str | None]:
    """The languages that the first file has settled; the next ones must have the same."""
    source, target = reading.source, reading.target
    if other is not None:
        source = source or _language_suffix(reading.path)
        target = target or _language_suffix(other)
    return source, target


def _language_suffix(path: StrPath) -> str | None:
    """``train.de.gz`` is German, ``train.txt`` is not known."""
    suffix = _stem(path).suffix[1:]
    is_code = looks_like_code(suffix) and suffix.lower() not in ("txt", "tok", "raw", "src", "tgt")
    return normalise(suffix) if is_code else None


def _stem(path: StrPath) -> Path:
    path = Path(path)
    return path.with_suffix("") if path.suffix == ".gz" else path


def _inputs(
    path: StrPath | Sequence[StrPath | tuple[StrPath, StrPath]],
    other: StrPath | None,
    source: str | None,
    target: str | None,
    progress: Progress = SILENT,
) -> Iterator[tuple[str, str | None]]:
    """Each input file, with the file of its translations if it is plain text."""
    if other is not None:
        if not isinstance(path, str | Path):
            raise ArgumentError(
                "a list of files and another file", remedy="put the pair in the list"
            )
        yield str(path), str(other)
    elif not isinstance(path, str | Path):
        if not path:
            raise ArgumentError("an empty list of files", remedy="name at least one file")
        for item in path:
            if isinstance(item, tuple):
                yield str(item[0]), str(item[1])
            else:
                yield from _inputs(item, None, source, target, progress)
    elif Path(path).is_dir():
        yield from _folder(Path(path), source, target, progress)
    else:
        yield str(path), None


def _named(path: StrPath | Sequence[StrPath | tuple[StrPath, StrPath]]) -> Iterator[StrPath]:
    """The files that were asked for by their names, not by that of their folder."""
    for item in [path] if isinstance(path, str | Path) else path:
        yield from item if isinstance(item, tuple) else [item]


def _folder(
    folder: Path, source: str | None, target: str | None, progress: Progress
) -> Iterator[tuple[str, str | None]]:
    """The files below a folder in alphabetical order: known suffixes, and name.de + name.en."""
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    inputs = list(_folder_inputs(files, source, target))
    if not inputs:
        raise FileAccessError(
            "no file of a known format in this folder",
            path=folder,
            remedy=f"it needs files ending in {', '.join(SUFFIXES)}, or NAME.SOURCE and "
            "NAME.TARGET for the two languages asked for; .gz may follow",
        )
    used = {name for pair in inputs for name in pair}
    rest = [str(path.relative_to(folder)) for path in files if str(path) not in used]
    if rest:
        more = f" and {len(rest) - _LISTED:,} more" if len(rest) > _LISTED else ""
        progress.say(
            f"{folder}: left out {', '.join(rest[:_LISTED])}{more}: no known format, or no file in "
            "the other language beside it"
        )
    yield from inputs


def _folder_inputs(
    files: Iterable[Path], source: str | None, target: str | None
) -> Iterator[tuple[str, str | None]]:
    names = set(files)
    for path in sorted(names):
        stem = _stem(path)
        if stem.suffix.lower() in SUFFIXES:
            yield str(path), None
        elif source and target and stem.suffix == f".{source}":
            for ending in (f".{target}", f".{target}.gz"):
                other = stem.with_suffix("").with_name(stem.stem + ending)
                if other in names:
                    yield str(path), str(other)
                    break
