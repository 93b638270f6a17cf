"""Tab-separated values: one pair a line, source and target in the first two columns.

A first line that names the columns is recognised when it holds the words ``source`` and
``target``, or the codes of the two languages that are asked for; the pair is then taken from those
columns.  Further columns are ignored, but every line must have as many as the first.  There is no
quoting: a quotation mark is text.
"""

from __future__ import annotations

from collections.abc import Iterator

from demotic.corpus.language import choose, looks_like_code
from demotic.corpus.reading import Reading, Row
from demotic.errors import FormatError
from demotic.files import read_lines


def read_tsv(reading: Reading) -> Iterator[Row]:
    """Pairs of cells; the unit is the line number."""
    lines = enumerate(read_lines(reading.path), 1)
    columns = 0
    source = target = 0
    for number, line in lines:
        cells = line.split("\t")
        if number == 1:
            columns = len(cells)
            if columns < 2:
                raise FormatError(
                    "one column where two are needed",
                    path=reading.path,
                    line=1,
                    remedy="separate source and target with a tab",
                )
            named = _header(cells, reading)
            source, target = named or (0, 1)
            if named:
                continue
        if len(cells) != columns:
            raise FormatError(
                f"{len(cells)} columns, but the first line has {columns}",
                path=reading.path,
                line=number,
                remedy="every line needs the same number of tabs",
            )
        yield cells[source], cells[target], str(number)


def _header(cells: list[str], reading: Reading) -> tuple[int, int] | None:
    """The columns of source and target, if this is a line of names."""
    names = [cell.strip().lower() for cell in cells]
    if "source" in names and "target" in names:
        return names.index("source"), names.index("target")
    if reading.source is None or reading.target is None:
        return None
    codes = [name if looks_like_code(name) else "" for name in names]
    source, target = choose(reading.source, codes), choose(reading.target, codes)
    if source is None or target is None or source == target:
        return None
    return source, target
