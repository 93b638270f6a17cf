"""The sentence pairs of a model, read one by one where they stand.

    pairs = StoredPairs("model/corpus.arrow")
    pairs[17].source, len(pairs)

The file is what ``Bitext.save`` writes: record batches of Arrow's file format.  Whoever trains has
pyarrow to read it with; whoever translates needs a few sentences at a time, and neither a library
of 170 MB nor a pass over all of them.

https://arrow.apache.org/docs/format/Columnar.html has the format: a footer in FlatBuffers says
where the batches are, each batch where its columns are, and a column of text is two buffers, where
each text ends and the texts.
"""

from __future__ import annotations

import mmap
import struct
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple, overload

import numpy as np
from numpy.typing import NDArray

from demotic import files
from demotic.corpus.pair import Pair
from demotic.errors import CorruptFileError

_MAGIC = b"ARROW1"
_BLOCK = 24  # bytes of a Block of the footer
_TEXTS = ("id", "source", "target")
_Offsets = NDArray[np.int32]


class _Texts(NamedTuple):
    """A column of text: where each ends, and where the first begins in the file."""

    ends: _Offsets
    begin: int
    size: int


class _Batch(NamedTuple):
    texts: dict[str, _Texts]
    file: _Offsets
    """Of each row, as a number of a name."""


class StoredPairs(Sequence[Pair]):
    """A file of sentence pairs, mapped; what is damaged is an error where it is read."""

    def __init__(self, path: str | Path) -> None:
        self._path = Path(path)
        with files.naming(path), self._path.open("rb") as file:
            if self._path.stat().st_size == 0:
                raise self._corrupt("it is empty")
            self._map = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        try:
            dictionaries, batches = self._footer()
            self._files = [name for at in dictionaries for name in self._names(at)]
            self._batches = [self._batch(at) for at in batches]
        except (struct.error, ValueError, OverflowError) as error:
            raise self._corrupt(str(error)) from None
        self._begins = [0]
        for batch in self._batches:
            self._begins.append(self._begins[-1] + len(batch.file))

    def __len__(self) -> int:
        return self._begins[-1]

    @overload
    def __getitem__(self, row: int) -> Pair: ...
    @overload
    def __getitem__(self, row: slice) -> list[Pair]: ...
    def __getitem__(self, row: int | slice) -> Pair | list[Pair]:
        if isinstance(row, slice):
            return [self[each] for each in range(*row.indices(len(self)))]
        if not -len(self) <= row < len(self):
            raise IndexError(f"row {row} of {len(self):,}")
        row %= len(self)
        number = bisect_right(self._begins, row) - 1
        batch, at = self._batches[number], row - self._begins[number]
        identity, source, target, unit = (
            self._text(batch.texts[name], at) for name in (*_TEXTS, "unit")
        )
        named = int(batch.file[at])
        if not 0 <= named < len(self._files):
            raise self._corrupt(f"row {row} is of file {named}")
        return Pair(identity, source, target, self._files[named], unit)

    def source_lines(self) -> Iterator[str]:
        """The source sentences."""
        return self._column("source")

    def target_lines(self) -> Iterator[str]:
        """The target sentences."""
        return self._column("target")

    def _column(self, name: str) -> Iterator[str]:
        for batch in self._batches:
            for row in range(len(batch.file)):
                yield self._text(batch.texts[name], row)

    # -- the format -----------------------------------------------------------------------------

    def _footer(self) -> tuple[list[tuple[int, int]], list[tuple[int, int]]]:
        """Where the dictionaries and the batches begin, and their bodies."""
        size = len(self._map)
        if self._map[: len(_MAGIC)] != _MAGIC or self._map[-len(_MAGIC) :] != _MAGIC:
            raise self._corrupt("it does not begin and end as an Arrow file")
        length = self._number("<i", size - len(_MAGIC) - 4)
        footer = self._root(size - len(_MAGIC) - 4 - length)
        return self._blocks(footer, 2), self._blocks(footer, 3)

    def _blocks(self, footer: int, field: int) -> list[tuple[int, int]]:
        at, count = self._vector(footer, field, _BLOCK)
        found = []
        for block in range(at, at + count * _BLOCK, _BLOCK):
            begin, head = self._number("<q", block), self._number("<i", block + 8)
            found.append((begin, begin + head))
        return found

    def _message(self, begin: int) -> int:
        """The table of a batch: behind a mark, its length and the table of the message."""
        header = self._field(self._root(begin + 8), 2)
        return header + self._number("<I", header)

    def _batch(self, place: tuple[int, int]) -> _Batch:
        rows, buffers = self._columns(self._message(place[0]), place[1])
        if len(buffers) != 14:
            raise self._corrupt(f"{len(buffers)} columns of another kind")
        texts = {
            name: self._texts(rows, buffers[3 * number + 1], buffers[3 * number + 2])
            for number, name in enumerate(_TEXTS)
        }
        file = self._offsets(rows, buffers[10])
        texts["unit"] = self._texts(rows, buffers[12], buffers[13])
        return _Batch(texts, file)

    def _names(self, place: tuple[int, int]) -> Iterator[str]:
        """Of a dictionary: names of files."""
        message = self._message(place[0])
        data = self._field(message, 1)
        rows, buffers = self._columns(data + self._number("<I", data), place[1])
        if len(buffers) != 3:
            raise self._corrupt("names of files of another kind")
        texts = self._texts(rows, buffers[1], buffers[2])
        return (self._text(texts, row) for row in range(rows))

    def _columns(self, batch: int, body: int) -> tuple[int, list[tuple[int, int]]]:
        """Rows of a batch, and place and size of its buffers."""
        if self._find(batch, 3):
            raise self._corrupt("it is compressed")
        rows = self._number("<q", self._field(batch, 0)) if self._find(batch, 0) else 0
        at, count = self._vector(batch, 2, 16)
        buffers = [
            (body + self._number("<q", at + 16 * each), self._number("<q", at + 16 * each + 8))
            for each in range(count)
        ]
        return rows, buffers

    def _texts(self, rows: int, ends: tuple[int, int], data: tuple[int, int]) -> _Texts:
        if not 0 <= data[0] <= data[0] + data[1] <= len(self._map):
            raise self._corrupt("text beyond the end")
        # Without rows there need be no ends.
        count = rows + 1 if rows else 0
        return _Texts(self._offsets(count, ends), *data)

    def _offsets(self, count: int, place: tuple[int, int]) -> _Offsets:
        begin, size = place
        if not (begin >= 0 and 0 <= 4 * count <= size):
            raise self._corrupt("rows beyond the end")
        return np.frombuffer(self._map, dtype="<i4", count=count, offset=begin)

    def _text(self, texts: _Texts, row: int) -> str:
        begin, end = int(texts.ends[row]), int(texts.ends[row + 1])
        if not 0 <= begin <= end <= texts.size:
            raise self._corrupt("a text beyond the end of its column")
        return self._map[texts.begin + begin : texts.begin + end].decode("utf-8", "replace")

    # -- FlatBuffers ----------------------------------------------------------------------------

    def _number(self, kind: str, at: int) -> int:
        if at < 0:
            raise self._corrupt("a place before the beginning")
        number: int = struct.unpack_from(kind, self._map, at)[0]
        return number

    def _root(self, at: int) -> int:
        return at + self._number("<I", at)

    def _find(self, table: int, field: int) -> int:
        """Where a field of a table stands; 0 if it has its default."""
        rows = table - self._number("<i", table)
        if 4 + 2 * field >= self._number("<H", rows):
            return 0
        offset = self._number("<H", rows + 4 + 2 * field)
        return table + offset if offset else 0

    def _field(self, table: int, field: int) -> int:
        found = self._find(table, field)
        if not found:
            raise self._corrupt("a part is missing")
        return found

    def _vector(self, table: int, field: int, size: int) -> tuple[int, int]:
        """Where the elements of a vector begin, and how many there are."""
        at = self._find(table, field)
        if not at:
            return 0, 0
        begin = at + self._number("<I", at)
        count = self._number("<I", begin)
        if begin + 4 + count * size > len(self._map):
            raise self._corrupt("a list beyond the end")
        return begin + 4, count

    def _corrupt(self, what: str) -> CorruptFileError:
        return CorruptFileError(
            f"a damaged file of sentence pairs: {what}",
            path=self._path,
            remedy="copy the model again",
        )
