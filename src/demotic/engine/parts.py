"""Rows in files, one for each part of a job, and results in files of their own.

parts = PartFiles(folder, schema)
parts.add(3, batch)
for shelf in parts.shelves(64 << 20):  # whole parts, at most so many bytes together
    table = parts.take(shelf)
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Iterator
from pathlib import Path

import pyarrow as pa

from demotic.errors import FileAccessError


class PartFiles:
    """What does not fit into memory, by part."""

    def __init__(self, folder: Path, schema: pa.Schema) -> None:
        self._folder = folder
        self._schema = schema
        self._writers: dict[int, pa.RecordBatchStreamWriter] = {}
        self._bytes: dict[int, int] = {}

    def add(self, part: int, batch: pa.RecordBatch) -> None:
        """Append to the file of a part."""
        with on_disk():
            if part not in self._writers:
                self._writers[part] = pa.ipc.new_stream(self._path(part), self._schema)
                self._bytes[part] = 0
            self._writers[part].write_batch(batch)
        self._bytes[part] += batch.nbytes

    def shelves(self, most: int) -> list[list[int]]:
        """Parts joined, in their order, as long as they have at most so many bytes."""
        joined: list[list[int]] = []
        room = 0
        for part, size in sorted(self._bytes.items()):
            if size > room:
                joined.append([])
                room = most
            joined[-1].append(part)
            room -= size
        return joined

    def take(self, parts: list[int]) -> pa.Table:
        """The rows of some parts, whose files go away."""
        batches: list[pa.RecordBatch] = []
        with on_disk():
            for part in parts:
                self._writers.pop(part).close()
                batches += read_batches(self._path(part))
                self._path(part).unlink()
        return pa.Table.from_batches(batches, self._schema)

    def close(self) -> None:
        """Give up what was written."""
        for writer in self._writers.values():
            with contextlib.suppress(OSError):
                writer.close()
        self._writers.clear()

    def _path(self, part: int) -> Path:
        return self._folder / f"{part}.rows"


def write_batches(path: Path, schema: pa.Schema, batches: Iterable[pa.RecordBatch]) -> None:
    """A file that read_batches reads."""
    with on_disk(), pa.ipc.new_stream(path, schema) as writer:
        for batch in batches:
            writer.write_batch(batch)


def read_batches(path: Path) -> Iterator[pa.RecordBatch]:
    """The batches of a file, one at a time."""
    with on_disk(), pa.OSFile(str(path)) as file, pa.ipc.open_stream(file) as batches:
        yield from batches


@contextlib.contextmanager
def on_disk() -> Iterator[None]:
    """Complaints about temporary files as ours."""
    try:
        yield
    except OSError as error:
        reason = str(error.strerror or error).partition("\n")[0]
        if reason.startswith("Out of Memory"):  # of the database, whose rows are being written
            raise MemoryError(reason) from error
        raise FileAccessError(
            f"temporary files: {reason}",
            remedy="free some disk space or name another folder for temporary files",
        ) from error
