"""Counted rules as the rows of a query: of a whole text here, or of its pieces anywhere.

    rows = RuleRows(source, target, links, ExtractRules(options, sentences=False), engine, schema)
    with engine.aggregate(rows, rows.schema, query) as runs: ...
    rows.counts                        # what the extractor counted beside them

How the rows are cut and where they are made depends on the engine; their sums do not.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol, TypeAlias

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from demotic import _core
from demotic.align.pieces import aligned_lines, aligned_pieces
from demotic.align.text import Text
from demotic.progress import SILENT, Progress

if TYPE_CHECKING:
    from demotic._core import Links
    from demotic.engine import Engine
    from demotic.engine.arrays import Arrays

_ROW = 150  # bytes that a rule takes while it is counted, about
_ROWS = (256 << 20) // _ROW  # held for a piece
_Binary = tuple[bytes, bytes]
_Columns = tuple[int, int, _Binary, _Binary, _Binary, bytes, _Binary, *tuple[bytes, ...]]
Extraction: TypeAlias = _core.RuleExtraction | _core.ItgExtraction

SCHEMA = pa.schema(
    [
        ("source", pa.binary()),
        ("target", pa.binary()),
        ("links", pa.binary()),
        ("mass", pa.int64()),
        ("origins", pa.binary()),
    ]
)
SENTENCES = ("sentences", "source_sentences", "target_sentences")
COUNTED_SCHEMA = pa.schema([*SCHEMA, *((name, pa.int64()) for name in SENTENCES)])
_ORIGINS = SCHEMA.get_field_index("origins")


class Extract(Protocol):
    """An extractor and what it counts beside rows; pickled to get to the pieces."""

    def open(self, rows: int, parts: int, threads: int) -> Extraction:
        """One that holds about so many rows."""

    def counts(self, extraction: Extraction) -> NDArray[np.uint64]:
        """What it has counted, in numbers that add up."""


class RuleRows:
    """Rows with the masses of rules; frequent ones are summed already."""

    def __init__(
        self,
        source: Text,
        target: Text,
        links: Links,
        extract: Extract,
        engine: Engine,
        *,
        schema: pa.Schema = SCHEMA,
        title: str,
        step: int,
        progress: Progress = SILENT,
    ) -> None:
        """``step`` pairs are worked on between two looks at the keyboard."""
        self._texts = source, target, links
        self._engine, self._title, self._step, self._progress = engine, title, step, progress
        self.extract, self.schema = extract, schema
        self.counts: NDArray[np.uint64] = np.zeros(0, np.uint64)
        """Of all pairs, once all rows were made."""

    def __iter__(self) -> Iterator[tuple[int, pa.RecordBatch]]:
        """Made here; all of a target in one part."""
        source, target, links = self._texts
        engine = self._engine
        extraction = self.extract.open(engine.memory // 4 // _ROW, engine.parts, engine.threads)
        with self._progress.step(self._title, len(links), "sentence pairs") as advance:
            for begin in range(0, len(links), self._step):
                end = min(begin + self._step, len(links))
                extraction.run(source.lines, target.lines, links, begin, end)
                yield from (batch_of(columns, self.schema) for columns in extraction.take())
                advance(end - begin)
            yield from (batch_of(columns, self.schema) for columns in extraction.take_all())
        self.counts = self.extract.counts(extraction)

    def pieces(self) -> Iterator[Arrays]:
        """Of the aligned text."""
        return aligned_pieces(*self._texts, self._engine.piece)

    def job(self, parts: int) -> RuleJob:
        """What makes rows of a piece; all of a target in one part."""
        return RuleJob(self.extract, self.schema, parts)

    def add_note(self, note: Arrays) -> None:
        """What was counted beside the rows of a piece."""
        counts = note["counts"]
        self.counts = counts if not self.counts.size else self.counts + counts


@dataclass(frozen=True)
class RuleJob:
    """Rows of one piece."""

    extract: Extract
    schema: pa.Schema
    parts: int

    def __call__(self, piece: Arrays, put: Callable[[int, pa.RecordBatch], None]) -> Arrays:
        """Sentences keep the numbers that they have in the whole text."""
        source, target, links = aligned_lines(piece)
        first = piece["first"].astype(np.uint32)
        extraction = self.extract.open(_ROWS, self.parts, 1)
        extraction.run(source, target, links, 0, len(links))
        for columns in (*extraction.take(), *extraction.take_all()):
            part, batch = batch_of(columns, self.schema)
            moved = _moved(batch["origins"], first)
            put(part, batch.set_column(_ORIGINS, SCHEMA.field(_ORIGINS), moved))
        return {"counts": self.extract.counts(extraction)}


def _moved(origins: pa.Array, first: NDArray[np.uint32]) -> pa.Array:
    """Numbers of sentences, in a column of bytes, that are higher by those before."""
    _, borders, content = origins.buffers()
    moved = np.frombuffer(content, np.uint32) + first
    return pa.Array.from_buffers(
        origins.type, len(origins), [None, borders, pa.py_buffer(moved)], offset=origins.offset
    )


def batch_of(columns: _Columns, schema: pa.Schema) -> tuple[int, pa.RecordBatch]:
    """A part of counted rows, as the core gives them."""
    part, rows, *arrays = columns
    return part, pa.RecordBatch.from_arrays(
        [
            pa.Array.from_buffers(
                column.type,
                rows,
                [None, *map(pa.py_buffer, array if isinstance(array, tuple) else (array,))],
            )
            for column, array in zip(schema, arrays[: len(schema)], strict=True)
        ],
        schema=schema,
    )
