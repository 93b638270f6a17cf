"""N-grams counted in pieces of a text, summed by a query, estimated here.

    text = SpreadText(paths, order, engine, skip_special=True)
    with engine.aggregate(text, text.schema, QUERY, progress) as runs: ...

A first pass finds the words, which get the numbers that one pass over the whole text would give
them; a second one counts under these.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from demotic import _core
from demotic.engine.arrays import as_array
from demotic.errors import FormatError
from demotic.files import read_lines
from demotic.progress import SILENT, Progress

if TYPE_CHECKING:
    from demotic.engine import Engine
    from demotic.engine.arrays import Arrays

SCHEMA = pa.schema([("ngram", pa.binary()), ("times", pa.int64())])
QUERY = """
SELECT ngram, CAST(sum(times) AS BIGINT) AS times FROM rows GROUP BY ngram ORDER BY ngram
"""
_SPECIAL = ("<s>", "</s>")  # after <unk>, which every vocabulary has
_ROOM = 1 << 30  # bytes that the ids of a piece may take before they go to a file


class SpreadText:
    """The words of a text and, as the rows of a query, its n-grams."""

    schema = SCHEMA

    def __init__(
        self,
        paths: Sequence[str | Path],
        order: int,
        engine: Engine,
        *,
        skip_special: bool,
        progress: Progress = SILENT,
    ) -> None:
        self._paths, self._order, self._skip = paths, order, skip_special
        self._piece = engine.piece
        self.vocab = _core.Vocab()
        for word in _SPECIAL:
            self.vocab.add(word)
        self.frequencies = np.zeros(len(self.vocab), np.uint64)
        self.words = self.lines = 0
        self._numbers: list[NDArray[np.uint32]] = []  # of each piece's words
        job = FindWords(skip_special)
        for found in engine.map(job, self._texts(), "reading text", progress):
            self._add(found)

    def _add(self, found: Arrays) -> None:
        """The words of the next piece."""
        words = found["words"].tobytes().decode().split("\n")[:-1]
        special = range(len(_SPECIAL) + 1)
        numbers = np.array([*special, *map(self.vocab.add, words)], np.uint32)
        frequencies = np.zeros(len(self.vocab), np.uint64)
        frequencies[: len(self.frequencies)] = self.frequencies
        frequencies[numbers] += found["frequencies"]
        self.frequencies = frequencies
        self._numbers.append(numbers)
        self.words += int(found["counts"][0])
        self.lines += int(found["counts"][1])

    def _texts(self) -> Iterator[Arrays]:
        """Lines, with the place of the first one."""
        for path in self._paths:
            lines, number = read_lines(path), 0
            while some := list(islice(lines, self._piece)):
                text = "".join(f"{line}\n" for line in some).encode("utf-8")
                place = as_array(str(path).encode("utf-8", "surrogateescape"))
                yield {"text": as_array(text), "path": place, "line": np.array([number])}
                number += len(some)

    def pieces(self) -> Iterator[Arrays]:
        """Lines, with the numbers of their words in the whole text."""
        size = np.array([len(self.vocab)])
        for text, numbers in zip(self._texts(), self._numbers, strict=True):
            yield {**text, "numbers": numbers, "size": size}

    def job(self, parts: int) -> CountNgrams:
        """What counts a piece, all in one part."""
        return CountNgrams(self._order, self._skip)

    def __iter__(self) -> Iterator[tuple[int, pa.RecordBatch]]:
        """The same counted here, in one part."""
        for piece in self.pieces():
            yield from self._counted(piece)

    def _counted(self, piece: Arrays) -> list[tuple[int, pa.RecordBatch]]:
        made: list[tuple[int, pa.RecordBatch]] = []
        self.add_note(self.job(1)(piece, lambda *batch: made.append(batch)))
        return made

    def add_note(self, note: Arrays) -> None:
        """There is none."""


def _text(piece: Arrays, skip_special: bool) -> _core.LmText:
    text = _core.LmText(tempfile.gettempdir(), _ROOM, skip_special)
    try:
        text.add(piece["text"].tobytes())
    except FormatError as error:
        path = piece["path"].tobytes().decode("utf-8", "surrogateescape")
        line = None if error.line is None else error.line + int(piece["line"][0])
        raise FormatError(error.message, path=path, line=line, remedy=error.remedy) from None
    return text


@dataclass(frozen=True)
class FindWords:
    """The words of a piece, as they come."""

    skip_special: bool

    def __call__(self, piece: Arrays) -> Arrays:
        """With their frequencies, and with how many words and lines there are."""
        text = _text(piece, self.skip_special)
        words, frequencies = text.vocabulary()
        counts = np.array([text.words, text.lines])
        return {"words": as_array(words), "frequencies": frequencies, "counts": counts}


@dataclass(frozen=True)
class CountNgrams:
    """The n-grams of a piece, each once, with its count."""

    order: int
    skip_special: bool

    def __call__(self, piece: Arrays, put: Callable[[int, pa.RecordBatch], None]) -> Arrays:
        """Rows of the n-grams' bytes."""
        text = _text(piece, self.skip_special)
        keys, counts = _core.count_ngrams(text, self.order, piece["numbers"], int(piece["size"][0]))
        ends = np.arange(len(counts) + 1, dtype=np.int32) * (len(keys) // max(1, len(counts)))
        buffers = [None, pa.py_buffer(ends), pa.py_buffer(keys)]
        ngrams = pa.Array.from_buffers(pa.binary(), len(counts), buffers)
        put(0, pa.RecordBatch.from_arrays([ngrams, pa.array(counts)], schema=SCHEMA))
        return {}


def columns_of(batch: pa.RecordBatch) -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
    """The bytes of all n-grams of a batch, and their counts."""
    column = batch.column(0)
    _, borders, content = column.buffers()
    ends = np.frombuffer(borders, np.int32)[column.offset : column.offset + len(column) + 1]
    keys = np.frombuffer(content, np.uint8)[ends[0] : ends[-1]]
    counts: NDArray[np.int64] = batch.column(1).to_numpy()
    return keys, np.ascontiguousarray(counts)
