"""Two plain text files, the same number of lines in each: one sentence a line."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import zip_longest

from demotic.corpus.reading import Reading, Row
from demotic.errors import FormatError
from demotic.files import read_lines


def read_plain(reading: Reading, other: str) -> Iterator[Row]:
    """Pairs of lines; the unit is the line number."""
    count = 0
    lines = zip_longest(read_lines(reading.path), read_lines(other))
    for count, (source, target) in enumerate(lines, 1):
        if source is None or target is None:
            longer = count + sum(1 for _ in lines)
            raise _unequal(reading.path, other, count, longer, source_is_short=source is None)
        yield source, target, str(count)


def _unequal(
    path: str, other: str, missing: int, longer: int, *, source_is_short: bool
) -> FormatError:
    short, long = (path, other) if source_is_short else (other, path)
    return FormatError(
        f"line {missing} is missing: this file has {missing - 1} lines, {long} has {longer}",
        path=short,
        line=missing,
        remedy="the two files of a bitext must have the same number of lines",
    )
