"""Where the sentences of a Bitext are: record batches in memory or in a mapped Arrow IPC file.

A small corpus stays in memory.  A large one is written batch by batch to a temporary file without
a name (in TMPDIR), which disappears with the process whatever happens to it, and is mapped.
"""

from __future__ import annotations

import contextlib
import mmap
import tempfile
import weakref
from collections.abc import Iterable, Iterator, Sequence
from typing import IO, TYPE_CHECKING, Any, Protocol

from demotic.corpus.ids import Occurrences, pair_digests, stable_ids
from demotic.corpus.reading import Row
from demotic.errors import CorruptFileError, EncodingError
from demotic.files import naming

if TYPE_CHECKING:
    import pyarrow as pa

BATCH_ROWS = 8192
BATCH_CHARACTERS = 16 << 20  # a batch of very long lines closes earlier
SPILL_BYTES = 16 << 20
_RELEASE_EVERY = 4  # batches


def schema(metadata: dict[str, str] | None = None) -> pa.Schema:
    """The columns of a Bitext."""
    import pyarrow as pa

    return pa.schema(
        [
            pa.field("id", pa.string(), nullable=False),
            pa.field("source", pa.string(), nullable=False),
            pa.field("target", pa.string(), nullable=False),
            pa.field("file", pa.dictionary(pa.int32(), pa.string()), nullable=False),
            pa.field("unit", pa.string(), nullable=False),
        ],
        metadata=metadata,
    )


class Storage(Protocol):
    """A sequence of record batches that can be read again and again."""

    rows: int

    def batches(self) -> Iterator[pa.RecordBatch]: ...


class MemoryStorage:
    """Batches held in memory."""

    def __init__(self, batches: Sequence[pa.RecordBatch]) -> None:
        self._batches = batches
        self.rows = sum(batch.num_rows for batch in batches)

    def batches(self) -> Iterator[pa.RecordBatch]:
        yield from self._batches


class MappedStorage:
    """Batches in an Arrow IPC file; only the pages in use are in memory."""

    def __init__(self, file: IO[bytes], *, trusted: bool) -> None:
        import pyarrow as pa

        try:
            self._map = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
            self._reader = pa.ipc.open_file(pa.BufferReader(pa.py_buffer(self._map)))
        except (OSError, ValueError, pa.ArrowException) as error:
            raise _corrupt(error) from error
        self._trusted = trusted
        self.metadata = self._reader.schema.metadata or {}
        if not self._reader.schema.equals(schema()):
            raise CorruptFileError(
                "an Arrow file, but not of sentence pairs",
                remedy="give a file that Bitext.save wrote",
            )
        self.rows = sum(self._get(index).num_rows for index in range(self._count))

    @property
    def _count(self) -> int:
        return int(self._reader.num_record_batches)

    def batches(self) -> Iterator[pa.RecordBatch]:
        for index in range(self._count):
            yield self._get(index)
            if index % _RELEASE_EVERY == _RELEASE_EVERY - 1:
                # The pages stay in the file's cache; they just no longer count as ours.
                self._map.madvise(mmap.MADV_DONTNEED)

    def _get(self, index: int) -> pa.RecordBatch:
        import pyarrow as pa

        try:
            batch = self._reader.get_batch(index)
            if not self._trusted:
                batch.validate(full=True)
                if any(column.null_count for column in batch.columns):
                    raise pa.ArrowInvalid("a missing value")
        except (OSError, ValueError, pa.ArrowException) as error:
            raise _corrupt(error) from error
        return batch


def _corrupt(error: Exception) -> CorruptFileError:
    return CorruptFileError(
        f"a damaged bitext file: {error}", remedy="write it again with Bitext.save"
    )


class BitextWriter:
    """Takes sentence pairs and keeps them in memory, or in a file once there are many.

    ``files`` are the names that the provenance of any pair may mention.
    """

    def __init__(self, files: Sequence[str], *, spill_bytes: int = SPILL_BYTES) -> None:
        self._files = {name: index for index, name in enumerate(dict.fromkeys(files))}
        self._spill_bytes = spill_bytes
        self._seen = Occurrences()
        self._small: list[pa.RecordBatch] = []  # waiting until they make a full batch
        self._small_rows = 0
        self._held: list[pa.RecordBatch] = []
        self._held_bytes = 0
        self._spilled: IO[bytes] | None = None
        self._sink: Any = None

    def add(self, rows: Iterable[Row], file: str) -> Iterator[int]:
        """Add rows of one file and give each its id; yields the number added now and then."""
        for sources, targets, units in _columns(rows):
            self._store(self._batch(sources, targets, units, file))
            yield len(sources)

    def append(self, batch: pa.RecordBatch) -> None:
        """Add pairs that have their ids already; their files must be among ours, in our order."""
        self._small.append(batch)
        self._small_rows += batch.num_rows
        if self._small_rows >= BATCH_ROWS:
            self._flush()

    def finish(self) -> Storage:
        """What was written, to read."""
        self._flush()
        self._seen = Occurrences()
        if self._spilled is None:
            return MemoryStorage(self._held)
        with naming(tempfile.gettempdir()):
            self._sink.close()
            self._spilled.flush()
            storage = MappedStorage(self._spilled, trusted=True)
            self._spilled.close()  # the mapping holds the file
            return storage

    def _batch(
        self, sources: list[str], targets: list[str], units: list[str], file: str
    ) -> pa.RecordBatch:
        import pyarrow as pa

        sources, targets = _single_lines(sources), _single_lines(targets)
        try:
            ids = stable_ids(pair_digests(sources, targets), self._seen)
        except UnicodeEncodeError as error:
            raise EncodingError(
                f"text that is not Unicode: {error.reason}", path=file, remedy="remove surrogates"
            ) from error
        index = pa.array([self._files[file]] * len(sources), pa.int32())
        files = pa.DictionaryArray.from_arrays(index, pa.array(list(self._files), pa.string()))
        arrays = [pa.array(column, pa.string()) for column in (ids, sources, targets, units)]
        return pa.RecordBatch.from_arrays([*arrays[:3], files, arrays[3]], schema=schema())

    def _flush(self) -> None:
        import pyarrow as pa

        if self._small_rows:
            for batch in pa.Table.from_batches(self._small).combine_chunks().to_batches():
                self._store(batch)
        self._small, self._small_rows = [], 0

    def _store(self, batch: pa.RecordBatch) -> None:
        if self._spilled is None:
            self._held.append(batch)
            self._held_bytes += batch.nbytes
            if self._held_bytes <= self._spill_bytes:
                return
            self._spill()
        else:
            with naming(tempfile.gettempdir()):
                self._sink.write_batch(batch)

    def _spill(self) -> None:
        import pyarrow as pa

        with naming(tempfile.gettempdir()):
            self._spilled = tempfile.TemporaryFile(prefix="demotic-")  # noqa: SIM115
            weakref.finalize(self, _close, self._spilled)  # also when reading fails half-way
            self._sink = pa.ipc.new_file(self._spilled, schema())
            for batch in self._held:
                self._sink.write_batch(batch)
        self._held = []


def _close(file: IO[bytes]) -> None:
    """Close a file that nobody will read; that its last bytes find no room no longer matters."""
    with contextlib.suppress(OSError):
        file.close()


def _columns(rows: Iterable[Row]) -> Iterator[tuple[list[str], list[str], list[str]]]:
    """Rows as columns of one batch each."""
    block: list[Row] = []
    characters = 0
    for row in rows:
        block.append(row)
        characters += len(row[0]) + len(row[1])
        if len(block) == BATCH_ROWS or characters > BATCH_CHARACTERS:
            yield _transposed(block)
            block, characters = [], 0
    if block:
        yield _transposed(block)


def _transposed(block: list[Row]) -> tuple[list[str], list[str], list[str]]:
    sources, targets, units = zip(*block, strict=True)
    return list(sources), list(targets), list(units)


_TO_SPACE = str.maketrans("\t\n\r", "   ")


def _single_lines(sentences: list[str]) -> list[str]:
    """Sentences without tabs and line breaks, so that they can be written one to a line."""
    together = "\n".join(sentences)  # one search instead of three for each sentence
    if "\t" in together or "\r" in together or together.count("\n") >= len(sentences):
        return [sentence.translate(_TO_SPACE) for sentence in sentences]
    return sentences
