"""Bitext: parallel sentences with stable ids and provenance.

    bitext = demotic.read_bitext("memory.tmx", source="en", target="fr")
    len(bitext), bitext.source_language, bitext.target_language
    for pair in bitext:
        print(pair.id, pair.source, pair.target, pair.file, pair.unit)
    for batch in bitext.batches():          # pyarrow.RecordBatch, at most 8,192 rows
        ...
    bitext.save("memory.arrow"); bitext = Bitext.open("memory.arrow")

A sentence is one line: tabs and line breaks inside it were replaced by spaces.  Ids are described
in ``demotic.corpus.ids``; they are given when a file is read and kept by ``filter``, ``select``,
cleaning and splitting, so that a pair can be followed back to its file and unit.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from demotic.corpus.language import UNKNOWN
from demotic.corpus.pair import Pair
from demotic.corpus.storage import BitextWriter, MappedStorage, Storage, schema
from demotic.errors import CorruptFileError
from demotic.files import atomic_path, naming, write_bytes, write_lines

if TYPE_CHECKING:
    import numpy as np
    import pyarrow as pa
    from numpy.typing import NDArray

_KEY = b"demotic.bitext"


class Bitext:
    """Parallel sentences, Arrow-backed; immutable, and read as a stream."""

    def __init__(
        self,
        storage: Storage,
        *,
        source_language: str = UNKNOWN,
        target_language: str = UNKNOWN,
        skipped: Mapping[str, int] | None = None,
    ) -> None:
        self._storage = storage
        self.source_language = source_language
        self.target_language = target_language
        self.skipped = dict(skipped or {})
        """Units of the files that held no usable pair, by reason (fuzzy, untranslated ...)."""

    @classmethod
    def from_pairs(
        cls,
        pairs: Iterable[tuple[str, str]],
        *,
        source_language: str = UNKNOWN,
        target_language: str = UNKNOWN,
        file: str = "",
    ) -> Bitext:
        """A bitext of sentences at hand; the units are 1, 2, 3 ..."""
        writer = BitextWriter([file])
        rows = ((source, target, str(unit)) for unit, (source, target) in enumerate(pairs, 1))
        for _ in writer.add(rows, file):
            pass
        return cls(
            writer.finish(), source_language=source_language, target_language=target_language
        )

    @classmethod
    def open(cls, path: str | Path) -> Bitext:
        """A bitext that ``save`` wrote, memory-mapped."""
        with naming(path), Path(path).open("rb") as file:
            storage = MappedStorage(file, trusted=False)
            try:
                about = json.loads(storage.metadata[_KEY])
                skipped = {str(reason): int(count) for reason, count in about["skipped"].items()}
                languages = str(about["source_language"]), str(about["target_language"])
            except (KeyError, ValueError, TypeError, AttributeError, OverflowError) as error:
                raise CorruptFileError(
                    "an Arrow file without the languages of its sentences",
                    remedy="give a file that Bitext.save wrote",
                ) from error
        return cls(
            storage, source_language=languages[0], target_language=languages[1], skipped=skipped
        )

    def save(self, path: str | Path) -> None:
        """Write an Arrow IPC file for ``open``; DuckDB, Spark and pandas read it as well."""
        import pyarrow as pa

        about = {
            "source_language": self.source_language,
            "target_language": self.target_language,
            "skipped": self.skipped,
        }
        columns = schema({_KEY.decode(): json.dumps(about)})
        with (
            atomic_path(path) as temporary,
            temporary.open("wb") as file,
            pa.ipc.new_file(file, columns) as sink,
        ):
            for batch in self.batches():
                sink.write_batch(batch.replace_schema_metadata(columns.metadata))

    def write(self, path: str | Path, other: str | Path | None = None) -> int:
        """Write the sentences: two columns in a TSV file, or two plain files; ``.gz`` compresses.

        Returns the number of pairs written.
        """
        if other is None:
            return write_lines(path, (f"{pair.source}\t{pair.target}" for pair in self))
        with write_bytes(path) as source, write_bytes(other) as target:
            for batch in self.batches():
                for out, name in ((source, "source"), (target, "target")):
                    lines = batch.column(name).to_pylist()
                    out.write("".join([f"{line}\n" for line in lines]).encode())
        return len(self)

    def __len__(self) -> int:
        return self._storage.rows

    def __repr__(self) -> str:
        return f"<Bitext {self.source_language}-{self.target_language}, {len(self):,} pairs>"

    def batches(self) -> Iterator[pa.RecordBatch]:
        """Record batches with the columns id, source, target, file, unit."""
        return self._storage.batches()

    def __iter__(self) -> Iterator[Pair]:
        for batch in self.batches():
            columns = [column.to_pylist() for column in batch.columns]
            yield from map(Pair._make, zip(*columns, strict=True))

    def source_lines(self) -> Iterator[str]:
        """The source sentences."""
        return self._lines("source")

    def target_lines(self) -> Iterator[str]:
        """The target sentences."""
        return self._lines("target")

    def _lines(self, column: str) -> Iterator[str]:
        for batch in self.batches():
            yield from batch.column(column).to_pylist()

    def filter(self, keep: Callable[[Pair], bool]) -> Bitext:
        """The pairs for which ``keep`` is true: ``filter(lambda pair: "%" in pair.source)``."""
        import numpy as np

        return self._masked(np.fromiter((keep(pair) for pair in self), dtype=bool, count=len(self)))

    def select(self, rows: Iterable[int]) -> Bitext:
        """The pairs at the given positions, in the order of the corpus: ``select(range(1000))``.

        Positions count from 0; those past the end are an IndexError, repeated ones count once.
        """
        import numpy as np

        mask = np.zeros(len(self), dtype=bool)
        mask[np.fromiter(rows, dtype=np.int64)] = True
        return self._masked(mask)

    def _masked(self, mask: NDArray[np.bool_]) -> Bitext:
        return self.partition([mask])[0]

    def partition(self, masks: list[NDArray[np.bool_]]) -> list[Bitext]:
        """One bitext for each mask over the rows, made in a single pass."""
        import pyarrow as pa

        writers = [BitextWriter([]) for _ in masks]
        begin = 0
        for batch in self.batches():
            end = begin + batch.num_rows
            for mask, writer in zip(masks, writers, strict=True):
                if mask[begin:end].any():
                    writer.append(batch.filter(pa.array(mask[begin:end])))
            begin = end
        return [self.like(writer.finish()) for writer in writers]

    def like(self, storage: Storage) -> Bitext:
        """Other sentences in the same languages, read from the same files."""
        return Bitext(
            storage,
            source_language=self.source_language,
            target_language=self.target_language,
            skipped=self.skipped,
        )
