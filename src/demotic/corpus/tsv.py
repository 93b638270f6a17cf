"""Tab-separated values: one pair a line, source and target in the first two columns.

A first line that names the columns is recognised when it holds words such as ``source`` and
``target``, or the codes or names of the two languages that are asked for; the pair is then taken
from those columns.  Further columns are ignored, but every line must have as many as most of the
first ones have.  There is no quoting: a quotation mark is text.

Lines that are blank, have more or fewer columns, or are no UTF-8 are skipped and counted; a strict
reading refuses them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import chain, islice

from demotic.corpus.doubts import language_named
from demotic.corpus.language import choose, looks_like_code
from demotic.corpus.reading import Reading, Row
from demotic.errors import FormatError
from demotic.files import read_lines, read_sound_lines

_SOURCE = ("source", "src", "source text", "source_text", "original", "msgid")
_TARGET = ("target", "tgt", "trg", "target text", "target_text", "translation", "msgstr")
_LOOKED_AT = 100  # lines


def read_tsv(reading: Reading) -> Iterator[Row]:
    """Pairs of cells; the unit is the line number."""
    found: Iterator[str | None] = (
        read_lines(reading.path) if reading.strict else read_sound_lines(reading.path)
    )
    lines = enumerate(found, 1)
    first = list(islice(lines, _LOOKED_AT))
    columns = _columns(first, reading)
    source, target, began = 0, 1, False
    for number, line in chain(first, lines):
        if line is None:
            reading.skip("no UTF-8", number)
            continue
        cells = line.split("\t")
        if len(cells) != columns:
            if reading.strict:
                raise FormatError(
                    f"{len(cells)} columns, but the first line has {columns}",
                    path=reading.path,
                    line=number,
                    remedy="every line needs the same number of tabs",
                )
            reason = "too few columns" if len(cells) < columns else "too many columns"
            reading.skip(reason if line.strip() else "blank", number)
            continue
        if not began:
            began = True
            if named := _header(cells, reading):
                source, target = named
                continue
        yield cells[source], cells[target], str(number)


def _columns(first: list[tuple[int, str | None]], reading: Reading) -> int:
    """How many columns most lines have; strictly, the first one."""
    counts = [line.count("\t") + 1 for _, line in first if line is not None and line.strip()]
    if reading.strict:
        counts = [line.count("\t") + 1 for _, line in first[:1] if line is not None]
    several = Counter(count for count in counts if count > 1)
    if counts and not several:
        raise FormatError(
            "one column where two are needed",
            path=reading.path,
            line=1,
            remedy="separate source and target with a tab",
        )
    return several.most_common(1)[0][0] if several else 2


def _header(cells: list[str], reading: Reading) -> tuple[int, int] | None:
    """The columns of source and target, if this is a line of names."""
    names = [cell.strip().lower() for cell in cells]
    ours = [names.index(name) for name in _SOURCE if name in names]
    theirs = [names.index(name) for name in _TARGET if name in names]
    if ours and theirs:
        return ours[0], theirs[0]
    if reading.source is None or reading.target is None:
        return None
    codes = [language_named(name) or (name if looks_like_code(name) else "") for name in names]
    source, target = choose(reading.source, codes), choose(reading.target, codes)
    if source is None or target is None or source == target:
        return None
    return source, target
